// Texts: pieces taken out by a pattern, two of them compared, and one made from a template.

const MOST_MATCHES = 1000;

// The text a parameter or the file it names holds.
function textOf(params, name) {
  const [text, path] = [params[name], params[`${name === "text" ? "" : `${name}_`}path`]];
  if ((text === undefined) === (path === undefined)) {
    throw new Error(`Give either ${name} or ${name === "text" ? "path" : `${name}_path`}.`);
  }
  return text ?? fs.readFile(path);
}

function extractMatches(params) {
  const text = textOf(params, "text");
  let pattern;
  try {
    pattern = new RegExp(params.pattern, `g${params.ignore_case ? "i" : ""}${params.dot_all ? "s" : ""}mu`);
  } catch (error) {
    throw new Error(`The pattern is not a regular expression: ${error.message}`);
  }
  const limit = Math.min(params.limit ?? 100, MOST_MATCHES);
  const matches = [];
  let found = 0;
  for (const match of text.matchAll(pattern)) {
    if (found++ >= limit) continue;
    matches.push(shown(match, text));
  }
  return { found, matches, ...(found > limit ? { more: `${found - limit} more; raise limit, or make the pattern narrower` } : {}) };
}

function shown(match, text) {
  const line = text.slice(0, match.index).split("\n").length;
  if (match.groups) return { text: match[0], line, groups: { ...match.groups } };
  return match.length > 1 ? { text: match[0], line, groups: match.slice(1) } : { text: match[0], line };
}

function compareTexts(params) {
  const before = textOf(params, "before");
  const after = textOf(params, "after");
  if (before === after) return "The texts are the same.";
  const { added, removed } = lib.diff.count(before, after);
  const changes = lib.diff.unified(before, after, {
    from: params.before_path ?? "before",
    to: params.after_path ?? "after",
    context: params.context ?? 3,
  });
  return `${added} ${added === 1 ? "line" : "lines"} added, ${removed} removed.\n${changes}`;
}

function fillTemplate(params) {
  const missing = params.allow_missing ? "empty" : "error";
  return lib.template.render(textOf(params, "template"), params.values ?? {}, { escape: params.escape ?? "none", missing });
}
