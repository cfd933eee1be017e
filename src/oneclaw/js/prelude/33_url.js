// URL, read and changed by the worker process itself.
(() => {
  "use strict";
  const { TypeError } = globalThis;
  const { kit } = host;
  const { local, slice, toText, offerClass } = kit;
  const { URLSearchParams, readQuery, writeQuery, setPairs, attach } = kit.url.params;
  const HREF = 0;
  const SEARCH = 9;
  // The parts in the order in which the worker gives them.
  const NAMES = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

  // The parts of an address; null where it cannot be read.
  const partsOf = (text, base) => local("url", base === undefined ? [text] : [text, base]);
  const refuse = (text, base) => {
    const against = base === undefined ? "" : " against " + slice(base, 0, 200);
    throw new TypeError("Invalid URL: " + slice(text, 0, 200) + against);
  };

  class URL {
    #parts;
    #params = null;
    constructor(input, base) {
      if (arguments.length === 0) throw new TypeError("URL needs an address.");
      const text = toText(input);
      const from = base === undefined ? undefined : toText(base);
      this.#parts = partsOf(text, from) ?? refuse(text, from);
    }
    static canParse(input, base) {
      return partsOf(toText(input), base === undefined ? undefined : toText(base)) !== null;
    }
    static parse(input, base) {
      const text = toText(input);
      const from = base === undefined ? undefined : toText(base);
      return partsOf(text, from) === null ? null : new URL(text, from);
    }
    static part(url, at) {
      return url.#parts[at];
    }
    static change(url, name, value) {
      const text = toText(value);
      const parts = local("url.set", [url.#parts[HREF], name, text]);
      if (name === "href" && parts === null) refuse(text);
      url.#parts = parts ?? url.#parts;
      if (url.#params !== null) setPairs(url.#params, readQuery(slice(url.#parts[SEARCH], 1)));
    }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams(this.#parts[SEARCH]);
        attach(this.#params, (pairs) => (this.#parts = local("url.set", [this.#parts[HREF], "search", writeQuery(pairs)])));
      }
      return this.#params;
    }
    toString() {
      return this.#parts[HREF];
    }
    toJSON() {
      return this.#parts[HREF];
    }
    static is(value) {
      return value !== null && typeof value === "object" && #parts in value;
    }
  }
  const { part, change } = URL;
  for (let at = 0; at < NAMES.length; at++) {
    const name = NAMES[at];
    const accessor = {
      get: { [name]() { return part(this, at); } }[name],
      set: name === "origin" ? undefined : { [name](value) { change(this, name, value); } }[name],
      configurable: true,
    };
    kit.defineProperty(URL.prototype, name, accessor);
  }
  kit.isUrl = URL.is;
  kit.urlText = (url) => part(url, HREF);
  delete URL.is;
  delete URL.part;
  delete URL.change;
  offerClass(URL, "URL");
})();
