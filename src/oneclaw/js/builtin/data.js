// Tables, JSON documents, numbers and dates: asked for what is in them, without reading them whole to a model.

const MOST_ROWS = 1000;

// The text a call is about: given as it is, or the file that holds it.
function textOf({ text, path }) {
  if ((text === undefined) === (path === undefined)) throw new Error("Give either text or path.");
  return text ?? fs.readFile(path);
}

// ------------------------------------------------------------------ comparing

// A text that reads as a number counts as one, so that "9" comes before "10".
function numeric(value) {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

function compare(one, other) {
  const [a, b] = [numeric(one), numeric(other)];
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined || b !== undefined) return a !== undefined ? -1 : 1;
  const [left, right] = [String(one ?? ""), String(other ?? "")];
  return left < right ? -1 : left > right ? 1 : 0;
}

const TESTS = {
  __proto__: null,
  "=": (value, wanted) => compare(value, wanted) === 0,
  "!=": (value, wanted) => compare(value, wanted) !== 0,
  "<": (value, wanted) => compare(value, wanted) < 0,
  "<=": (value, wanted) => compare(value, wanted) <= 0,
  ">": (value, wanted) => compare(value, wanted) > 0,
  ">=": (value, wanted) => compare(value, wanted) >= 0,
  contains: (value, wanted) => String(value ?? "").toLowerCase().includes(String(wanted).toLowerCase()),
  starts_with: (value, wanted) => String(value ?? "").toLowerCase().startsWith(String(wanted).toLowerCase()),
  ends_with: (value, wanted) => String(value ?? "").toLowerCase().endsWith(String(wanted).toLowerCase()),
  is_empty: (value) => String(value ?? "").trim() === "",
  is_not_empty: (value) => String(value ?? "").trim() !== "",
};

// ------------------------------------------------------------------ tables

function tableOf(params) {
  const text = textOf(params);
  const delimiter = params.delimiter ?? "auto";
  const rows = lib.csv.parse(text, { delimiter });
  return { rows, names: rows.length ? Object.keys(rows[0]) : (lib.csv.parse(text, { delimiter, header: false })[0] ?? []) };
}

function queryCsv(params) {
  const { rows, names } = tableOf(params);
  const need = (name) => {
    if (!names.includes(name)) throw new Error(`There is no column ${JSON.stringify(name)}; there are: ${names.join(", ")}.`);
    return name;
  };
  (params.columns ?? []).forEach(need);
  const tests = (params.where ?? []).map(({ column, is, value }) => {
    need(column);
    if (value === undefined && !is.startsWith("is_")) throw new Error(`The condition on ${column} needs a value.`);
    return (row) => TESTS[is](row[column], value);
  });
  let found = rows.filter((row) => tests.every((test) => test(row)));
  const matched = found.length;
  const isGrouped = params.group_by !== undefined || params.aggregate !== undefined;
  if (isGrouped) {
    found = grouped(found, params.group_by === undefined ? undefined : need(params.group_by), params.aggregate ?? [], need);
  }
  for (const { column, descending } of [...(params.sort ?? [])].reverse()) {
    if (found.length && !Object.hasOwn(found[0], column)) throw new Error(`There is nothing to sort by named ${JSON.stringify(column)}.`);
    found.sort((a, b) => (descending ? compare(b[column], a[column]) : compare(a[column], b[column])));
  }
  if (params.columns !== undefined && !isGrouped) {
    found = found.map((row) => Object.fromEntries(params.columns.map((name) => [name, row[name]])));
  }
  const from = params.offset ?? 0;
  const limit = Math.min(params.limit ?? 50, MOST_ROWS);
  const shown = found.slice(from, from + limit);
  const left = found.length - from - shown.length;
  return {
    columns: names,
    rows_in_all: rows.length,
    rows_matched: matched,
    rows: shown,
    ...(left > 0 ? { more: `${left} more; go on with offset ${from + shown.length}` } : {}),
  };
}

function grouped(rows, column, wanted, need) {
  const groups = new Map();
  for (const row of rows) {
    const key = column === undefined ? "" : row[column];
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  if (column === undefined && groups.size === 0) groups.set("", []);
  return [...groups].map(([key, members]) => {
    const made = column === undefined ? {} : { [column]: key };
    made.count = members.length;
    for (const { column: of, function: name } of wanted) {
      need(of);
      const values = members.map((row) => numeric(row[of])).filter((value) => value !== undefined);
      made[`${name}_${of}`] = aggregated(name, values);
    }
    return made;
  });
}

function aggregated(name, values) {
  if (name === "sum") return lib.stats.sum(values);
  if (values.length === 0) return null;
  return lib.stats[name](values);
}

// ------------------------------------------------------------------ JSON

function queryJson(params) {
  const text = textOf(params);
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new Error(`The text is not JSON: ${error.message}`);
  }
  const found = lib.jsonpath.find(document, params.query);
  const limit = Math.min(params.limit ?? 100, MOST_ROWS);
  return {
    found: found.length,
    values: found.slice(0, limit),
    ...(found.length > limit ? { more: `${found.length - limit} more; raise limit, or ask for less` } : {}),
  };
}

// ------------------------------------------------------------------ numbers

function computeStatistics(params) {
  let values = params.numbers;
  let left_out = 0;
  if (values === undefined) {
    const { rows, names } = tableOf(params);
    if (!names.includes(params.column)) throw new Error(`Name one of the columns: ${names.join(", ")}.`);
    const cells = rows.map((row) => numeric(row[params.column]));
    values = cells.filter((value) => value !== undefined);
    left_out = cells.length - values.length;
  }
  if (values.length === 0) throw new Error("There are no numbers to compute with.");
  const shares = Object.fromEntries((params.percentiles ?? []).map((share) => [`p${share}`, lib.stats.quantile(values, share / 100)]));
  return { ...lib.stats.describe(values), ...shares, ...(left_out ? { left_out } : {}) };
}

// ------------------------------------------------------------------ dates

function computeDate({ date, add, until }) {
  const said = date === "today" ? time.format(time.now(), null, "%Y-%m-%d") : date;
  const result = add === undefined ? said : lib.dates.add(said, add);
  const answer = { date: result, weekday: lib.dates.weekday(result).name, week: lib.dates.week(result) };
  if (until === undefined) return answer;
  const between = (unit) => lib.dates.between(result, until, unit);
  return { ...answer, until, days: between("days"), weeks: between("weeks"), months: between("months"), years: between("years") };
}
