// URLSearchParams: the pairs of a query, as forms write them.
(() => {
  "use strict";
  const { encodeURIComponent, TypeError } = globalThis;
  const { kit } = host;
  const { pattern, replace, slice, indexOf, push, splice, sort, toText, toWellFormed, isArray } = kit;
  const { ownKeys, getOwnPropertyDescriptor, defineProperty, offerClass } = kit;
  const { encodeUtf8, decodeUtf8, byteLength, subarray } = kit;
  const ITERATOR = Symbol.iterator;

  const PLUS = pattern(/\+/g);
  const BLANK = pattern(/%20/g);
  const LEFT_PLAIN = pattern(/[!'()~]/g);
  const ESCAPES = { __proto__: null, "!": "%21", "'": "%27", "(": "%28", ")": "%29", "~": "%7E" };

  const hexValue = (code) => {
    if (code >= 48 && code < 58) return code - 48;
    const letter = code | 32;
    return letter >= 97 && letter < 103 ? letter - 87 : -1;
  };
  // The text with each escape of a percent sign read, also one that is no UTF-8.
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
    return decodeUtf8(subarray(bytes, 0, count));
  };
  const decodePart = (text) => decode(replace(PLUS, text, " "));
  const encodePart = (text) =>
    replace(LEFT_PLAIN, replace(BLANK, encodeURIComponent(text), "+"), (mark) => ESCAPES[mark]);

  const readQuery = (text) => {
    const pairs = [];
    for (let start = 0, end = 0; end < text.length; start = end + 1) {
      end = indexOf(text, "&", start);
      if (end < 0) end = text.length;
      const piece = slice(text, start, end);
      if (piece === "") continue;
      const equals = indexOf(piece, "=");
      const name = equals < 0 ? piece : slice(piece, 0, equals);
      push(pairs, [decodePart(name), equals < 0 ? "" : decodePart(slice(piece, equals + 1))]);
    }
    return pairs;
  };
  const writeQuery = (pairs) => {
    let text = "";
    for (let at = 0; at < pairs.length; at++) {
      text += (at ? "&" : "") + encodePart(pairs[at][0]) + "=" + encodePart(pairs[at][1]);
    }
    return text;
  };

  const fromIterable = (init) => {
    const pairs = [];
    for (const entry of init) {
      const pair = entry !== null && typeof entry === "object" ? [...entry] : [];
      if (pair.length !== 2) throw new TypeError("URLSearchParams needs pairs of a name and a value.");
      push(pairs, [toText(pair[0]), toText(pair[1])]);
    }
    return pairs;
  };
  const fromRecord = (init) => {
    const pairs = [];
    const keys = ownKeys(init);
    for (let at = 0; at < keys.length; at++) {
      if (typeof keys[at] === "symbol" || !getOwnPropertyDescriptor(init, keys[at]).enumerable) continue;
      push(pairs, [toText(keys[at]), toText(init[keys[at]])]);
    }
    return pairs;
  };

  let attach;
  let pairsOf;
  let setPairs;
  class URLSearchParams {
    #pairs = [];
    #changed = null; // tells the URL it belongs to
    static {
      pairsOf = (params) => params.#pairs;
      attach = (params, changed) => (params.#changed = changed);
      setPairs = (params, pairs) => (params.#pairs = pairs);
    }
    static is(value) {
      return value !== null && typeof value === "object" && #pairs in value;
    }
    constructor(init = "") {
      if (init !== null && (typeof init === "object" || typeof init === "function")) {
        this.#pairs = init[ITERATOR] != null ? fromIterable(init) : fromRecord(init);
      } else {
        const text = toText(init);
        this.#pairs = readQuery(text[0] === "?" ? slice(text, 1) : text);
      }
    }
    #tell() {
      if (this.#changed !== null) this.#changed(this.#pairs);
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      push(this.#pairs, [toText(name), toText(value)]);
      this.#tell();
    }
    delete(name, value) {
      const key = toText(name);
      const only = value === undefined ? undefined : toText(value);
      for (let at = this.#pairs.length - 1; at >= 0; at--) {
        const pair = this.#pairs[at];
        if (pair[0] === key && (only === undefined || pair[1] === only)) splice(this.#pairs, at, 1);
      }
      this.#tell();
    }
    get(name) {
      const key = toText(name);
      for (let at = 0; at < this.#pairs.length; at++) {
        if (this.#pairs[at][0] === key) return this.#pairs[at][1];
      }
      return null;
    }
    getAll(name) {
      const key = toText(name);
      const values = [];
      for (let at = 0; at < this.#pairs.length; at++) {
        if (this.#pairs[at][0] === key) push(values, this.#pairs[at][1]);
      }
      return values;
    }
    has(name, value) {
      const key = toText(name);
      const only = value === undefined ? undefined : toText(value);
      for (let at = 0; at < this.#pairs.length; at++) {
        const pair = this.#pairs[at];
        if (pair[0] === key && (only === undefined || pair[1] === only)) return true;
      }
      return false;
    }
    set(name, value) {
      const key = toText(name);
      const text = toText(value);
      let first = -1;
      for (let at = this.#pairs.length - 1; at >= 0; at--) {
        if (this.#pairs[at][0] !== key) continue;
        if (first >= 0) splice(this.#pairs, first, 1);
        first = at;
      }
      if (first < 0) push(this.#pairs, [key, text]);
      else this.#pairs[first][1] = text;
      this.#tell();
    }
    sort() {
      sort(this.#pairs, (one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0));
      this.#tell();
    }
    forEach(callback, self) {
      for (let at = 0; at < this.#pairs.length; at++) {
        kit.apply(callback, self, [this.#pairs[at][1], this.#pairs[at][0], this]);
      }
    }
    *entries() {
      for (let at = 0; at < this.#pairs.length; at++) yield [this.#pairs[at][0], this.#pairs[at][1]];
    }
    *keys() {
      for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][0];
    }
    *values() {
      for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][1];
    }
    toString() {
      return writeQuery(this.#pairs);
    }
  }
  kit.isParams = URLSearchParams.is;
  delete URLSearchParams.is;
  defineProperty(URLSearchParams.prototype, ITERATOR, {
    value: URLSearchParams.prototype.entries,
    writable: true,
    configurable: true,
  });
  offerClass(URLSearchParams, "URLSearchParams");
  kit.url = { __proto__: null, params: { __proto__: null, URLSearchParams, readQuery, writeQuery, pairsOf, setPairs, attach } };
})();
