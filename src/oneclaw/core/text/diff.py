"""The difference between two versions of a file: a unified diff with line counts, within bounds.

Theory. Lines that both versions begin or end with are left out first; what is between them is compared line
by line, or taken as replaced whole where it is long: comparing takes the square of the lines. So a diff of
any two files takes little time, and its text is bounded however much they differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from oneclaw.core.text.encoding import describe_binary, detect

BYTES = 512 << 10
"""Larger files are not compared."""
LINES = 400
"""The most lines of a diff that are kept."""
LINE_CHARS = 400
CHARS = 60_000
_COMPARED_LINES = 1_000
_CONTEXT = 3
_NOWHERE = "/dev/null"

Code = tuple[str, int, int, int, int]
"""`equal`, `replace`, `delete` or `insert`, and the lines of the old and of the new version."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff: its text, the lines that are added and removed, and how many lines were left out.

    `is_whole` is false where lines were left out or cut, or a byte order mark is not shown.
    """

    text: str
    added: int = 0
    removed: int = 0
    more: int = 0
    is_whole: bool = True

    def to_json(self) -> dict[str, Any]:
        """The diff as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Preview:
    """The changes of a call, shown in its question; `instead_of` names the arguments that the diff shows."""

    diff: Diff
    instead_of: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The arguments that a reader of the whole diff has read."""
        return self.instead_of if self.diff.text and self.diff.is_whole else ()


def moved(verb: Literal["rename", "copy"], source: str, destination: str) -> Diff:
    """The diff of a file that gets another path, or a second one."""
    return Diff(f"{verb} from {_name(source)}\n{verb} to {_name(destination)}")


def compare(old: bytes | None, new: bytes | None, path: str) -> Diff:
    """The difference between two versions of a file; None is no file."""
    name = _name(path)
    if max(len(old or b""), len(new or b"")) > BYTES:
        return Diff(f"{name} is too large to compare", is_whole=False)
    texts = [_decode(data) for data in (old or b"", new or b"")]
    if texts[0] is None or texts[1] is None:
        return Diff(f"{name} is not text ({_size(old)} before, {_size(new)} after)", is_whole=False)
    before, after = _lines(texts[0]), _lines(texts[1])
    codes = _codes(before, after)
    added = sum(code[4] - code[3] for code in codes if code[0] != "equal")
    removed = sum(code[2] - code[1] for code in codes if code[0] != "equal")
    if old is not None and new is not None and not added and not removed:
        return Diff("")
    heads = (f"--- {_NOWHERE if old is None else name}", f"+++ {_NOWHERE if new is None else name}")
    kept, chars, more = list(heads), 0, 0
    is_whole = not detect((new or b"")[:8192]).mark  # a mark before the text is not seen in it
    for line in _written(before, after, codes):
        is_whole = is_whole and len(line) <= LINE_CHARS
        chars += min(len(line), LINE_CHARS)
        if more or len(kept) >= LINES or chars > CHARS:
            more += 1
        else:
            kept.append(line if len(line) <= LINE_CHARS else f"{line[:LINE_CHARS]}…")
    return Diff("\n".join(kept), added, removed, more, is_whole and not more)


def _codes(before: Sequence[str], after: Sequence[str]) -> list[Code]:
    """The equal, replaced, deleted and inserted lines, as `difflib` opcodes."""
    start, least = 0, min(len(before), len(after))
    while start < least and before[start] == after[start]:
        start += 1
    end = 0
    while end < least - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    codes: list[Code] = [("equal", 0, start, 0, start)] if start else []
    if max(len(old), len(new)) > _COMPARED_LINES or not old or not new:
        kind = "replace" if old and new else "delete" if old else "insert"
        codes += [(kind, start, start + len(old), start, start + len(new))] if old or new else []
    else:
        matcher = SequenceMatcher(None, old, new)
        codes += [
            (kind, one + start, two + start, three + start, four + start)
            for kind, one, two, three, four in matcher.get_opcodes()
        ]
    if end:
        codes.append(("equal", len(before) - end, len(before), len(after) - end, len(after)))
    return codes


def _written(before: Sequence[str], after: Sequence[str], codes: list[Code]) -> Iterator[str]:
    grouping: Any = SequenceMatcher(None, "", "")
    grouping.opcodes = codes  # it groups what it is given, and compares nothing
    for group in grouping.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for kind, one, two, three, four in group:
            if kind == "equal":
                yield from (f" {line}" for line in before[one:two])
                continue
            yield from (f"-{line}" for line in before[one:two])
            yield from (f"+{line}" for line in after[three:four])


def _range(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1 if count else start},{count}" if count != 1 else f"{start + 1}"


def _lines(text: str) -> list[str]:
    r"""The lines of a text; one that ends without a line break says so, as in every unified diff."""
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return lines


def _decode(data: bytes) -> str | None:
    """The text of a file; None where it is none."""
    encoding = detect(data[:8192])
    if describe_binary(data[:8192], encoding) is not None:
        return None
    return data[len(encoding.mark) :].decode(encoding.name, "replace")


def _size(data: bytes | None) -> str:
    return "nothing" if data is None else f"{len(data):,} byte{'s' * (len(data) != 1)}"


def _name(path: str) -> str:
    return path.replace("\n", "\\n").replace("\r", "\\r")
