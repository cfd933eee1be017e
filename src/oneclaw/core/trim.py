"""Trims long text to its head, or head and tail, and names the original length.

Cuts fall between code points, and step back from a mark, joiner or surrogate half that would
otherwise be torn from the character it belongs to.
"""

import unicodedata
from dataclasses import dataclass
from typing import Literal

_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"}
_LONGEST_CHARS = 32


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Text that fits, and how long it was before (None when nothing was cut)."""

    text: str
    truncated_from: int | None = None


def trim(text: str, chars: int, how: Literal["head", "middle"] = "head", kept_in: str = "") -> Trimmed:
    """Cut `text` to at most `chars` characters, the note about the cut included."""
    if len(text) <= chars:
        return Trimmed(text)
    room = max(0, chars - len(_note(len(text), len(text), how, kept_in)))
    if how == "head":
        body = text[: safe_cut(text, room)]
        shown = body + _note(len(body), len(text), how, kept_in)
    else:
        head = text[: safe_cut(text, room - room // 2)]
        tail = text[_nearest(text, len(text) - room // 2, 1) :]
        shown = head + _note(len(head) + len(tail), len(text), how, kept_in) + tail
    return Trimmed(shown[:chars], len(text))


def safe_cut(text: str, at: int) -> int:
    """The place nearest below `at` where a cut tears no character apart."""
    return _nearest(text, max(0, min(at, len(text))), -1)


def _nearest(text: str, at: int, step: int) -> int:
    """The nearest such place, below `at` or above it."""
    cut = at
    for _ in range(_LONGEST_CHARS):
        if 0 < cut < len(text) and _belongs_together(text[cut - 1], text[cut]):
            cut += step
        else:
            return cut
    return at  # a tower of marks: it is cut all the same


def _belongs_together(left: str, right: str) -> bool:
    if right in _JOINERS or left == "\u200d" or unicodedata.combining(right):
        return True
    if unicodedata.category(right) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if left == "\r" and right == "\n":
        return True
    return "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff"


def _note(shown: int, total: int, how: str, kept_in: str) -> str:
    which = "first" if how == "head" else "first and last"
    rest = f" The whole text is in {kept_in}: read it in pieces with read_file." if kept_in else ""
    note = f"(Cut: the {which} {shown:,} of {total:,} characters are shown.{rest})"
    return f"\n\n{note}" if how == "head" else f"\n\n{note}\n\n"
