// lib.jsonpath: the values of a JSON document that a path names, as RFC 9535 writes paths.
//
// Names, wildcards, indexes, slices, `..`, and filters with ==, !=, <, <=, >, >=, &&, ||, !, length() and count().
host.addLibrary("jsonpath", (() => {
  "use strict";
  const MOST_VALUES = 1_000_000;

  function select(document, steps) {
    let values = [document];
    for (const step of steps) {
      const next = [];
      for (const value of values) {
        const places = step.deep ? [...descendants(value)] : [value];
        for (const place of places) for (const chosen of step.selectors) pick(place, chosen, document, next);
        if (next.length > MOST_VALUES) throw new Error("The query finds more than a million values; ask for less.");
      }
      values = next;
    }
    return values;
  }

  function* descendants(value) {
    yield value;
    if (value !== null && typeof value === "object") for (const child of Object.values(value)) yield* descendants(child);
  }

  function pick(value, chosen, root, out) {
    const isList = Array.isArray(value);
    if (chosen.kind === "all") {
      if (value !== null && typeof value === "object") for (const child of Object.values(value)) out.push(child);
    } else if (chosen.kind === "name") {
      if (!isList && value !== null && typeof value === "object" && Object.hasOwn(value, chosen.name)) out.push(value[chosen.name]);
    } else if (chosen.kind === "index") {
      const at = chosen.index < 0 ? value?.length + chosen.index : chosen.index;
      if (isList && at >= 0 && at < value.length) out.push(value[at]);
    } else if (chosen.kind === "slice") {
      if (isList) for (const at of sliced(chosen, value.length)) out.push(value[at]);
    } else if (value !== null && typeof value === "object") {
      for (const child of Object.values(value)) if (holds(chosen.test, child, root)) out.push(child);
    }
  }

  function* sliced({ start, end, step }, length) {
    if (step === 0) return;
    const place = (at) => (at < 0 ? length + at : at);
    const clamp = (at, low, high) => Math.min(Math.max(at, low), high);
    if (step > 0) {
      const last = clamp(place(end ?? length), 0, length);
      for (let at = clamp(place(start ?? 0), 0, length); at < last; at += step) yield at;
    } else {
      const last = clamp(place(end ?? -length - 1), -1, length - 1);
      for (let at = clamp(place(start ?? length - 1), -1, length - 1); at > last; at += step) yield at;
    }
  }

  function holds(test, value, root) {
    switch (test.kind) {
      case "or":
        return test.parts.some((part) => holds(part, value, root));
      case "and":
        return test.parts.every((part) => holds(part, value, root));
      case "not":
        return !holds(test.part, value, root);
      case "exists":
        return select(test.isRoot ? root : value, test.steps).length > 0;
      default: {
        const left = operand(test.left, value, root);
        const right = operand(test.right, value, root);
        return relation(test.sign, left, right);
      }
    }
  }

  const NOTHING = Symbol("nothing");

  function operand(side, value, root) {
    if (side.kind === "literal") return side.value;
    const found = select(side.isRoot ? root : value, side.steps);
    if (side.measure === "length") {
      const one = found.length === 1 ? found[0] : undefined;
      if (typeof one === "string") return [...one].length;
      return one !== null && typeof one === "object" ? Object.keys(one).length : NOTHING;
    }
    if (side.measure === "count") return found.length;
    return found.length === 1 ? found[0] : NOTHING;
  }

  function relation(sign, left, right) {
    const isSame = left === right || (left !== NOTHING && right !== NOTHING && JSON.stringify(left) === JSON.stringify(right));
    if (sign === "==") return isSame;
    if (sign === "!=") return !isSame;
    if (sign === "<=" && isSame) return true;
    if (sign === ">=" && isSame) return true;
    if (typeof left !== typeof right || (typeof left !== "number" && typeof left !== "string")) return false;
    return sign[0] === "<" ? left < right : left > right;
  }

  function parsePath(query) {
    const reader = { text: query, at: 0 };
    skip(reader);
    if (reader.text[reader.at] === "$") reader.at++;
    else if (/^[A-Za-z_\u0080-\uffff]/.test(query)) reader.text = "." + query.trim(); // a bare name is meant from the root
    const steps = readSteps(reader);
    skip(reader);
    if (reader.at < reader.text.length) complain(reader, "the query should end here");
    return steps;
  }

  function complain(reader, what) {
    throw new Error(`The query is not understood at character ${reader.at + 1}: ${what}. Example: $.items[?(@.price < 10)].name`);
  }

  function skip(reader) {
    while (/\s/.test(reader.text[reader.at] ?? "")) reader.at++;
  }

  function take(reader, pattern) {
    pattern.lastIndex = reader.at;
    const found = pattern.exec(reader.text);
    if (found === null || found.index !== reader.at) return undefined;
    reader.at += found[0].length;
    return found[0];
  }

  function readSteps(reader) {
    const steps = [];
    for (;;) {
      const start = reader.at;
      skip(reader);
      const deep = reader.text.startsWith("..", reader.at);
      if (deep) reader.at += 2;
      const isDot = !deep && reader.text[reader.at] === ".";
      if (isDot) reader.at++;
      if (reader.text[reader.at] === "[" && !isDot) {
        steps.push({ deep, selectors: readBracket(reader) });
      } else if (deep || isDot) {
        if (reader.text[reader.at] === "*") {
          reader.at++;
          steps.push({ deep, selectors: [{ kind: "all" }] });
        } else {
          const name = take(reader, /[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}-]*/uy);
          if (name === undefined) complain(reader, "a name, * or [ is missing");
          steps.push({ deep, selectors: [{ kind: "name", name }] });
        }
      } else {
        reader.at = start;
        return steps;
      }
    }
  }

  function readBracket(reader) {
    const selectors = [];
    do {
      reader.at++; // [ or ,
      skip(reader);
      selectors.push(readSelector(reader));
      skip(reader);
    } while (reader.text[reader.at] === ",");
    if (reader.text[reader.at] !== "]") complain(reader, "] is missing");
    reader.at++;
    return selectors;
  }

  function readSelector(reader) {
    const mark = reader.text[reader.at];
    if (mark === "*") {
      reader.at++;
      return { kind: "all" };
    }
    if (mark === "?") {
      reader.at++;
      return { kind: "filter", test: readOr(reader) };
    }
    if (mark === "'" || mark === '"') return { kind: "name", name: readString(reader) };
    const number = () => {
      const digits = take(reader, /-?\d+/y);
      return digits === undefined ? undefined : Number(digits);
    };
    const start = number();
    skip(reader);
    if (reader.text[reader.at] !== ":") {
      if (start === undefined) complain(reader, "a name in quotes, a number, *, a slice or ? is missing");
      return { kind: "index", index: start };
    }
    reader.at++;
    skip(reader);
    const end = number();
    skip(reader);
    let step = 1;
    if (reader.text[reader.at] === ":") {
      reader.at++;
      skip(reader);
      step = number() ?? 1;
    }
    return { kind: "slice", start, end, step };
  }

  function readString(reader) {
    const quote = reader.text[reader.at];
    const body = take(reader, quote === "'" ? /'(?:[^'\\]|\\.)*'/sy : /"(?:[^"\\]|\\.)*"/sy);
    if (body === undefined) complain(reader, "a quotation mark is missing");
    const inner = body.slice(1, -1);
    const asJson = quote === "'" ? inner.replace(/\\'/g, "'").replace(/"/g, '\\"') : inner;
    try {
      return JSON.parse(`"${asJson}"`);
    } catch {
      return complain(reader, "a text has an escape that JSON does not know");
    }
  }

  function readOr(reader) {
    const parts = [readAnd(reader)];
    for (skip(reader); take(reader, /\|\|/y); skip(reader)) parts.push(readAnd(reader));
    return parts.length === 1 ? parts[0] : { kind: "or", parts };
  }

  function readAnd(reader) {
    const parts = [readTest(reader)];
    for (skip(reader); take(reader, /&&/y); skip(reader)) parts.push(readTest(reader));
    return parts.length === 1 ? parts[0] : { kind: "and", parts };
  }

  function readTest(reader) {
    skip(reader);
    if (reader.text[reader.at] === "!" ) {
      reader.at++;
      return { kind: "not", part: readTest(reader) };
    }
    if (reader.text[reader.at] === "(") {
      reader.at++;
      const inner = readOr(reader);
      skip(reader);
      if (reader.text[reader.at] !== ")") complain(reader, ") is missing");
      reader.at++;
      return inner;
    }
    const left = readOperand(reader);
    skip(reader);
    const sign = take(reader, /==|!=|<=|>=|<|>/y);
    if (sign === undefined) {
      if (left.kind !== "path" || left.measure) complain(reader, "a comparison such as == is missing");
      return { kind: "exists", isRoot: left.isRoot, steps: left.steps };
    }
    skip(reader);
    return { kind: "compare", sign, left, right: readOperand(reader) };
  }

  function readOperand(reader) {
    skip(reader);
    const measure = take(reader, /(?:length|count)\s*\(/y);
    if (measure !== undefined) {
      const inner = readOperand(reader);
      skip(reader);
      if (inner.kind !== "path" || reader.text[reader.at] !== ")") complain(reader, "length(…) and count(…) take a path");
      reader.at++;
      return { ...inner, measure: measure.startsWith("length") ? "length" : "count" };
    }
    const mark = reader.text[reader.at];
    if (mark === "@" || mark === "$") {
      reader.at++;
      return { kind: "path", isRoot: mark === "$", steps: readSteps(reader) };
    }
    if (mark === "'" || mark === '"') return { kind: "literal", value: readString(reader) };
    const word = take(reader, /true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y);
    if (word === undefined) complain(reader, "a value is missing: @.name, a text in quotes, a number, true, false or null");
    return { kind: "literal", value: JSON.parse(word) };
  }

  // All values a path finds, in the order of the document.
  const find = (document, query) => select(document, parsePath(String(query)));
  return { find };
})());
