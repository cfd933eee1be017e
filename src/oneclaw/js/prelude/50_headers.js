// Headers, as the Fetch standard has them, without the guards of browsers: the host refuses what it must.
(() => {
  "use strict";
  const { TypeError, String } = globalThis;
  const { kit } = host;
  const { pattern, test, replace, toLowerCase, push, splice, sort, join, ownKeys } = kit;
  const { getOwnPropertyDescriptor, defineProperty, offerClass } = kit;
  const ITERATOR = Symbol.iterator;
  const NAME = pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
  const BAD_VALUE = pattern(/[\0\r\n]|[^\x00-\xff]/);
  const ENDS = pattern(/^[\t ]+|[\t ]+$/g); // browsers take line ends off as well: here they are refused

  const nameOf = (name) => {
    const text = String(name);
    if (!test(NAME, text)) throw new TypeError("A header cannot have the name " + kit.slice(text, 0, 60) + ".");
    return toLowerCase(text);
  };
  const valueOf = (name, value) => {
    const text = replace(ENDS, String(value), "");
    if (test(BAD_VALUE, text)) throw new TypeError("The header " + name + " cannot have a value with line ends or such letters.");
    return text;
  };

  let listOf;
  let fill;
  class Headers {
    #list = []; // pairs in the order they came, names in lower case
    static {
      listOf = (headers) => headers.#list;
      fill = (headers, pairs) => {
        for (let at = 0; at < pairs.length; at++) push(headers.#list, [toLowerCase(pairs[at][0]), pairs[at][1]]);
        return headers;
      };
    }
    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object") throw new TypeError("Headers are made from an object or from pairs.");
      if (#list in init) fill(this, init.#list);
      else if (init[ITERATOR] != null) {
        for (const entry of init) {
          const pair = [...entry];
          if (pair.length !== 2) throw new TypeError("Headers need pairs of a name and a value.");
          this.#add(pair[0], pair[1]);
        }
      } else {
        const keys = ownKeys(init);
        for (let at = 0; at < keys.length; at++) {
          if (getOwnPropertyDescriptor(init, keys[at]).enumerable) this.#add(keys[at], init[keys[at]]);
        }
      }
    }
    #add(name, value) {
      const key = nameOf(name);
      push(this.#list, [key, valueOf(key, value)]);
    }
    #joined(key) {
      const values = [];
      for (let at = 0; at < this.#list.length; at++) {
        if (this.#list[at][0] === key) push(values, this.#list[at][1]);
      }
      return values.length ? join(values, ", ") : null;
    }
    // Sorted by name, values of one name together; each cookie for itself.
    #sorted() {
      const pairs = [];
      for (let at = 0; at < this.#list.length; at++) {
        const key = this.#list[at][0];
        let isKnown = false;
        for (let before = 0; before < at && key !== "set-cookie"; before++) isKnown ||= this.#list[before][0] === key;
        if (!isKnown) push(pairs, [key, key === "set-cookie" ? this.#list[at][1] : this.#joined(key)]);
      }
      return sort(pairs, (one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0));
    }
    append(name, value) {
      this.#add(name, value);
    }
    #remove(key) {
      for (let at = this.#list.length - 1; at >= 0; at--) {
        if (this.#list[at][0] === key) splice(this.#list, at, 1);
      }
    }
    delete(name) {
      this.#remove(nameOf(name));
    }
    get(name) {
      return this.#joined(nameOf(name));
    }
    getSetCookie() {
      const values = [];
      for (let at = 0; at < this.#list.length; at++) {
        if (this.#list[at][0] === "set-cookie") push(values, this.#list[at][1]);
      }
      return values;
    }
    has(name) {
      return this.#joined(nameOf(name)) !== null;
    }
    set(name, value) {
      const key = nameOf(name);
      const text = valueOf(key, value);
      this.#remove(key);
      push(this.#list, [key, text]);
    }
    forEach(callback, self) {
      const pairs = this.#sorted();
      for (let at = 0; at < pairs.length; at++) kit.apply(callback, self, [pairs[at][1], pairs[at][0], this]);
    }
    *entries() {
      const pairs = this.#sorted();
      for (let at = 0; at < pairs.length; at++) yield pairs[at];
    }
    *keys() {
      const pairs = this.#sorted();
      for (let at = 0; at < pairs.length; at++) yield pairs[at][0];
    }
    *values() {
      const pairs = this.#sorted();
      for (let at = 0; at < pairs.length; at++) yield pairs[at][1];
    }
  }
  defineProperty(Headers.prototype, ITERATOR, {
    value: Headers.prototype.entries,
    writable: true,
    configurable: true,
  });
  offerClass(Headers, "Headers");
  kit.headers = { __proto__: null, Headers, listOf, fill };
})();
