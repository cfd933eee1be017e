// An address taken apart and put together again: the parser of the URL standard, part by part.
(() => {
  "use strict";
  const { kit } = host;
  const { pattern, test, replace, slice, indexOf, lastIndexOf, charCodeAt, toLowerCase, push, pop, join } = kit;
  const { encode, readHost } = kit.url;
  const { CONTROL, FRAGMENT, QUERY, SPECIAL_QUERY, PATH, USERINFO } = kit.url.sets;
  const exec = kit.free(RegExp.prototype.exec);
  const copy = kit.free(Array.prototype.slice);

  const PORTS = { __proto__: null, "http:": 80, "https:": 443, "ws:": 80, "wss:": 443, "ftp:": 21, "file:": null };
  const ENDS = pattern(/^[\x00-\x20]+|[\x00-\x20]+$/g);
  const BREAKS = pattern(/[\t\n\r]/g);
  const SCHEME = pattern(/^[a-z][a-z0-9+.-]*:/i);
  const DRIVE = pattern(/^[a-z][:|]$/i);
  const PLAIN_DRIVE = pattern(/^[a-z]:$/i);
  const DRIVE_AHEAD = pattern(/^[a-z][:|](?:$|[\/\\?#])/i);
  const ONE_DOT = pattern(/^(?:\.|%2e)$/i);
  const TWO_DOTS = pattern(/^(?:\.|%2e){2}$/i);
  const DIGITS = pattern(/^[0-9]+$/);
  const HOST_END = pattern(/[\/?#]/g);
  const SPECIAL_HOST_END = pattern(/[\/?#\\]/g);

  const isSpecial = (url) => url.scheme in PORTS;
  const isSlash = (url, code) => code === 47 || (code === 92 && isSpecial(url));
  const makeUrl = () => ({
    __proto__: null,
    scheme: "",
    username: "",
    password: "",
    host: null,
    port: null,
    path: [],
    query: null,
    fragment: null,
  });

  const strip = (text) => replace(BREAKS, replace(ENDS, text, ""), "");

  // Undefined where the text is no address.
  const parse = (input, base) => {
    const text = strip(input);
    const url = makeUrl();
    const scheme = exec(SCHEME, text);
    if (scheme === null) return parseRelative(url, text, base);
    url.scheme = toLowerCase(scheme[0]);
    const rest = slice(text, scheme[0].length);
    if (url.scheme === "file:") return parseFile(url, rest, base);
    if (isSpecial(url)) {
      const isSame = base !== undefined && base.scheme === url.scheme;
      if (isSame && !(rest[0] === "/" && rest[1] === "/")) return parseBelow(url, rest, base);
      return parseAuthority(url, rest, skipSlashes(rest, 0));
    }
    if (rest[0] === "/") return rest[1] === "/" ? parseAuthority(url, rest, 2) : parsePath(url, rest, 1);
    return parseOpaque(url, rest);
  };

  const skipSlashes = (text, at) => {
    while (text[at] === "/" || text[at] === "\\") at++;
    return at;
  };

  const parseRelative = (url, text, base) => {
    if (base === undefined) return undefined;
    if (typeof base.path === "string") {
      if (text[0] !== "#") return undefined;
      url.scheme = base.scheme;
      url.path = base.path;
      url.query = base.query;
      url.fragment = encode(slice(text, 1), FRAGMENT);
      return url;
    }
    url.scheme = base.scheme;
    return base.scheme === "file:" ? parseFile(url, text, base) : parseBelow(url, text, base);
  };

  // What is relative to an address of the same scheme.
  const parseBelow = (url, text, base) => {
    url.scheme = base.scheme;
    if (isSlash(url, charCodeAt(text, 0))) {
      if (isSpecial(url) && isSlash(url, charCodeAt(text, 1))) {
        return parseAuthority(url, text, skipSlashes(text, 2));
      }
      if (text[1] === "/") return parseAuthority(url, text, 2);
      takeAuthority(url, base);
      return parsePath(url, text, 1);
    }
    takeAuthority(url, base);
    return continuePath(url, text, base);
  };
  const takeAuthority = (url, base) => {
    url.username = base.username;
    url.password = base.password;
    url.host = base.host;
    url.port = base.port;
  };
  const continuePath = (url, text, base) => {
    url.path = copy(base.path);
    url.query = base.query;
    if (text === "") return url;
    if (text[0] === "?" || text[0] === "#") return parseTail(url, text, 0);
    url.query = null;
    shorten(url);
    return parsePath(url, text, 0);
  };

  const parseFile = (url, text, base) => {
    url.host = "";
    const hasBase = base !== undefined && base.scheme === "file:";
    if (!isSlash(url, charCodeAt(text, 0))) {
      if (!hasBase) return parsePath(url, text, 0);
      url.host = base.host;
      if (test(DRIVE_AHEAD, text)) return parsePath(url, text, 0);
      return continuePath(url, text, base);
    }
    if (isSlash(url, charCodeAt(text, 1))) return parseFileHost(url, text, 2);
    if (hasBase) {
      url.host = base.host;
      if (!test(DRIVE_AHEAD, slice(text, 1)) && base.path.length && test(PLAIN_DRIVE, base.path[0])) {
        push(url.path, base.path[0]);
      }
    }
    return parsePath(url, text, 1);
  };
  const parseFileHost = (url, text, start) => {
    const end = find(SPECIAL_HOST_END, text, start);
    const name = slice(text, start, end);
    if (test(DRIVE, name)) return parsePath(url, text, start);
    if (name !== "") {
      const read = readHost(name, true);
      if (read === undefined) return undefined;
      url.host = read === "localhost" ? "" : read;
    }
    return startPath(url, text, end);
  };

  const find = (mark, text, start) => {
    mark.lastIndex = start;
    const found = exec(mark, text);
    return found === null ? text.length : found.index;
  };

  const parseAuthority = (url, text, start) => {
    const end = find(isSpecial(url) ? SPECIAL_HOST_END : HOST_END, text, start);
    const authority = slice(text, start, end);
    const at = lastIndexOf(authority, "@");
    if (at >= 0) {
      if (at === authority.length - 1) return undefined;
      const colon = indexOf(slice(authority, 0, at), ":");
      url.username = encode(slice(authority, 0, colon < 0 ? at : colon), USERINFO);
      url.password = colon < 0 ? "" : encode(slice(authority, colon + 1, at), USERINFO);
    }
    return readAuthority(url, slice(authority, at + 1)) ? startPath(url, text, end) : undefined;
  };

  // The colon before the port: the first one outside brackets, -1 where there is none.
  const portColon = (text) => {
    let isInside = false;
    for (let at = 0; at < text.length; at++) {
      if (text[at] === "[") isInside = true;
      else if (text[at] === "]") isInside = false;
      else if (text[at] === ":" && !isInside) return at;
    }
    return -1;
  };
  const readAuthority = (url, text) => {
    const colon = portColon(text);
    const name = colon < 0 ? text : slice(text, 0, colon);
    if (name === "" && (colon >= 0 || isSpecial(url))) return false;
    const read = readHost(name, isSpecial(url));
    if (read === undefined) return false;
    url.host = read;
    return colon < 0 || readPort(url, slice(text, colon + 1));
  };
  const readPort = (url, digits) => {
    if (digits === "") return true;
    const port = test(DIGITS, digits) ? +digits : 65536;
    if (port > 65535) return false;
    url.port = port === PORTS[url.scheme] ? null : port;
    return true;
  };

  const startPath = (url, text, at) => {
    const code = charCodeAt(text, at);
    if (isSpecial(url)) return parsePath(url, text, isSlash(url, code) ? at + 1 : at);
    if (at === text.length) return url;
    if (code === 63 || code === 35) return parseTail(url, text, at);
    return parsePath(url, text, code === 47 ? at + 1 : at);
  };

  // `isWhole` is true where the text is nothing but a path, in which ? and # mean themselves.
  const parsePath = (url, text, at, isWhole = false) => {
    const marks = isSpecial(url) ? SPECIAL_HOST_END : HOST_END;
    for (;;) {
      let end = find(marks, text, at);
      while (isWhole && (text[end] === "?" || text[end] === "#")) end = find(marks, text, end + 1);
      let segment = encode(slice(text, at, end), PATH);
      const goesOn = isSlash(url, charCodeAt(text, end));
      if (test(TWO_DOTS, segment)) {
        shorten(url);
        if (!goesOn) push(url.path, "");
      } else if (test(ONE_DOT, segment)) {
        if (!goesOn) push(url.path, "");
      } else {
        if (url.scheme === "file:" && url.path.length === 0 && test(DRIVE, segment)) segment = segment[0] + ":";
        push(url.path, segment);
      }
      if (!goesOn) return end < text.length ? parseTail(url, text, end) : url;
      at = end + 1;
    }
  };
  const shorten = (url) => {
    const { path } = url;
    if (url.scheme === "file:" && path.length === 1 && test(PLAIN_DRIVE, path[0])) return;
    pop(path);
  };

  const TAIL = pattern(/[?#]/g);
  const LAST_BLANK = pattern(/ $/);
  const parseOpaque = (url, text) => {
    const end = find(TAIL, text, 0);
    const path = encode(slice(text, 0, end), CONTROL);
    url.path = end < text.length ? replace(LAST_BLANK, path, "%20") : path;
    return end < text.length ? parseTail(url, text, end) : url;
  };
  const parseTail = (url, text, at) => {
    const hash = indexOf(text, "#", at);
    const end = hash < 0 ? text.length : hash;
    if (text[at] === "?") url.query = encodeQuery(url, slice(text, at + 1, end));
    if (hash >= 0) url.fragment = encode(slice(text, hash + 1), FRAGMENT);
    return url;
  };
  const encodeQuery = (url, text) => encode(text, isSpecial(url) ? SPECIAL_QUERY : QUERY);

  const hostText = (url) => {
    if (url.host === null) return "";
    return url.port === null ? url.host : url.host + ":" + url.port;
  };
  const pathText = (url) => {
    if (typeof url.path === "string") return url.path;
    return url.path.length ? "/" + join(url.path, "/") : "";
  };
  const write = (url) => {
    let text = url.scheme;
    if (url.host !== null) {
      text += "//";
      if (url.username !== "" || url.password !== "") {
        text += url.username + (url.password === "" ? "" : ":" + url.password) + "@";
      }
      text += hostText(url);
    } else if (typeof url.path !== "string" && url.path.length > 1 && url.path[0] === "") text += "/.";
    text += pathText(url);
    if (url.query !== null) text += "?" + url.query;
    return url.fragment === null ? text : text + "#" + url.fragment;
  };

  const parts = { hostText, pathText, isSpecial, readAuthority, readPort, portColon, find, encodeQuery };
  kit.url.parse = parse;
  kit.url.write = write;
  kit.url.parts = { __proto__: null, ...parts, parsePath, BREAKS, HOST_END, SPECIAL_HOST_END, PORTS };
})();
