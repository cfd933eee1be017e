"""Parses slightly malformed JSON from models and names each repair.

It forgives spelling, never loss. Text that ends before its object does is cut, and is refused: what
is missing could be anything. Nothing is made up and nothing is dropped without a note.

A repair is *ambiguous* when the reader had to decide where a string, or the object itself, begins
and ends, or what a character in a string stands for: quotes that are not JSON's, backslashes that
begin no escape, other text around the object; or whether a character is a blank or a part of what
stands beside it: a no-break space before an unquoted key, a line end in a comment that only some
languages know as one. It is *clear* when only one reading exists: a code fence, trailing commas,
comments, Python's True, False and None, unquoted keys, raw line breaks in strings, other blanks than
JSON's between brackets, commas, colons and quotes. Two objects in one text are not repaired at all.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from oneclaw.core.check.problem import quote

REPAIR_CHARS = 4_096
"""The longest text that is repaired."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was read otherwise than it was written, in one short line."""

    text: str
    ambiguous: bool = False


class MalformedJson(ValueError):
    """Text that is not JSON and cannot be read as JSON in one way."""


class TruncatedJson(MalformedJson):
    """Text that ends before its object does."""


FENCE = Repair("the code fence around the JSON was removed")
AROUND = Repair("the text around the JSON object was ignored", ambiguous=True)
TRAILING_COMMA = Repair("a trailing comma was ignored")
COMMENT = Repair("a comment was ignored")
PYTHON_LITERAL = Repair("True, False and None were read as true, false and null")
UNQUOTED_KEY = Repair("an unquoted key was read as a string")
OTHER_QUOTES = Repair("quotes other than double quotes were read as string quotes", ambiguous=True)
CONTROL = Repair("a raw control character in a string was kept")
ESCAPED_QUOTE = Repair("a quote after a backslash was read as the quote")
BLANK = Repair("a character that JSON does not count as a blank was read as one")
UNSURE_BLANK = Repair("a character beside a word or a number was read as a blank", ambiguous=True)
UNSURE_COMMENT = Repair("a comment was read past a character that may end its line", ambiguous=True)
BACKSLASH = Repair("a backslash that begins no JSON escape was kept as it is", ambiguous=True)

_SPACE = re.compile(r"[\s\ufeff]*")
_EDGES = re.compile(r"\A[\s\ufeff]+|[\s\ufeff]+\Z")
_JSON_SPACE = " \t\r\n"
_LINE_END = re.compile(r"[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029](?!\Z)")
_SELF_ENDING = frozenset("{}[],:\"'“”‘’`/#")
"""Characters that begin, end or are a token."""
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_BODIES = {
    opening: re.compile(rf"([^\\{closing}]*(?:\\.[^\\{closing}]*)*){closing}", re.DOTALL)
    for opening, closing in _CLOSING.items()
}
_WORDS: dict[str, tuple[Any, Repair | None]] = {
    "true": (True, None),
    "false": (False, None),
    "null": (None, None),
    "True": (True, PYTHON_LITERAL),
    "False": (False, PYTHON_LITERAL),
    "None": (None, PYTHON_LITERAL),
}
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|.)|"', re.DOTALL)


@dataclass(slots=True)
class _JsonReader:
    """Recursive descent over one text; `depth` bounds the descent."""

    text: str
    at: int
    depth: int
    number: Callable[[str], int | float]
    repairs: dict[Repair, None] = field(default_factory=dict[Repair, None])

    def note(self, repair: Repair) -> None:
        self.repairs[repair] = None

    def peek(self) -> str:
        """The next character that means something; the end of the text means it was cut."""
        while True:
            self.skip_blanks()
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                break
            is_unsure = not comment[0].startswith("/*") and _LINE_END.search(comment[0])
            self.note(UNSURE_COMMENT if is_unsure else COMMENT)
            self.at = comment.end()
        if self.at >= len(self.text) or self.text.startswith("/*", self.at):
            raise TruncatedJson("the text ends before the object does")
        return self.text[self.at]

    def skip_blanks(self) -> None:
        space = _SPACE.match(self.text, self.at)
        if space is None:
            return
        if space[0].strip(_JSON_SPACE):
            beside = self.text[space.start() - 1 : space.start()] + self.text[space.end() : space.end() + 1]
            self.note(BLANK if _SELF_ENDING.issuperset(beside) else UNSURE_BLANK)
        self.at = space.end()

    def value(self) -> Any:
        char = self.peek()
        if char in "{[":
            self.depth -= 1
            if self.depth < 0:
                raise MalformedJson("it is nested too deeply")
            inner = self.object() if char == "{" else self.array()
            self.depth += 1
            return inner
        if char in _CLOSING:
            return self.string(char)
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return self.number(number.group())
        return self.word()

    def object(self) -> dict[str, Any]:
        self.at += 1
        found: dict[str, Any] = {}
        while self.peek() != "}":
            key = self.key()
            if key in found:
                raise MalformedJson(f"the key {quote(key)} stands twice in one object")
            self.expect(":", f"after the key {quote(key)}")
            found[key] = self.value()
            self.separate("}")
        self.at += 1
        return found

    def array(self) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        while self.peek() != "]":
            found.append(self.value())
            self.separate("]")
        self.at += 1
        return found

    def key(self) -> str:
        char = self.peek()
        if char in _CLOSING:
            return self.string(char)
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise MalformedJson(f"{quote(char)} stands where a key should")
        self.at = word.end()
        self.note(UNQUOTED_KEY)
        return word.group()

    def expect(self, char: str, where: str) -> None:
        if self.peek() != char:
            raise MalformedJson(f"{quote(self.text[self.at])} stands where {quote(char)} should, {where}")
        self.at += 1

    def separate(self, closing: str) -> None:
        """A comma before the next member, or the closing bracket; a comma before that is forgiven."""
        if self.peek() == closing:
            return
        self.expect(",", "between two values")
        if self.peek() == closing:
            self.note(TRAILING_COMMA)

    def string(self, opening: str) -> str:
        body = _BODIES[opening].match(self.text, self.at + 1)
        if body is None:
            raise TruncatedJson("the text ends inside a string")
        self.at = body.end()
        if opening != '"':
            self.note(OTHER_QUOTES)
        inner = _ESCAPE.sub(self.escape, body.group(1))
        if any(char < " " for char in inner):
            self.note(CONTROL)
        return json.loads(f'"{inner}"', strict=False)

    def escape(self, found: re.Match[str]) -> str:
        """One escape, or one double quote inside other quotes, as JSON writes it."""
        if found.group() == '"':
            return '\\"'
        char = found.group(1)
        if char in '"\\/bfnrt' or len(char) == 5:
            return found.group()
        if char in _CLOSING:
            self.note(ESCAPED_QUOTE)
            return char
        self.note(BACKSLASH)
        return "\\\\" + char

    def word(self) -> Any:
        word = _WORD.match(self.text, self.at)
        if word is None or word.group() not in _WORDS:
            shown = quote(word.group() if word else self.text[self.at])
            raise MalformedJson(f"{shown} stands where a value should")
        value, repair = _WORDS[word.group()]
        if repair:
            self.note(repair)
        self.at = word.end()
        return value


def repair(text: str, depth: int, number: Callable[[str], int | float]) -> tuple[Any, list[Repair]]:
    """Reads the one object in a malformed text. Raises `MalformedJson` or `TruncatedJson`."""
    start = text.find("{")
    if start < 0:
        raise MalformedJson("there is no JSON object in it")
    reader = _JsonReader(text, start, depth, number)
    value = reader.value()
    _judge_surroundings(text[:start], text[reader.at :], reader)
    return value, list(reader.repairs)


def repair_whole(text: str, depth: int, number: Callable[[str], int | float]) -> tuple[Any, list[Repair]]:
    """A malformed text that is one value from end to end, as a list written by Python."""
    reader = _JsonReader(text, 0, depth, number)
    value = reader.value()
    reader.skip_blanks()
    if reader.at < len(text):
        raise MalformedJson("there is more text after the value")
    return value, list(reader.repairs)


def has_odd_edge(text: str) -> bool:
    """Whether a text begins or ends with blanks that are none of JSON's."""
    return any(edge.strip(_JSON_SPACE) for edge in _EDGES.findall(text))


def _judge_surroundings(before: str, after: str, reader: _JsonReader) -> None:
    """Text around the object must be a fence or prose, never a lost part."""
    if any(has_odd_edge(each) for each in (before, after)):
        reader.note(BLANK)
    before, after = (_EDGES.sub("", each) for each in (before, after))
    if not before and not after:
        return
    if re.fullmatch(r"```[\w-]*", before) and after in ("", "```"):
        reader.note(FENCE)
        return
    if "{" in after:
        raise MalformedJson("there is more than one JSON object in it")
    if re.search(r"[{}\[\]]", before) or re.search(r'[{}\[\]"]', after):
        raise MalformedJson("the text around the object could be a part of it")
    reader.note(AROUND)
