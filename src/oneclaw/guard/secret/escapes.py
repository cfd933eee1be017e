"""Undoes the escapes of addresses, HTML and JSON and the line breaks in base64 and hex, and knows where in
the text each character stood.

Any character can be written as an escape, and each escape in capitals or small letters: too many spellings
to list. So the escapes are undone, and what is sought is sought in what the text says. Escapes of characters
that nobody seeks, as `%20` and `\\u00e9` mostly are, leave the text as it is and cost little.
"""

import html
import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

ROUNDS = 2
"""How often escapes are undone: twice, for an address in an address, or JSON in one."""

NESTED = frozenset("%\\")
"""The signs of an escape inside of another."""

ENCODED_CHARS = 40
"""A line that ends in so many characters of base64 or hex may go on in the next one."""

_HEX = "[0-9A-Fa-f]"
_NEXT = f"(?:%[89ABab]{_HEX})"  # a further byte of a character in UTF-8


class Escape(NamedTuple):
    """One kind of escape: the sign it begins with, the pattern of one character, and how that is read."""

    sign: str
    pattern: re.Pattern[str]
    read: Callable[[str], str]


class Undone(NamedTuple):
    """A text without escapes; `steps` is how it came to be: what was undone, and the text before."""

    text: str
    steps: tuple[tuple[Escape, str], ...]


def undo(text: str, sought: Collection[str]) -> Iterator[Undone]:
    """The text with its escapes undone, one kind after the other, where one is of a character sought."""
    steps: tuple[tuple[Escape, str], ...] = ()
    for _ in range(ROUNDS):
        before = text
        for escape in _ESCAPES:
            if escape.sign not in text:
                continue
            parts = escape.pattern.split(text)
            said = {part: escape.read(part) for part in set(parts[1::2])}
            is_break = escape is _LINE_BREAK and len(parts) > 1
            if is_break or any(char in sought or char in NESTED for char in "".join(said.values())):
                steps += ((escape, text),)
                parts[1::2] = map(said.__getitem__, parts[1::2])
                text = "".join(parts)
                yield Undone(text, steps)
        if text is before:
            return


def origins(undone: Undone) -> list[int]:
    """For each place in the undone text, the end of it included, its place in the text it was made of."""
    found = list(range(len(undone.text) + 1))
    for escape, text in reversed(undone.steps):
        places = list(_places(escape, text))
        found = [places[at] for at in found]
    return found


def _places(escape: Escape, text: str) -> Iterator[int]:
    at = 0
    for match in escape.pattern.finditer(text):
        yield from range(at, match.start())
        yield from [match.start()] * len(escape.read(match[0]))
        at = match.end()
    yield from range(at, len(text) + 1)


def _read_entity(said: str) -> str:
    return html.unescape("&" + said[1:].replace("amp;", "")) if said != "&amp;" else "&"


def _read_backslash(said: str) -> str:
    codes = [int(digits, 16) for digits in re.findall(rf"(?:[uUx]\{{?)({_HEX}+)", said)]
    if any(code > 0x10FFFF for code in codes):
        return said
    # Two halves of a character become one.
    return "".join(map(chr, codes)).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _read_nothing(said: str) -> str:
    return ""


_ENCODED = "[A-Za-z0-9+/_-]"
_LINE = f"{_ENCODED}{{{ENCODED_CHARS}}}"
_LINE_BREAK = Escape(
    "\n",
    re.compile(rf"((?:\n(?<={_LINE}\n)|\r\n(?<={_LINE}\r\n))[ \t]*(?={_ENCODED}))"),
    _read_nothing,
)
_ESCAPES = (
    _LINE_BREAK,
    Escape(
        "%",
        re.compile(f"(%(?:[0-7]{_HEX}|[CDcd]{_HEX}{_NEXT}|[Ee]{_HEX}{_NEXT}{{2}}|[Ff][0-7]{_NEXT}{{3}}))"),
        partial(unquote, errors="surrogateescape"),
    ),
    Escape(
        "&",
        re.compile(
            f"(&(?:amp;){{0,3}}(?:#0{{0,20}}[0-9]{{1,7}};?|#[xX]0{{0,20}}{_HEX}{{1,6}};?"
            "|[A-Za-z][A-Za-z0-9]{1,31};)|&amp;)"
        ),
        _read_entity,
    ),
    Escape(
        "\\",
        re.compile(
            rf"(\\\\{{0,7}}(?:u[Dd][89ABab]{_HEX}{{2}}\\{{1,8}}u[Dd][C-Fc-f]{_HEX}{{2}}|u{_HEX}{{4}}"
            rf"|u\{{{_HEX}{{1,6}}\}}|U{_HEX}{{8}}|x{_HEX}{{2}}))"
        ),
        _read_backslash,
    ),
)
