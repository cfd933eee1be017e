// fetch and Response: one request through the host's guard, its answer whole.
(() => {
  "use strict";
  const { Promise, Uint8Array, TypeError, RangeError, SyntaxError, String } = globalThis;
  const { kit } = host;
  const { call, bare, bytesOf, bytesFor, encodeUtf8, decodeUtf8, fromBase64, toBase64, bytesBuffer } = kit;
  const { charCodeAt, slice, toUpperCase, offer, offerClass, copyBuffer, bufferLength, apply, push, defineProperty } = kit;
  const { isUrl, urlText, isParams, url } = kit;
  const { Headers, listOf, fill } = kit.headers;
  const { pairsOf, writeQuery } = url.params;
  const { parse, stringify } = JSON;
  const { then } = Promise.prototype;
  const NO_BODY = { __proto__: null, 101: 1, 204: 1, 205: 1, 304: 1 };
  const REDIRECTS = { __proto__: null, follow: 1, manual: 1, error: 1 };

  // The text or the bytes to send, and the type they have where nobody says: [content, type].
  const contentOf = (body) => {
    if (body === undefined || body === null) return [null, null];
    if (isParams(body)) {
      return [encodeUtf8(writeQuery(pairsOf(body))), "application/x-www-form-urlencoded;charset=UTF-8"];
    }
    const bytes = bytesOf(body);
    return bytes === undefined ? [bytesFor(body), "text/plain;charset=UTF-8"] : [bytes, null];
  };

  const withoutMark = (text) => (charCodeAt(text, 0) === 0xfeff ? slice(text, 1) : text);
  const copyOf = (bytes) => {
    const copy = new Uint8Array(kit.byteLength(bytes));
    kit.put(copy, bytes);
    return copy;
  };

  let answered;
  class Response {
    #content; // text where the bytes are UTF-8, else the bytes; null where there is no body
    #isUsed = false;
    #status;
    #statusText;
    #headers;
    #url = "";
    #isRedirected = false;
    #type = "default";
    static {
      answered = (answer) => {
        const made = new Response(null, undefined);
        made.#status = answer.status;
        made.#statusText = answer.statusText;
        fill(made.#headers, answer.headers);
        made.#url = answer.url;
        made.#isRedirected = answer.redirected;
        made.#type = "basic";
        made.#content = answer.body === null ? answer.text : fromBase64(answer.body);
        return made;
      };
    }
    constructor(body = null, init = undefined) {
      const status = init?.status === undefined ? 200 : +init.status;
      if (!(status >= 200 && status <= 599)) throw new RangeError("The status of a Response is from 200 to 599.");
      const content = contentOf(body);
      if (content[0] !== null && status in NO_BODY) throw new TypeError("A Response of status " + status + " has no body.");
      this.#status = status;
      this.#statusText = init?.statusText === undefined ? "" : String(init.statusText);
      this.#headers = new Headers(init?.headers);
      this.#content = content[0] === null ? null : copyOf(content[0]);
      if (content[1] !== null && !hasType(listOf(this.#headers))) fill(this.#headers, [["content-type", content[1]]]);
    }
    static json(data, init = undefined) {
      const made = new Response(stringify(data), init);
      if (!hasType(listOf(new Headers(init?.headers)))) {
        made.#headers = fill(new Headers(init?.headers), [["content-type", "application/json"]]);
      }
      return made;
    }
    get status() {
      return this.#status;
    }
    get statusText() {
      return this.#statusText;
    }
    get ok() {
      return this.#status >= 200 && this.#status < 300;
    }
    get headers() {
      return this.#headers;
    }
    get url() {
      return this.#url;
    }
    get redirected() {
      return this.#isRedirected;
    }
    get type() {
      return this.#type;
    }
    get bodyUsed() {
      return this.#isUsed;
    }
    #take() {
      if (this.#isUsed) throw new TypeError("The body of this Response has been read already; clone() it first.");
      this.#isUsed = this.#content !== null;
      return this.#content;
    }
    #text() {
      const content = this.#take();
      if (content === null) return "";
      return withoutMark(typeof content === "string" ? content : decodeUtf8(content));
    }
    #bytes() {
      const content = this.#take();
      if (content === null) return new Uint8Array(0);
      return typeof content === "string" ? encodeUtf8(content) : copyOf(content);
    }
    async text() {
      return this.#text();
    }
    async json() {
      const text = this.#text();
      try {
        return parse(text);
      } catch (error) {
        throw new SyntaxError("The body is not JSON (" + error.message + "); it begins with: " + slice(text, 0, 60));
      }
    }
    async arrayBuffer() {
      return bytesBuffer(this.#bytes());
    }
    async bytes() {
      return this.#bytes();
    }
    clone() {
      if (this.#isUsed) throw new TypeError("A Response whose body has been read cannot be cloned.");
      const made = new Response(null, undefined);
      made.#content = this.#content;
      made.#status = this.#status;
      made.#statusText = this.#statusText;
      fill(made.#headers, listOf(this.#headers));
      made.#url = this.#url;
      made.#isRedirected = this.#isRedirected;
      made.#type = this.#type;
      return made;
    }
  }
  const hasType = (list) => {
    for (let at = 0; at < list.length; at++) if (list[at][0] === "content-type") return true;
    return false;
  };

  const request = (input, init) => {
    const method = init?.method === undefined ? "GET" : toUpperCase(String(init.method));
    const redirect = init?.redirect === undefined ? "follow" : String(init.redirect);
    if (!(redirect in REDIRECTS)) throw new TypeError("fetch cannot treat redirects as " + redirect + "; use follow, manual or error.");
    const content = contentOf(init?.body);
    if (content[0] !== null && (method === "GET" || method === "HEAD")) {
      throw new TypeError("A request with the method " + method + " cannot have a body.");
    }
    const headers = new Headers(init?.headers);
    if (content[1] !== null && !hasType(listOf(headers))) fill(headers, [["content-type", content[1]]]);
    const pairs = bare([]);
    const list = listOf(headers);
    for (let at = 0; at < list.length; at++) push(pairs, bare([list[at][0], list[at][1]]));
    const address = isUrl(input) ? urlText(input) : String(input);
    const body = content[0] === null ? null : toBase64(content[0]);
    return [address, { __proto__: null, method, headers: pairs, body, redirect }];
  };

  offer("fetch", function fetch(input, init = undefined) {
    let asked;
    try {
      if (arguments.length === 0) throw new TypeError("fetch needs an address.");
      asked = request(input, init);
    } catch (error) {
      return new Promise((_, reject) => reject(error));
    }
    // Without a constructor of its own `then` makes a promise of the language, not one of the tool.
    const waits = defineProperty(call("fetch", asked), "constructor", { __proto__: null, value: undefined });
    return apply(then, waits, [answered]);
  });
  offerClass(Response, "Response");
})();
