"""Escapes text for display, so that nothing is hidden or reordered.

`visible` writes every character that could deceive as an escape: controls, line breaks, bidirectional marks,
zero-width and other invisible characters, odd spaces, private, unassigned and lone surrogate code points, and
combining marks that stand alone or pile up. The backslash is doubled, so two texts never look the same.
"""

import ast
import hashlib
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

SHOWN_CHARS = 10_000
_DEEPEST = 64
_MARKS_IN_A_ROW = 4

# `str.isprintable` knows controls, formats, surrogates, private, unassigned and all spaces but the plain one.
# These it takes for printable, yet a person sees nothing: fillers, joiners, selectors, blank patterns.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U00016fe4\U000e0100-\U000e01ef]"
)
_WORDS = {None: "null", True: "true", False: "false"}
_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class TooDeep(Exception):
    """A value nested so deeply that a person could not read it."""


def visible(text: str) -> str:
    """The text with each character that could deceive written as an escape; unlike texts stay unlike."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    shown: list[str] = []
    marks = _MARKS_IN_A_ROW  # a mark that comes first would sit on whatever stands before the text
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if char == "\\" or not char.isprintable() or _UNSEEN.match(char) or marks > _MARKS_IN_A_ROW:
            shown.append(_escape(char))
            marks = _MARKS_IN_A_ROW  # nor may a mark sit on an escape
        else:
            shown.append(char)
    return "".join(shown)


def quoted(text: str) -> str:
    """`visible`, between quotes, so that blanks at the ends show."""
    return '"' + visible(text).replace('"', '\\"') + '"'


def shown(value: Any, chars: int = SHOWN_CHARS) -> str:
    """A JSON value on one line for a person, whole up to `chars` characters.

    A longer one is shown by its beginning and its end, and says so with its length and SHA-256.
    Raises `TooDeep` beyond 64 levels.
    """
    if isinstance(value, str):
        return _cut(value, chars)
    pieces: list[str] = []
    for leaf in (chars, chars // 10):  # where the whole is too long, first the long texts inside get shorter
        pieces = list(_pieces(value, leaf, 0))
        if sum(map(len, pieces)) <= chars:
            return "".join(pieces)
    whole = "".join(_pieces(value, sys.maxsize, 0))
    head, tail = _first(pieces, chars // 2), _first(reversed(pieces), chars // 2)
    return "".join([*head, _gap(whole), *reversed(tail)])


def read_shown(text: str) -> tuple[Any] | None:
    """The value that `shown` wrote so, alone in a tuple; None where that cannot be told, as it was cut."""
    for value, word in _WORDS.items():
        if text == word:
            return (value,)
    try:
        return (ast.literal_eval(text),)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def one_line(text: str, chars: int = SHOWN_CHARS) -> str:
    """`visible` without quotes, for a sentence somebody else wrote; cut as `shown` cuts."""
    if len(text) <= chars:
        return visible(text)
    return visible(text[: chars // 2]) + _gap(text) + visible(text[-(chars // 2) :])


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cut(text: str, chars: int) -> str:
    if len(text) <= chars:
        return quoted(text)
    return quoted(text[: chars // 2]) + _gap(text) + quoted(text[-(chars // 2) :])


def _gap(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f" … (cut here for display: {len(text)} characters in all, SHA-256 {digest}) … "


def _first(pieces: Iterable[str], chars: int) -> list[str]:
    """As many whole pieces as fit, so that no escape is cut in two."""
    taken: list[str] = []
    for piece in pieces:
        chars -= len(piece)
        if chars < 0:
            break
        taken.append(piece)
    return taken


def _pieces(value: Any, chars: int, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise TooDeep(f"The value is nested deeper than {_DEEPEST} levels.")
    if isinstance(value, str):
        yield _cut(value, chars)
    elif isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        yield from _listed(
            "{", ((_cut(str(key), chars) + ": ", one) for key, one in items), "}", chars, depth
        )
    elif isinstance(value, list | tuple):
        yield from _listed("[", (("", one) for one in cast("list[Any]", value)), "]", chars, depth)
    elif value is None or value is True or value is False:
        yield _WORDS[value]
    elif isinstance(value, int | float):
        yield _number(value)
    else:
        yield quoted(repr(value))


def _number(value: float) -> str:
    try:
        return repr(value)
    except ValueError:  # more digits than Python writes in decimal
        return hex(cast("int", value))


def _listed(start: str, items: Iterator[tuple[str, Any]], end: str, chars: int, depth: int) -> Iterator[str]:
    yield start
    comma = ""
    for name, value in items:
        yield comma + name
        yield from _pieces(value, chars, depth + 1)
        comma = ", "
    yield end
