// lib.diff: what changed between two texts, line by line.
host.addLibrary("diff", (() => {
  "use strict";
  const MOST_CHANGES = 2000;

  // Lines with their ends: a missing last line end is a difference too.
  const linesOf = (text) => {
    const lines = String(text).split(/(?<=\n)/);
    return lines.length === 1 && lines[0] === "" ? [] : lines;
  };

  // The shortest way from one list to the other (Myers), in the part that is not the same at both ends.
  const changesOf = (before, after) => {
    let start = 0;
    while (start < before.length && start < after.length && before[start] === after[start]) start++;
    let end = 0;
    const room = Math.min(before.length, after.length) - start;
    while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
    const middle = walk(before.slice(start, before.length - end), after.slice(start, after.length - end));
    return [
      ...before.slice(0, start).map((line) => ({ kind: "same", line })),
      ...middle,
      ...before.slice(before.length - end).map((line) => ({ kind: "same", line })),
    ];
  };

  const walk = (before, after) => {
    if (before.length === 0) return after.map((line) => ({ kind: "added", line }));
    if (after.length === 0) return before.map((line) => ({ kind: "removed", line }));
    const ids = new Map();
    const number = (line) => {
      if (!ids.has(line)) ids.set(line, ids.size);
      return ids.get(line);
    };
    const a = Int32Array.from(before, number);
    const b = Int32Array.from(after, number);
    const trace = trail(a, b);
    // Where the shortest way is too long to find, the whole middle is replaced.
    if (trace === undefined) {
      return [...before.map((line) => ({ kind: "removed", line })), ...after.map((line) => ({ kind: "added", line }))];
    }
    return back(trace, before, after);
  };

  // For each number of changes, how far along `a` each diagonal k = x - y comes; k stands at k + depth + 1.
  const trail = (a, b) => {
    const trace = [];
    for (let depth = 0; depth <= MOST_CHANGES; depth++) {
      const last = trace[depth - 1];
      const now = new Int32Array(2 * depth + 3);
      trace.push(now);
      for (let k = -depth; k <= depth; k += 2) {
        let x = depth === 0 ? 0 : goesDown(last, k, depth) ? last[k + 1 + depth] : last[k - 1 + depth] + 1;
        let y = x - k;
        while (x < a.length && y < b.length && a[x] === b[y]) {
          x++;
          y++;
        }
        now[k + depth + 1] = x;
        if (x >= a.length && y >= b.length) return trace;
      }
    }
    return undefined;
  };
  const goesDown = (last, k, depth) =>
    k === -depth || (k !== depth && last[k - 1 + depth] < last[k + 1 + depth]);

  const back = (trace, before, after) => {
    const changes = [];
    let x = before.length;
    let y = after.length;
    for (let depth = trace.length - 1; depth > 0; depth--) {
      const last = trace[depth - 1];
      const k = x - y;
      const isDown = goesDown(last, k, depth);
      const fromX = isDown ? last[k + 1 + depth] : last[k - 1 + depth];
      const reached = isDown ? fromX : fromX + 1;
      while (x > reached) {
        changes.push({ kind: "same", line: before[--x] });
        y--;
      }
      if (isDown) changes.push({ kind: "added", line: after[--y] });
      else changes.push({ kind: "removed", line: before[--x] });
    }
    while (x > 0) changes.push({ kind: "same", line: before[--x] });
    return changes.reverse();
  };

  // The lines of both, in order: [{ kind: "same" | "removed" | "added", line }].
  const lines = (before, after) =>
    changesOf(linesOf(before), linesOf(after)).map(({ kind, line }) => ({ kind, line: line.replace(/\r?\n$/, "") }));

  const SIGNS = { same: " ", removed: "-", added: "+" };
  const written = ({ kind, line }) =>
    `${SIGNS[kind]}${line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`}`;

  // As `diff -u` and patch know it; empty where the texts are the same.
  const unified = (before, after, options = {}) => {
    const context = options?.context ?? 3;
    if (!Number.isInteger(context) || context < 0) throw new RangeError("The context of a diff is a number of lines, 0 or more.");
    const changes = changesOf(linesOf(before), linesOf(after));
    const hunks = [];
    let open = null;
    let oldLine = 1;
    let newLine = 1;
    let trailing = 0;
    changes.forEach((change, index) => {
      if (change.kind !== "same") {
        if (open === null) {
          const from = Math.max(0, index - context);
          const lead = changes.slice(hunks.at(-1)?.end > from ? hunks.at(-1).end : from, index);
          open = { oldStart: oldLine - lead.length, newStart: newLine - lead.length, changes: [...lead], end: 0 };
        }
        trailing = 0;
        open.changes.push(change);
      } else if (open !== null) {
        trailing++;
        open.changes.push(change);
        if (trailing > 2 * context) {
          open.changes.length -= trailing - context;
          open.end = index - (trailing - context) + 1;
          hunks.push(open);
          open = null;
        }
      }
      if (change.kind !== "added") oldLine++;
      if (change.kind !== "removed") newLine++;
    });
    if (open !== null) {
      if (trailing > context) open.changes.length -= trailing - context;
      hunks.push(open);
    }
    if (!hunks.length) return "";
    const head = `--- ${options?.from ?? "before"}\n+++ ${options?.to ?? "after"}\n`;
    return head + hunks.map(writeHunk).join("");
  };
  const writeHunk = ({ oldStart, newStart, changes }) => {
    const oldCount = changes.filter(({ kind }) => kind !== "added").length;
    const newCount = changes.filter(({ kind }) => kind !== "removed").length;
    const range = (start, count) => (count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`);
    return `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@\n${changes.map(written).join("")}`;
  };

  const count = (before, after) => {
    const changes = changesOf(linesOf(before), linesOf(after));
    const of = (wanted) => changes.filter(({ kind }) => kind === wanted).length;
    return { added: of("added"), removed: of("removed"), same: of("same") };
  };

  return { lines, unified, count };
})());
