// URL, as the URL standard has it.
(() => {
  "use strict";
  const { TypeError, String } = globalThis;
  const { kit } = host;
  const { pattern, test, replace, slice, indexOf, toLowerCase, toText, offerClass } = kit;
  const { parse, write, encode, readHost } = kit.url;
  const { USERINFO, FRAGMENT } = kit.url.sets;
  const { hostText, pathText, isSpecial, readPort, portColon, find, encodeQuery, parsePath } = kit.url.parts;
  const { BREAKS, HOST_END, SPECIAL_HOST_END, PORTS } = kit.url.parts;
  const { URLSearchParams, readQuery, writeQuery, pairsOf, setPairs, attach } = kit.url.params;
  const exec = kit.free(RegExp.prototype.exec);

  const NEW_SCHEME = pattern(/^([a-z][a-z0-9+.-]*)(?::|$)/i);
  const LEADING_DIGITS = pattern(/^[0-9]+/);
  const ORIGINS = { __proto__: null, "http:": 1, "https:": 1, "ws:": 1, "wss:": 1, "ftp:": 1 };

  const originOf = (url) => {
    if (url.scheme in ORIGINS) return url.scheme + "//" + hostText(url);
    if (url.scheme !== "blob:" || typeof url.path !== "string") return "null";
    const inner = parse(url.path, undefined);
    return inner !== undefined && (inner.scheme === "http:" || inner.scheme === "https:") ? originOf(inner) : "null";
  };
  const hasNoUser = (url) => url.host === null || url.host === "" || url.scheme === "file:";
  const isOpaque = (url) => typeof url.path === "string";

  const setScheme = (url, text) => {
    const found = exec(NEW_SCHEME, text);
    if (found === null) return;
    const scheme = toLowerCase(found[1]) + ":";
    if (scheme in PORTS !== isSpecial(url)) return;
    if (scheme === "file:" && (url.username !== "" || url.password !== "" || url.port !== null)) return;
    if (url.scheme === "file:" && url.host === "") return;
    url.scheme = scheme;
    if (url.port === PORTS[scheme]) url.port = null;
  };
  const setHost = (url, text, takesPort) => {
    if (isOpaque(url)) return;
    const special = isSpecial(url);
    const authority = slice(text, 0, find(special ? SPECIAL_HOST_END : HOST_END, text, 0));
    const colon = portColon(authority);
    if (colon >= 0 && !takesPort) return;
    const name = colon < 0 ? authority : slice(authority, 0, colon);
    if (name === "") {
      const hasMore = url.username !== "" || url.password !== "" || url.port !== null;
      if (colon >= 0 || (special && url.scheme !== "file:") || hasMore) return;
      url.host = "";
      return;
    }
    const read = readHost(name, special);
    if (read === undefined) return;
    url.host = url.scheme === "file:" && read === "localhost" ? "" : read;
    if (colon >= 0 && url.scheme !== "file:") setPort(url, slice(authority, colon + 1));
  };
  const setPort = (url, text) => {
    const digits = exec(LEADING_DIGITS, text);
    if (digits !== null) readPort(url, digits[0]);
  };
  const parseWith = (input, base) => {
    let from;
    if (base !== undefined) {
      from = parse(toText(base), undefined);
      if (from === undefined) return undefined;
    }
    return parse(toText(input), from);
  };

  let make;
  class URL {
    #url;
    #params = null;
    static {
      make = (url) => {
        const made = new URL("a:");
        made.#url = url;
        return made;
      };
    }
    constructor(input, base) {
      if (arguments.length === 0) throw new TypeError("URL needs an address.");
      const url = parseWith(input, base);
      if (url === undefined) {
        const shown = slice(toText(input), 0, 200);
        const against = base === undefined ? "" : " against " + slice(toText(base), 0, 200);
        throw new TypeError("Invalid URL: " + shown + against);
      }
      this.#url = url;
    }
    static canParse(input, base) {
      return parseWith(input, base) !== undefined;
    }
    static parse(input, base) {
      const url = parseWith(input, base);
      return url === undefined ? null : make(url);
    }
    #renew() {
      if (this.#params !== null) setPairs(this.#params, readQuery(this.#url.query ?? ""));
    }
    get href() {
      return write(this.#url);
    }
    set href(value) {
      const url = parse(toText(value), undefined);
      if (url === undefined) throw new TypeError("Invalid URL: " + slice(toText(value), 0, 200));
      this.#url = url;
      this.#renew();
    }
    get origin() {
      return originOf(this.#url);
    }
    get protocol() {
      return this.#url.scheme;
    }
    set protocol(value) {
      setScheme(this.#url, replace(BREAKS, toText(value), ""));
    }
    get username() {
      return this.#url.username;
    }
    set username(value) {
      const text = toText(value);
      if (!hasNoUser(this.#url)) this.#url.username = encode(text, USERINFO);
    }
    get password() {
      return this.#url.password;
    }
    set password(value) {
      const text = toText(value);
      if (!hasNoUser(this.#url)) this.#url.password = encode(text, USERINFO);
    }
    get host() {
      return hostText(this.#url);
    }
    set host(value) {
      setHost(this.#url, replace(BREAKS, toText(value), ""), true);
    }
    get hostname() {
      return this.#url.host ?? "";
    }
    set hostname(value) {
      setHost(this.#url, replace(BREAKS, toText(value), ""), false);
    }
    get port() {
      return this.#url.port === null ? "" : String(this.#url.port);
    }
    set port(value) {
      const text = replace(BREAKS, toText(value), "");
      if (hasNoUser(this.#url)) return;
      if (text === "") this.#url.port = null;
      else setPort(this.#url, text);
    }
    get pathname() {
      return pathText(this.#url);
    }
    set pathname(value) {
      const url = this.#url;
      const text = replace(BREAKS, toText(value), "");
      if (isOpaque(url)) return;
      url.path = [];
      const isRooted = text[0] === "/" || (text[0] === "\\" && isSpecial(url));
      if (text !== "" || isSpecial(url)) parsePath(url, text, isRooted ? 1 : 0, true);
    }
    get search() {
      const { query } = this.#url;
      return query === null || query === "" ? "" : "?" + query;
    }
    set search(value) {
      const text = replace(BREAKS, toText(value), "");
      this.#url.query = text === "" ? null : encodeQuery(this.#url, text[0] === "?" ? slice(text, 1) : text);
      this.#renew();
    }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams();
        this.#renew();
        attach(this.#params, (pairs) => (this.#url.query = pairs.length ? writeQuery(pairs) : null));
      }
      return this.#params;
    }
    get hash() {
      const { fragment } = this.#url;
      return fragment === null || fragment === "" ? "" : "#" + fragment;
    }
    set hash(value) {
      const text = replace(BREAKS, toText(value), "");
      this.#url.fragment = text === "" ? null : encode(text[0] === "#" ? slice(text, 1) : text, FRAGMENT);
    }
    toString() {
      return write(this.#url);
    }
    toJSON() {
      return write(this.#url);
    }
    static is(value) {
      return value !== null && typeof value === "object" && #url in value;
    }
    static textOf(url) {
      return write(url.#url);
    }
  }
  kit.isUrl = URL.is;
  kit.urlText = URL.textOf;
  delete URL.is;
  delete URL.textOf;
  offerClass(URL, "URL");
})();
