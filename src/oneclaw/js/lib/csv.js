// lib.csv: tables as text, read and written as RFC 4180 has them.
host.addLibrary("csv", (() => {
  "use strict";
  const DELIMITERS = [",", ";", "\t", "|"];

  const delimiterOf = (options) => {
    const delimiter = options?.delimiter ?? ",";
    if (typeof delimiter !== "string" || delimiter.length !== 1 || delimiter === '"' || /[\r\n]/.test(delimiter)) {
      throw new TypeError('The delimiter of a CSV is one character, not " or a line end.');
    }
    return delimiter;
  };

  // The delimiter that splits the first line into the most fields, quotes respected.
  const detect = (text) => {
    let best = ",";
    let most = 1;
    for (const delimiter of DELIMITERS) {
      const fields = rowsOf(text.slice(0, 20000), delimiter, 1)[0]?.length ?? 0;
      if (fields > most) {
        best = delimiter;
        most = fields;
      }
    }
    return best;
  };

  // Quotes inside a field that does not begin with one are taken as they are, as spreadsheets do.
  const rowsOf = (text, delimiter, limit = Infinity) => {
    const rows = [];
    let row = [];
    let at = 0;
    const length = text.length;
    let next = text.indexOf(delimiter);
    while (at < length || row.length) {
      let field;
      if (text[at] === '"') {
        field = "";
        for (;;) {
          const end = text.indexOf('"', at + 1);
          if (end < 0) {
            if (limit !== Infinity) return rows.concat([row]);
            throw new SyntaxError(`Row ${rows.length + 1} of the CSV has a quote that is never closed.`);
          }
          field += text.slice(at + 1, end);
          at = end + 1;
          if (text[at] !== '"') break;
          field += '"';
        }
        const start = at;
        while (at < length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at++;
        field += text.slice(start, at);
      } else {
        if (next >= 0 && next < at) next = text.indexOf(delimiter, at);
        let end = at;
        const stop = next < 0 ? length : next;
        while (end < stop && text[end] !== "\n" && text[end] !== "\r") end++;
        field = text.slice(at, end);
        at = end;
      }
      row.push(field);
      if (text[at] === delimiter) {
        at++;
        continue;
      }
      rows.push(row);
      row = [];
      if (rows.length >= limit) return rows;
      if (text[at] === "\r") at++;
      if (text[at] === "\n") at++;
    }
    return rows;
  };

  const isEmpty = (row) => row.length === 1 && row[0] === "";

  const namesOf = (row) => {
    const taken = new Map();
    return row.map((title, index) => {
      const name = title.trim() || `column${index + 1}`;
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      return count === 1 ? name : `${name}_${count}`;
    });
  };

  const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;
  const typed = (field) => {
    if (NUMBER.test(field)) return Number(field);
    if (field === "true" || field === "false") return field === "true";
    return field === "" ? null : field;
  };

  // Rows as objects by the names in the first row (two of one name become a and a_2), or with
  // `header: false` as lists. `delimiter` is found out where it is "auto"; `types: true` makes numbers,
  // true, false and null of fields that are nothing else. Empty lines are left out.
  const parse = (text, options = {}) => {
    const plain = String(text).replace(/^\ufeff/, "");
    const delimiter = options?.delimiter === "auto" ? detect(plain) : delimiterOf(options);
    const rows = rowsOf(plain, delimiter).filter((row) => !isEmpty(row));
    const values = options?.types ? rows.map((row) => row.map(typed)) : rows;
    if (options?.header === false) return values;
    const names = rows.length ? namesOf(rows[0]) : [];
    return values.slice(1).map((row, index) => {
      if (row.length > names.length && rows[index + 1].slice(names.length).some((field) => field !== "")) {
        throw new SyntaxError(`Row ${index + 2} of the CSV has ${row.length} fields; its header has ${names.length}.`);
      }
      return Object.fromEntries(names.map((name, place) => [name, row[place] ?? (options?.types ? null : "")]));
    });
  };

  const textOf = (value) => {
    if (value === null || value === undefined) return "";
    if (value instanceof Date) return value.toISOString();
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };

  // Of objects (with a first row of all their names, or those of `columns`) or of lists. `safe: true` keeps
  // spreadsheets from taking text for a formula.
  const stringify = (rows, options = {}) => {
    const delimiter = delimiterOf(options);
    const newline = options?.newline ?? "\r\n";
    const quote = (value) => {
      let field = textOf(value);
      if (options?.safe && typeof value === "string" && /^[=+\-@\t\r]/.test(field)) field = `'${field}`;
      const isPlain = !field.includes(delimiter) && !/["\r\n]/.test(field) && field === field.trim();
      return isPlain ? field : `"${field.replaceAll('"', '""')}"`;
    };
    const line = (values) => {
      const written = values.map(quote).join(delimiter);
      return written === "" && values.length === 1 ? '""' : written;
    };
    if (!Array.isArray(rows)) throw new TypeError("lib.csv.stringify needs a list of rows.");
    const isOfLists = rows.length > 0 && rows.every(Array.isArray);
    const columns = options?.columns ?? (isOfLists ? undefined : [...new Set(rows.flatMap((row) => Object.keys(row)))]);
    const lines = isOfLists ? rows.map(line) : rows.map((row) => line(columns.map((name) => row[name])));
    if (columns !== undefined && columns.length && options?.header !== false) lines.unshift(line(columns));
    return lines.length ? lines.join(newline) + newline : "";
  };

  return { parse, stringify };
})());
