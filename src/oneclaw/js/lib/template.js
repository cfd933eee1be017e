// lib.template: text with places for values, as "Dear {{name}}".
host.addLibrary("template", (() => {
  "use strict";
  const HTML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const ESCAPES = {
    __proto__: null,
    none: (text) => text,
    html: (text) => text.replace(/[&<>"']/g, (mark) => HTML[mark]),
    url: (text) => encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    json: (text) => JSON.stringify(text).slice(1, -1),
    csv: (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
    shell: (text) => `'${text.replaceAll("'", "'\\''")}'`,
    regex: (text) => text.replace(/[\\^$.*+?()[\]{}|\/-]/g, "\\$&"),
    markdown: (text) => text.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, "\\$&"),
  };
  const TAG = /\{\{\{\s*([^{}]*?)\s*\}\}\}|\{\{\s*([#^/!&]?)\s*([^{}]*?)\s*\}\}/g;

  // Only what belongs to the data itself: never a prototype.
  const find = (scopes, path) => {
    if (path === ".") return scopes.at(-1);
    const [first, ...rest] = path.split(".");
    for (let at = scopes.length - 1; at >= 0; at--) {
      const scope = scopes[at];
      if (scope !== null && typeof scope === "object" && Object.hasOwn(scope, first)) {
        return rest.reduce(
          (value, key) => (value !== null && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined),
          scope[first],
        );
      }
    }
    return undefined;
  };
  const isFalse = (value) => !value || (Array.isArray(value) && value.length === 0);
  const textOf = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : String(value));

  const parse = (template) => {
    const root = { parts: [] };
    const open = [root];
    let at = 0;
    for (const found of template.matchAll(TAG)) {
      open.at(-1).parts.push(template.slice(at, found.index));
      at = found.index + found[0].length;
      const [, raw, sign, name] = found;
      if (raw !== undefined || sign === "" || sign === "&") {
        const isRaw = raw !== undefined || sign === "&";
        open.at(-1).parts.push({ name: raw ?? name, isRaw });
      } else if (sign === "#" || sign === "^") {
        const section = { section: name, isInverted: sign === "^", parts: [] };
        open.at(-1).parts.push(section);
        open.push(section);
      } else if (sign === "/") {
        if (open.length === 1 || open.at(-1).section !== name) throw new SyntaxError(`The template closes {{/${name}}} where it is not open.`);
        open.pop();
      }
    }
    if (open.length > 1) throw new SyntaxError(`The template never closes {{#${open.at(-1).section}}}.`);
    root.parts.push(template.slice(at));
    return root.parts;
  };

  const write = (parts, scopes, options, missing) =>
    parts.map((part) => writePart(part, scopes, options, missing)).join("");
  const writePart = (part, scopes, options, missing) => {
    if (typeof part === "string") return part;
    if (part.section !== undefined) {
      const value = find(scopes, part.section);
      if (part.isInverted) return isFalse(value) ? write(part.parts, scopes, options, missing) : "";
      if (isFalse(value)) return "";
      const items = Array.isArray(value) ? value : [value];
      return items.map((item) => write(part.parts, [...scopes, item], options, missing)).join("");
    }
    const value = find(scopes, part.name);
    if (value === undefined || value === null) {
      if (value === undefined) missing.add(part.name);
      return options.missing === "keep" && value === undefined ? `{{${part.name}}}` : "";
    }
    return part.isRaw ? textOf(value) : options.escape(textOf(value));
  };

  // {{name}} and {{a.b}} are escaped as `escape` says (none, html, url, json, csv, shell, regex, markdown, or
  // a function); {{{name}}} never is. {{#list}}…{{/list}} repeats or asks, {{^list}}…{{/list}} where there is
  // nothing, {{.}} is the item, {{! remark}}. A name without a value is an error, or with `missing` "empty" or
  // "keep" left out or left standing.
  const render = (template, data = {}, options = {}) => {
    const escape = typeof options?.escape === "function" ? options.escape : ESCAPES[options?.escape ?? "none"];
    if (escape === undefined) {
      throw new RangeError(`A template cannot be escaped as ${options.escape}; use one of: ${Object.keys(ESCAPES).join(", ")}.`);
    }
    const missing = new Set();
    const settings = { escape, missing: options?.missing ?? "error" };
    const text = write(parse(String(template)), [data], settings, missing);
    if (settings.missing === "error" && missing.size) {
      throw new ReferenceError(`The template has no value for: ${[...missing].join(", ")}.`);
    }
    return text;
  };

  const names = (template) => {
    const found = new Set();
    const collect = (parts) => {
      for (const part of parts) {
        if (typeof part === "string") continue;
        found.add(part.section ?? part.name);
        if (part.section !== undefined) collect(part.parts);
      }
    };
    collect(parse(String(template)));
    return [...found];
  };

  const escape = (text, as) => {
    if (ESCAPES[as] === undefined) throw new RangeError(`lib.template.escape knows: ${Object.keys(ESCAPES).join(", ")}.`);
    return ESCAPES[as](String(text));
  };

  return { render, names, escape };
})());
