"""A diff on a terminal: coloured lines, as many as there is room for, and the count of lines."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from oneclaw.core.question import Question
from oneclaw.core.text.display import visible

SHOWN_LINES = 20
ASKED_LINES = 60
_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


class DiffLine(NamedTuple):
    """A line of a diff, safe to show, and its style."""

    text: str
    style: str


def diff_of(details: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The diff among the details of a result."""
    diff = (details or {}).get("diff")
    return diff if isinstance(diff, Mapping) and isinstance(diff.get("text"), str) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def count_of(diff: Mapping[str, Any] | None) -> str:
    """`+12 −3`; nothing where no line changes."""
    if diff is None or not (diff.get("added") or diff.get("removed")):
        return ""
    return f"+{diff.get('added', 0):,} −{diff.get('removed', 0):,}"


def diff_lines(diff: Mapping[str, Any], most: int = SHOWN_LINES) -> Iterator[DiffLine]:
    """The lines of a diff, at most so many; the last says how many there are besides."""
    lines = str(diff["text"]).split("\n")
    is_head = True
    for line in lines[:most]:
        is_head = is_head and not line.startswith("@@")
        yield DiffLine(_safe(line), "bold" if is_head else _STYLES.get(line[:1], ""))
    more = max(0, len(lines) - most) + int(diff.get("more", 0))
    if more:
        yield DiffLine(f"… {more:,} more line{'s' * (more != 1)}", "dim")


def without_shown(question: Question) -> list[str]:
    """The lines of a question, without the arguments that its diff shows whole and as they are."""
    shown = {f"  {name} = {question.arguments.get(name)}" for name in names_in_diff(question)}
    return [line for line in question.text.split("\n") if line not in shown]


def names_in_diff(question: Question) -> tuple[str, ...]:
    """The arguments that the diff of a question shows whole and as they are."""
    diff = question.diff
    return question.in_diff if diff is not None and _is_exact(str(diff["text"])) else ()


def _is_exact(text: str) -> bool:
    """Whether a diff is shown to its last line, and no character in it is written as an escape."""
    lines = text.split("\n")
    return len(lines) <= ASKED_LINES and all(_safe(line) == line.expandtabs(4) for line in lines)


def _safe(line: str) -> str:
    """A line with each character that could deceive written as an escape; tabs and backslashes stay."""
    line = line.expandtabs(4)
    line = line.rstrip("\r") if line.startswith(" ") else line
    return "\\".join(map(visible, line.split("\\")))
