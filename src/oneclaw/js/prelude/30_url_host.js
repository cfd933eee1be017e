// Hosts of addresses, and percent signs in them, as the URL standard reads them; pure text in, text out.
(() => {
  "use strict";
  const { encodeURIComponent, parseInt, Uint8Array, Uint16Array } = globalThis;
  const { kit } = host;
  const { pattern, test, slice, indexOf, charCodeAt, toLowerCase, endsWith, push, join } = kit;
  const { encodeUtf8, decodeUtf8, byteLength } = kit;
  const toFixedBase = kit.free(Number.prototype.toString);
  const floor = Math.floor;

  // The sets of characters that are written with a percent sign, each an extension of another.
  const makeSet = (characters, ...sets) => {
    const set = new Uint8Array(128);
    for (let code = 0; code < 128; code++) {
      const isControl = code < 0x20 || code === 0x7f;
      const isIn = isControl || characters.includes(String.fromCharCode(code)) || sets.some((one) => one[code]);
      set[code] = isIn ? 1 : 0;
    }
    return set;
  };
  const CONTROL = makeSet("");
  const FRAGMENT = makeSet(' "<>`');
  const QUERY = makeSet(' "#<>');
  const SPECIAL_QUERY = makeSet("'", QUERY);
  const PATH = makeSet("?^`{}", QUERY);
  const USERINFO = makeSet("/:;=@[\\]|", PATH);

  const HEX = "0123456789ABCDEF";
  const encode = (text, set) => {
    let encoded = "";
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const code = charCodeAt(text, at);
      if (code < 0x80 && !set[code]) continue;
      encoded += slice(text, start, at);
      if (code < 0x80) encoded += "%" + HEX[code >> 4] + HEX[code & 15];
      else {
        const end = code >= 0xd800 && code < 0xdc00 ? at + 2 : at + 1;
        encoded += encodeURIComponent(slice(text, at, end));
        at = end - 1;
      }
      start = at + 1;
    }
    return start === 0 ? text : encoded + slice(text, start);
  };

  const hexValue = (code) => {
    if (code >= 48 && code < 58) return code - 48;
    const letter = code | 32;
    return letter >= 97 && letter < 103 ? letter - 87 : -1;
  };
  const decode = (text) => {
    if (indexOf(text, "%") < 0) return text;
    const bytes = encodeUtf8(text);
    const length = byteLength(bytes);
    let count = 0;
    for (let at = 0; at < length; at++) {
      let byte = bytes[at];
      if (byte === 37 && at + 2 < length) {
        const high = hexValue(bytes[at + 1]);
        const low = hexValue(bytes[at + 2]);
        if (high >= 0 && low >= 0) {
          byte = high * 16 + low;
          at += 2;
        }
      }
      bytes[count++] = byte;
    }
    return decodeUtf8(kit.subarray(bytes, 0, count));
  };

  const FORBIDDEN_HOST = pattern(/[\x00\t\n\r #\/:<>?@[\\\]^|]/);
  const FORBIDDEN_DOMAIN = pattern(/[\x00-\x20#%\/:<>?@[\\\]^|\x7f]/);
  const ASCII = pattern(/^[\x00-\x7f]*$/);
  const DECIMAL = pattern(/^[0-9]+$/);
  const HEXADECIMAL = pattern(/^0x[0-9a-f]*$/i);
  const OCTAL = pattern(/^0[0-7]*$/);

  const splitAt = (text, mark) => {
    const parts = [];
    let start = 0;
    for (let at = indexOf(text, mark); at >= 0; at = indexOf(text, mark, start)) {
      push(parts, slice(text, start, at));
      start = at + 1;
    }
    push(parts, slice(text, start));
    return parts;
  };

  // Undefined where the text is no number.
  const readNumber = (text) => {
    if (text === "") return undefined;
    if (test(HEXADECIMAL, text)) return text.length === 2 ? 0 : parseInt(slice(text, 2), 16);
    if (text.length > 1 && text[0] === "0") return test(OCTAL, text) ? parseInt(text, 8) : undefined;
    return test(DECIMAL, text) ? parseInt(text, 10) : undefined;
  };
  const endsInNumber = (domain) => {
    const parts = splitAt(domain, ".");
    if (parts[parts.length - 1] === "") {
      if (parts.length === 1) return false;
      kit.pop(parts);
    }
    const last = parts[parts.length - 1];
    return test(DECIMAL, last) || test(HEXADECIMAL, last);
  };
  const readIpv4 = (domain) => {
    const parts = splitAt(domain, ".");
    if (parts[parts.length - 1] === "" && parts.length > 1) kit.pop(parts);
    if (parts.length > 4) return undefined;
    let address = 0;
    for (let at = 0; at < parts.length; at++) {
      const number = readNumber(parts[at]);
      const isLast = at === parts.length - 1;
      if (number === undefined || number >= (isLast ? 256 ** (5 - parts.length) : 256)) return undefined;
      address += isLast ? number : number * 256 ** (3 - at);
    }
    return floor(address / 2 ** 24) + "." + ((address >> 16) & 255) + "." + ((address >> 8) & 255) + "." + (address & 255);
  };

  const readIpv6 = (text) => {
    const pieces = new Uint16Array(8);
    let piece = 0;
    let gap = -1;
    let at = 0;
    const code = () => (at < text.length ? charCodeAt(text, at) : -1);
    if (code() === 58) {
      if (charCodeAt(text, 1) !== 58) return undefined;
      at = 2;
      gap = ++piece;
    }
    while (at < text.length) {
      if (piece === 8) return undefined;
      if (code() === 58) {
        if (gap >= 0) return undefined;
        at++;
        gap = ++piece;
        continue;
      }
      let value = 0;
      let length = 0;
      for (let digit = hexValue(code()); length < 4 && digit >= 0; digit = hexValue(code())) {
        value = value * 16 + digit;
        at++;
        length++;
      }
      if (code() === 46) {
        if (length === 0 || piece > 6) return undefined;
        const tail = readDotted(slice(text, at - length));
        if (tail === undefined) return undefined;
        pieces[piece++] = tail[0] * 256 + tail[1];
        pieces[piece++] = tail[2] * 256 + tail[3];
        break;
      }
      if (code() === 58) {
        at++;
        if (at === text.length) return undefined;
      } else if (at < text.length) return undefined;
      pieces[piece++] = value;
    }
    if (gap >= 0) {
      const moved = piece - gap;
      for (let back = 0; back < moved; back++) {
        const value = pieces[piece - 1 - back];
        pieces[piece - 1 - back] = 0;
        pieces[7 - back] = value;
      }
    } else if (piece !== 8) return undefined;
    return "[" + writeIpv6(pieces) + "]";
  };
  const STRICT_PART = pattern(/^(?:0|[1-9][0-9]{0,2})$/);
  const readDotted = (text) => {
    const parts = splitAt(text, ".");
    if (parts.length !== 4) return undefined;
    const numbers = new Uint8Array(4);
    for (let at = 0; at < 4; at++) {
      const number = test(STRICT_PART, parts[at]) ? parseInt(parts[at], 10) : 256;
      if (number > 255) return undefined;
      numbers[at] = number;
    }
    return numbers;
  };
  const writeIpv6 = (pieces) => {
    let best = -1;
    let bestLength = 1;
    for (let at = 0; at < 8; at++) {
      let end = at;
      while (end < 8 && pieces[end] === 0) end++;
      if (end - at > bestLength) {
        best = at;
        bestLength = end - at;
      }
      if (end > at) at = end;
    }
    let text = "";
    for (let at = 0; at < 8; at++) {
      if (at === best) {
        text += at === 0 ? "::" : ":";
        at += bestLength - 1;
        continue;
      }
      text += toFixedBase(pieces[at], 16);
      if (at < 7) text += ":";
    }
    return text;
  };

  // Names in other letters than ASCII need tables that only the program outside has.
  const toAscii = (domain) => {
    if (test(ASCII, domain)) return toLowerCase(domain);
    return kit.sync("url.ascii", [domain]) ?? undefined;
  };

  // The host as it is written in an address; undefined where it cannot be one.
  const readHost = (text, isSpecial) => {
    if (text[0] === "[") return endsWith(text, "]") ? readIpv6(slice(text, 1, -1)) : undefined;
    if (!isSpecial) return test(FORBIDDEN_HOST, text) ? undefined : encode(text, CONTROL);
    const domain = toAscii(decode(text));
    if (domain === undefined || domain === "" || test(FORBIDDEN_DOMAIN, domain)) return undefined;
    return endsInNumber(domain) ? readIpv4(domain) : domain;
  };

  kit.url = {
    __proto__: null,
    sets: { __proto__: null, CONTROL, FRAGMENT, QUERY, SPECIAL_QUERY, PATH, USERINFO },
    encode,
    decode,
    readHost,
    splitAt,
  };
})();
