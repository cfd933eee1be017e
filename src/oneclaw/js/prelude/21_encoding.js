// TextEncoder and TextDecoder, as the Encoding standard has them.
(() => {
  "use strict";
  const { atob, btoa, escape, unescape, encodeURIComponent, decodeURIComponent, String } = globalThis;
  const { Uint8Array, TypeError, RangeError, Boolean } = globalThis;
  const { kit } = host;
  const { local, pattern, test, replace, slice, charCodeAt, subarray } = kit;
  const { bytesOf, toText, byteLength, trim, toLowerCase, offerClass, put, toBase64, fromBase64 } = kit;

  // The engine works on text in native code and on bytes in slow loops: bytes go through it as text with
  // one character for each byte, and the classic pair of escape and decodeURIComponent knows UTF-8.
  const toBinary = (bytes) => atob(toBase64(bytes));
  const fromBinary = (binary) => fromBase64(btoa(binary));
  const PIECE = 16384;
  const ASCII = pattern(/^[\x00-\x7f]*$/);

  const encodeUtf8 = (text) => {
    if (test(ASCII, text)) return fromBinary(text);
    return fromBinary(unescape(encodeURIComponent(text)));
  };

  // Text that the engine cannot decode is decoded by the worker process; null where it must be right and is not.
  const decodeOutside = (encoding, bytes, isFatal) => local("decode", [encoding, toBase64(bytes), isFatal ? 1 : 0]);

  const decodePiece = (bytes, isFatal) => {
    const binary = toBinary(bytes);
    if (test(ASCII, binary)) return binary;
    try {
      return decodeURIComponent(escape(binary));
    } catch {
      if (isFatal) throw new TypeError("The encoded data was not valid UTF-8.");
      return decodeOutside("utf-8", bytes, false);
    }
  };

  // Piece by piece: escaped text is up to six times as long.
  const decodePieces = (bytes, decode, openEnd) => {
    const length = byteLength(bytes);
    let text = "";
    for (let start = 0; start < length; ) {
      let end = start + PIECE;
      end = end < length ? end - openEnd(subarray(bytes, start, end)) : length;
      text += decode(subarray(bytes, start, end));
      start = end;
    }
    return text;
  };
  const decodeUtf8 = (bytes, isFatal) => decodePieces(bytes, (piece) => decodePiece(piece, isFatal), openEnd);

  // How many bytes at the end begin a character that the next piece may complete.
  const openEnd = (bytes) => {
    const length = byteLength(bytes);
    for (let back = 1; back <= 3 && back <= length; back++) {
      const byte = bytes[length - back];
      if (byte < 0x80) return 0;
      if (byte >= 0xc0) {
        const wanted = byte >= 0xf0 ? (byte < 0xf5 ? 4 : 0) : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
        return wanted > back && isBeginning(bytes, length - back, back) ? back : 0;
      }
    }
    return 0;
  };
  const isBeginning = (bytes, start, length) => {
    if (length < 2) return true;
    const first = bytes[start];
    const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    return bytes[start + 1] >= low && bytes[start + 1] <= high;
  };

  const decodeUtf16 = (bytes, isFatal, isBig) => {
    const decode = (piece) => {
      const text = decodeOutside(isBig ? "utf-16-be" : "utf-16-le", piece, isFatal);
      if (text === null) throw new TypeError("The encoded data was not valid UTF-16.");
      return text;
    };
    return decodePieces(bytes, decode, (piece) => openEnd16(piece, isBig));
  };
  const openEnd16 = (bytes, isBig) => {
    const length = byteLength(bytes);
    const odd = length & 1;
    if (length - odd < 2) return odd;
    const high = bytes[length - odd - (isBig ? 2 : 1)];
    return high >= 0xd8 && high < 0xdc ? odd + 2 : odd;
  };

  const WINDOWS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
  const C1 = pattern(/[\x80-\x9f]/g);
  const decodeWindows = (bytes) => replace(C1, toBinary(bytes), (byte) => WINDOWS[charCodeAt(byte, 0) - 0x80]);

  const LABELS = { __proto__: null };
  const label = (encoding, names) => {
    for (const name of names.split(" ")) LABELS[name] = encoding;
  };
  label("utf-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8");
  label("utf-16le", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le");
  label("utf-16be", "unicodefffe utf-16be");
  label(
    "windows-1252",
    "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591" +
      " iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
  );

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(input = "") {
      return encodeUtf8(toText(input));
    }
    encodeInto(source, destination) {
      const target = bytesOf(destination);
      if (target === undefined) throw new TypeError("encodeInto needs a Uint8Array to write to.");
      const text = toText(source);
      const room = byteLength(target);
      let read = 0;
      let written = 0;
      while (read < text.length) {
        const code = charCodeAt(text, read);
        const units = code >= 0xd800 && code < 0xdc00 ? 2 : 1;
        const size = code < 0x80 ? 1 : code < 0x800 ? 2 : units === 2 ? 4 : 3;
        if (written + size > room) break;
        read += units;
        written += size;
      }
      put(target, encodeUtf8(slice(text, 0, read)));
      return { read, written };
    }
  }

  class TextDecoder {
    #encoding;
    #isFatal;
    #keepsMark;
    #rest = new Uint8Array(0);
    #isAtStart = true;
    constructor(name = "utf-8", options = {}) {
      const encoding = LABELS[toLowerCase(trim(String(name)))];
      if (encoding === undefined) {
        throw new RangeError("TextDecoder does not know the encoding " + name + "; use utf-8, utf-16le or latin1.");
      }
      this.#encoding = encoding;
      this.#isFatal = Boolean(options?.fatal);
      this.#keepsMark = Boolean(options?.ignoreBOM);
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#isFatal;
    }
    get ignoreBOM() {
      return this.#keepsMark;
    }
    decode(input = new Uint8Array(0), options = {}) {
      let bytes = bytesOf(input);
      if (bytes === undefined) throw new TypeError("decode needs an ArrayBuffer or a typed array.");
      if (byteLength(this.#rest)) {
        const all = new Uint8Array(byteLength(this.#rest) + byteLength(bytes));
        put(all, this.#rest);
        put(all, bytes, byteLength(this.#rest));
        bytes = all;
      }
      const goesOn = Boolean(options?.stream);
      const end = byteLength(bytes) - (goesOn ? this.#open(bytes) : 0);
      this.#rest = new Uint8Array(subarray(bytes, end));
      try {
        return this.#withoutMark(this.#decode(subarray(bytes, 0, end)), goesOn);
      } catch (error) {
        this.#rest = new Uint8Array(0);
        this.#isAtStart = true;
        throw error;
      }
    }
    #open(bytes) {
      if (this.#encoding === "utf-8") return openEnd(bytes);
      return this.#encoding === "windows-1252" ? 0 : openEnd16(bytes, this.#encoding === "utf-16be");
    }
    #decode(bytes) {
      if (this.#encoding === "utf-8") return decodeUtf8(bytes, this.#isFatal);
      if (this.#encoding === "windows-1252") return decodeWindows(bytes);
      return decodeUtf16(bytes, this.#isFatal, this.#encoding === "utf-16be");
    }
    #withoutMark(text, goesOn) {
      const isFirst = this.#isAtStart && text !== "";
      this.#isAtStart = !goesOn || (this.#isAtStart && text === "");
      const isMarked = isFirst && !this.#keepsMark && this.#encoding !== "windows-1252";
      return isMarked && charCodeAt(text, 0) === 0xfeff ? slice(text, 1) : text;
    }
  }

  offerClass(TextEncoder, "TextEncoder");
  offerClass(TextDecoder, "TextDecoder");
  kit.encodeUtf8 = encodeUtf8;
  kit.decodeUtf8 = (bytes) => decodeUtf8(bytes, false);
  kit.toBinary = toBinary;
})();
