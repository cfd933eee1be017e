"""Splits an expression into tokens: numbers, words, signs and dates, with their positions."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from oneclaw.calc.number import InvalidExpression

CHARS = 1_000
DIGITS = 500
_SHOWN_CHARS = 40
_NUMBER = re.compile(r"(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,4}(?![\d.]))?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])")
_WORD = re.compile(r"°?[A-Za-zµμ]+|[°′″π]")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d(?::\d\d)?)?(?![\d:-])|\d\d?\.\d\d?\.\d{4}(?![\d.])")
_ENDING = re.compile(r"(?:[ \t\r\n?=.]|(?<![\d)])!)*\Z")
"""How a sentence ends; an exclamation mark after a number is a factorial, which is not known."""
_SPACE = re.compile(r"\s*")
_FILLER = re.compile(
    r"\s*(?:(?:what(?:'s|’s| is| are)|calculate|compute|convert|how much (?:is|are)|please|solve)\s+)*",
    re.IGNORECASE,
)
_SIGNS = {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "²": "^2", "³": "^3"}
_WORDS = {"plus": "+", "minus": "-", "times": "*", "x": "*", "over": "/", "modulo": "mod"}
_PHRASES = (
    (("divided", "by"), "/"),
    (("multiplied", "by"), "*"),
    (("to", "the", "power", "of"), "^"),
)


class Token(NamedTuple):
    """A piece of an expression; `kind` is `number`, `word`, `sign`, `moment` or `end`."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def shown(self) -> str:
        """The text for an error, between quotes."""
        return repr(self.text if len(self.text) <= _SHOWN_CHARS else f"{self.text[:_SHOWN_CHARS]}…")


class Tokens:
    """The pieces of one expression, taken one after the other."""

    def __init__(self, text: str) -> None:
        if len(text) > CHARS:
            raise InvalidExpression(
                f"the expression has {len(text):,} characters; at most {CHARS:,} are read"
            )
        self._text = text
        self._end = _ENDING.search(text).start()  # pyright: ignore[reportOptionalMemberAccess]  it matches nothing too
        self._is_listed = False
        found = _FILLER.match(text)
        self._at = found.end() if found else 0

    @property
    def next(self) -> Token:
        return self._read(self._at)

    def after(self, count: int) -> Token:
        """The piece so many after the next one."""
        token = self.next
        for _ in range(count):
            token = self._read(token.end)
        return token

    def take(self) -> Token:
        token = self.next
        self._at = token.end
        return token

    def takes(self, *words: str) -> bool:
        """Take these words, or none of them."""
        at = self._at
        for word in words:
            token = self._read(at)
            if token.text.lower() != word or token.kind == "end":
                return False
            at = token.end
        self._at = at
        return True

    def follows(self, count: int, *words: str) -> bool:
        """Whether one of the words stands so many after the next."""
        token = self.after(count)
        return token.kind == "word" and token.text.lower() in words

    def follows_number(self, word: str) -> bool:
        """Whether the next is a word, and a number stands after it."""
        return self.follows(0, word) and self.after(1).kind == "number"

    def joins_unit(self) -> bool:
        """Whether the next is a stroke or `per` with another unit behind it, not a division."""
        token, after = self.next, self.after(1)
        is_tight = token.text == "/" and self._text[token.start - 1 : token.end + 1].strip(" ") != "/"
        is_close = is_tight and not self._text[token.start - 1].isspace() and after.start == token.end
        return after.kind == "word" and (is_close or (token.kind == "word" and token.text.lower() == "per"))

    def takes_unit_power(self) -> int:
        """Take a power that belongs to a unit, as in `m^2`; 0 where there is none."""
        token, after = self.next, self.after(1)
        if token.text in ("^2", "^3"):
            self.take()
            return int(token.text[1])
        if token.text == "^" and after.text in ("2", "3"):
            self.take()
            return int(self.take().text)
        return 0

    @contextmanager
    def listed(self) -> Generator[None]:
        """Meanwhile a comma parts values: `max(1,200)` has two."""
        before, self._is_listed = self._is_listed, True
        yield
        self._is_listed = before

    def _read(self, at: int) -> Token:
        found = _SPACE.match(self._text, at)
        start = min(found.end() if found else at, self._end)
        if start >= self._end:
            return Token("end", "", self._end, self._end)
        if date := _DATE.match(self._text, start, self._end):
            return Token("moment", date[0], start, date.end())
        number = None if self._is_listed else _GROUPED.match(self._text, start, self._end)
        if number := number or _NUMBER.match(self._text, start, self._end):
            return self._number(number)
        if word := _WORD.match(self._text, start, self._end):
            return self._word(word)
        if self._text.startswith("**", start):
            return Token("sign", "^", start, start + 2)
        sign = self._text[start]
        return Token("sign", _SIGNS.get(sign, sign), start, start + 1)

    def _number(self, found: re.Match[str]) -> Token:
        text, at = found[0].replace(",", "").replace("_", ""), found.start() + 1
        if len(text) > DIGITS:
            raise InvalidExpression(f"a number has {len(text):,} digits; at most {DIGITS} are read", at)
        rest = self._text[found.end() : self._end]
        if re.match(r",\d", rest) and not self._is_listed:
            raise InvalidExpression("the comma is unclear: write 3.5 for a decimal, 1,000 for a thousand", at)
        if re.match(r"\.\d", rest):
            raise InvalidExpression("a number has two points", at)
        return Token("number", text, found.start(), found.end())

    def _word(self, found: re.Match[str]) -> Token:
        start, word = found.start(), found[0]
        for words, sign in _PHRASES:
            if word.lower() == words[0]:
                rest = re.compile(r"\s+".join(words) + r"\b", re.IGNORECASE).match(
                    self._text, start, self._end
                )
                if rest:
                    return Token("sign", sign, start, rest.end())
        sign = _WORDS.get(word.lower())
        if sign is not None:
            return Token("word" if sign == "mod" else "sign", sign, start, found.end())
        return Token("word", word, start, found.end())
