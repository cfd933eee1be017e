"""Textual call formats of local models."""

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.written import to_text


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that was written as text; the arguments are JSON."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class CallPosition:
    """Where a call is looked for: `text` from `at` on; `is_over` when nothing more comes behind it."""

    text: str
    at: int
    is_over: bool
    tools: Collection[str]


FoundCall = tuple[list[TextCall], int]
"""The calls that were read, and where the text goes on behind them."""


@dataclass(frozen=True, slots=True)
class TextCallForm:
    """One form.

    marker  how it begins
    end     what must have come before it is worth reading; empty: only the end of the answer
    probe   matches the start of a text that may still become such a call
    read    the calls at a place, None where there are none
    """

    marker: str
    end: str
    probe: re.Pattern[str]
    read: Callable[[CallPosition], FoundCall | None]


_decoder = json.JSONDecoder(strict=False)  # models write line ends into strings
_SPACE = re.compile(r"\s*")
_NAMED = re.compile(r"\s*([\w.-]{1,128})(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?\s*(?=\{)")
_FUNCTION = re.compile(r"<function=\s*([\w.-]{1,128})\s*>\s*")
_PARAMETER = re.compile(r"\s*<parameter=\s*([^<>\n]{1,200}?)\s*>\n?(.*?)\n?</parameter>", re.DOTALL)
_FUNCTION_END = re.compile(r"\s*</function>")
_CALL_END = re.compile(r"\s*(?:</tool_call>|(?=<tool_call>))")
_STOP = re.compile(r"\s*(?:<\|eom_id\|>|<\|eot_id\|>|</s>)?")
_FENCED = re.compile(
    r"(`{3,}|~{3,})[ \t]*(?:json|tool_call|tool_calls|tool_code)?[ \t]*\n(.*)\n[ \t]*\1\s*\Z", re.DOTALL
)
_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args")
_BESIDE = frozenset({"id", "type", *_NAMES, *_ARGUMENTS})


def read_object(value: Any, tools: Collection[str], *, is_bare: bool = False) -> TextCall | None:
    """An object as a call of one of the tools; a bare one must have arguments and no keys of other things."""
    if not is_object(value):
        return None
    if is_object(inner := value.get("function")):
        return read_object(inner, tools, is_bare=is_bare)
    name: str = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    if name not in tools or (is_bare and not value.keys() <= _BESIDE):
        return None
    key = next((key for key in _ARGUMENTS if key in value), None)
    if key is None:
        return None if is_bare else TextCall(name, "{}")
    arguments: Any = value[key]
    if isinstance(arguments, str):
        arguments = _load(arguments)
    if arguments is None and not is_bare:
        arguments = {}
    return TextCall(name, to_text(arguments)) if is_object(arguments) else None


def _load(text: str) -> Any:
    try:
        return _decoder.decode(text)
    except (ValueError, RecursionError):
        return None


def _read_json(place: CallPosition, at: int, *, is_bare: bool = False) -> FoundCall | None:
    """The call, or the list of calls, in the JSON at `at`."""
    try:
        value, end = _decoder.raw_decode(place.text, _skip(place.text, at))
        values = list(value) if is_array(value) else [value]
        calls = [read_object(each, place.tools, is_bare=is_bare) for each in values]
    except (ValueError, RecursionError):
        return None
    whole = [call for call in calls if call is not None]
    return (whole, end) if whole and len(whole) == len(calls) else None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _close(place: CallPosition, at: int, end: re.Pattern[str]) -> int | None:
    """Where the text goes on behind the closing tag; an answer that ends without one is closed as well."""
    if match := end.match(place.text, at):
        return match.end()
    return len(place.text) if place.is_over and not place.text[at:].strip() else None


def _read_tagged(place: CallPosition) -> FoundCall | None:
    at = _skip(place.text, place.at + len("<tool_call>"))
    if place.text.startswith("<function=", at):
        found = _read_function(CallPosition(place.text, at, place.is_over, place.tools))
    else:
        found = _read_json(place, at)
    end = None if found is None else _close(place, found[1], _CALL_END)
    return None if found is None or end is None else (found[0], end)


def _read_function(place: CallPosition) -> FoundCall | None:
    head = _FUNCTION.match(place.text, place.at)
    if head is None or head[1] not in place.tools:
        return None
    arguments: dict[str, Any] = {}
    at = head.end()
    try:
        if place.text.startswith("{", at):
            arguments, at = _decoder.raw_decode(place.text, at)
        while match := _PARAMETER.match(place.text, at):
            # All values are text here; the check of the tool reads them as its schema asks.
            arguments[match[1]] = match[2]
            at = match.end()
        call = TextCall(head[1], to_text(arguments))
    except (ValueError, RecursionError):
        return None
    end = _close(place, at, _FUNCTION_END)
    return None if end is None else ([call], end)


def _read_mistral(place: CallPosition) -> FoundCall | None:
    at = place.at + len("[TOOL_CALLS]")
    named = _NAMED.match(place.text, at)
    if named is None:
        return _read_json(place, at)
    if named[1] not in place.tools:
        return None
    try:
        value, end = _decoder.raw_decode(place.text, named.end())
        return [TextCall(named[1], to_text(value))], end
    except (ValueError, RecursionError):
        return None


def _read_python_tag(place: CallPosition) -> FoundCall | None:
    found = _read_json(place, place.at + len("<|python_tag|>"))
    calls: list[TextCall] = []
    while found is not None:
        calls += found[0]
        stop = _STOP.match(place.text, found[1])
        at = stop.end() if stop else found[1]
        if not place.text.startswith(";", at):
            return calls, at
        found = _read_json(place, at + 1)
    return None


def _read_answer(place: CallPosition) -> FoundCall | None:
    text = place.text[place.at :].strip()
    fenced = _FENCED.match(text)
    found = _read_json(CallPosition(fenced[2] if fenced else text, 0, True, place.tools), 0, is_bare=True)
    if found is None or (fenced[2] if fenced else text)[found[1] :].strip():
        return None
    return found[0], len(place.text)


def is_open(block: str) -> bool:
    """Whether the closing tag a block ends with stands inside a value that is not over yet."""
    opened = block.rfind("<parameter=")
    if opened >= 0:
        return opened > block.rfind("</parameter>")
    try:
        _decoder.raw_decode(block, block.index("{"))
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        pass
    return False


def _probe(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)


_KEYS = r"(?:name|tool|tool_name|function|arguments|parameters|args|id|type)"
_OBJECT = rf"\[?\s*(?:\Z|\{{\s*(?:\Z|\"(?:{_KEYS}\"|\w{{0,10}}\Z)))"
FORMS = (
    TextCallForm("<tool_call>", "</tool_call>", _probe(r"<tool_call>\s*(?:\Z|[\[{]|<)"), _read_tagged),
    TextCallForm(
        "<function=", "</function>", _probe(r"<function=\s*[\w.-]*\s*(?:\Z|>\s*(?:\Z|[{<]))"), _read_function
    ),
    TextCallForm(
        "[TOOL_CALLS]",
        "",
        _probe(r"\[TOOL_CALLS\]\s*(?:\Z|[\[{]|[\w.-]{1,128}(?:\Z|\s*[\[{]))"),
        _read_mistral,
    ),
    TextCallForm("<|python_tag|>", "", _probe(r"<\|python_tag\|>\s*(?:\Z|[\[{])"), _read_python_tag),
)
ANSWER = TextCallForm(
    "", "", _probe(rf"{_OBJECT}|[`~]+(?:\Z|[ \t]*[a-z_]*[ \t]*(?:\Z|\n\s*{_OBJECT}))"), _read_answer
)
"""A call without a marker: the whole answer."""
