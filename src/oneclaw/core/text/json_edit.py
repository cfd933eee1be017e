"""Changes one entry of a JSON text and leaves all else as it is: comments, order, spaces, trailing commas.

Editors keep their settings as JSON with comments, which no JSON library writes back.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLAIN = re.compile(r"[^\s,\]}/]+")
_REMARK = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)(?=\n)")
_DEEPEST = 100


@dataclass(slots=True)
class JsonSpan:
    """Where a value stands in the text; of an object, its members by name."""

    begin: int
    end: int
    members: "dict[str, JsonSpan] | None" = None
    has_comma: bool = field(default=False)
    """Whether a comma follows the last member."""
    last: int = 0
    """Where the last member ends."""


def set_entry(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`; objects on the way are made. Raises `ValueError` for bad JSON."""
    if not text.strip():
        text = "{}\n"
    whole = read_span(text)
    span, depth = whole, 0
    for name in path:
        if span.members is None:
            raise ValueError(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        found = span.members.get(name)
        if found is None:
            break
        span, depth = found, depth + 1
    rest = path[depth:]
    for name in reversed(rest[1:]):
        value = {name: value}
    if not rest:
        return text[: span.begin] + _dump(value, depth) + text[span.end :]
    return _insert(text, span, rest[0], value, depth + 1)


def read_span(text: str) -> JsonSpan:
    """The one value of a text; raises `ValueError`."""
    span = _value(text, _skip(text, 1 if text.startswith("\ufeff") else 0), 0)
    if _skip(text, span.end) != len(text):
        raise ValueError(f"something stands after the end, at character {span.end}")
    return span


def _insert(text: str, parent: JsonSpan, name: str, value: Any, depth: int) -> str:
    line = f"\n{'  ' * depth}{json.dumps(name)}: {_dump(value, depth)}"
    if not parent.members:
        inner = text[parent.begin + 1 : parent.end - 1].rstrip()
        return f"{text[: parent.begin + 1]}{inner}{line}\n{'  ' * (depth - 1)}{text[parent.end - 1 :]}"
    comma, rest = "" if parent.has_comma else ",", text[parent.last :]
    remark = _REMARK.match(rest)
    beside = "" if remark is None else remark[0]  # it is about the member before
    return f"{text[: parent.last]}{comma}{beside}{line}{rest[len(beside) :]}"


def _dump(value: Any, depth: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * depth)


def _value(text: str, at: int, depth: int) -> JsonSpan:
    if depth > _DEEPEST:
        raise ValueError("it is too deep")
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)
    found = (_STRING if first == '"' else _PLAIN).match(text, at)
    if found is None:
        raise ValueError(f"a value is missing at character {at}")
    json.loads(found[0], strict=False)
    return JsonSpan(at, found.end())


def _object(text: str, begin: int, depth: int) -> JsonSpan:
    span = JsonSpan(begin, 0, {})
    assert span.members is not None
    at = _skip(text, begin + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        colon = _skip(text, at if key is None else key.end())
        if key is None or text[colon : colon + 1] != ":":
            raise ValueError(f"a name is missing at character {at}")
        member = _value(text, _skip(text, colon + 1), depth + 1)
        span.members[json.loads(key[0], strict=False)] = member
        span.last, at = member.end, _skip(text, member.end)
        span.has_comma = text[at : at + 1] == ","
        if span.has_comma:
            span.last, at = at + 1, _skip(text, at + 1)
        elif text[at : at + 1] != "}":
            raise ValueError(f"a comma is missing at character {at}")
    span.end = at + 1
    return span


def _array(text: str, begin: int, depth: int) -> JsonSpan:
    at = _skip(text, begin + 1)
    while text[at : at + 1] != "]":
        at = _skip(text, _value(text, at, depth + 1).end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise ValueError(f"a comma is missing at character {at}")
    return JsonSpan(begin, at + 1)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
