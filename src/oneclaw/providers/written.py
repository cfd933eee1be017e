"""Caches the JSON of messages, so that each is written once.

A conversation only grows, and its messages do not change. So the JSON text of each message is kept, and a
request joins the texts: what the wire needs and no more, however long the conversation is.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oneclaw.core.call import unique_ids
from oneclaw.core.message import CallPart, Message, Part
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.definitions import Definitions, definitions_for

Items = Iterable[dict[str, Any]]
WriteMessage = Callable[[Message, Definitions], Items]
_INVALID_CHARS = 2_000
_MOST_SETS = 16
_MOST_LEVELS = 100
_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}\Z")

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class WrittenRequests:
    """Cached JSON of one wire: for each set of tools, the tools and the messages."""

    def __init__(self, provider: str, write: WriteMessage, *, strict: bool = True) -> None:
        """`write` turns one message into the items it becomes on the wire."""
        self._provider = provider
        self._write = write
        self._strict = strict
        self._sets: dict[int, WrittenSet] = {}

    def of(self, tools: tuple[ToolDefinition, ...]) -> "WrittenSet":
        """The cache for these tools; made once for the same tuple."""
        known = self._sets.get(id(tools))
        if known is None or known.tools is not tools:
            if len(self._sets) >= _MOST_SETS:
                self._sets.clear()
            known = self._sets[id(tools)] = WrittenSet(self._provider, self._write, tools, self._strict)
        return known


class WrittenSet:
    """The definitions of some tools, and the JSON of the messages that were sent with them."""

    def __init__(
        self, provider: str, write: WriteMessage, tools: tuple[ToolDefinition, ...], strict: bool = True
    ) -> None:
        self.tools = tools  # kept, so that no other tuple can have its id
        self.definitions = definitions_for(tools, provider, strict=strict)
        self.tools_text = to_text(self.definitions.tools)
        self._write = write
        self._texts: dict[int, tuple[Message, str]] = {}

    def texts(self, messages: Sequence[Message]) -> list[str]:
        """The JSON of each message: its items with commas between; empty for a message that has none."""
        if len(self._texts) > 2 * len(messages) + 64:
            self._texts = {}  # most of it is of conversations that are over
        return [self._text(message) for message in messages]

    def _text(self, message: Message) -> str:
        known = self._texts.get(id(message))
        if known is None:
            items = self._write(message, self.definitions)
            known = self._texts[id(message)] = (message, ",".join(to_text(item) for item in items))
        return known[1]


def to_text(value: Any) -> str:
    """JSON that every provider reads: what is no UTF-8 or no number there is replaced."""
    try:
        text = encode(value)
        text.encode()
    except (UnicodeEncodeError, ValueError, TypeError):
        text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), default=str)
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def join_body(head: Mapping[str, Any], **raw: str) -> bytes:
    """The body of a request: `head` as an object, with fields behind it whose JSON is there already."""
    fields = [to_text(dict(head))[1:-1], *(f'"{name}":{text}' for name, text in raw.items())]
    return ("{" + ",".join(field for field in fields if field) + "}").encode()


def join_list(texts: Iterable[str]) -> str:
    """A JSON list of items that are there as text; empty ones are left out."""
    return "[" + ",".join(text for text in texts if text) + "]"


def as_object(arguments: Mapping[str, Any] | str | bytes) -> dict[str, Any]:
    """The arguments of a past call as an object, which is all that any provider takes back.

    Text that is no JSON object, as a model wrote it once, goes back as the value of `invalid_arguments`:
    sent as it is, it would have the conversation refused for good.
    """
    if isinstance(arguments, Mapping):
        return {"invalid_arguments": "(nested too deeply)"} if is_deep(arguments) else {**arguments}
    text = arguments if isinstance(arguments, str) else arguments.decode("utf-8", "replace")
    if not text.strip():
        return {}
    try:
        read: Any = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if is_object(read) and not is_deep(read):
        return {**read}
    return {"invalid_arguments": text[:_INVALID_CHARS]}


def is_deep(value: Any) -> bool:
    """Whether a value is nested so deeply that an encoder may run out of stack on it."""
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [
            inner
            for each in level
            if is_object(each) or is_array(each)
            for inner in (each.values() if is_object(each) else each)
        ]
        if not level:
            return False
    return True


def wire_id(call_id: str) -> str:
    """A call's id as every provider takes it: its own where it fits, else one always made the same."""
    if _ID.match(call_id):
        return call_id
    return "call_" + hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:24]


def with_unique_ids(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts of an answer, each call with an id that no other call of the answer has."""
    every = list(parts)
    calls = iter(unique_ids(part.call for part in every if isinstance(part, CallPart)))
    return tuple(CallPart(next(calls), part.echo) if isinstance(part, CallPart) else part for part in every)


CUT = (
    "The answer was cut off before the arguments of this call were complete, so it was not run."
    " Make the call again, with shorter arguments."
)


def faulted(part: Part) -> Part:
    """The part of an answer that broke off: a call in it must not run."""
    if not isinstance(part, CallPart) or part.call.fault:
        return part
    return CallPart(replace(part.call, fault=CUT), part.echo)


def fault_of(text: str, is_cut: bool) -> str:
    """Why a call must not run: its answer was cut, and its arguments are no whole JSON object."""
    if not is_cut:
        return ""
    try:
        return "" if is_object(json.loads(text)) else CUT
    except (ValueError, RecursionError):
        return CUT
