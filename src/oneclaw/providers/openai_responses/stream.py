"""Reads Responses answers, streamed or whole.

An answer is a list of items: messages, reasoning, calls, and what the provider ran itself. Each comes as
`output_item.added`, deltas of its texts, and `output_item.done` with the whole item. Servers leave some of
these out: what comes late fills in what did not come before.
"""

import json
from collections.abc import Mapping
from typing import Any

from oneclaw.core.answer import AnswerProgress, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.call import ToolCall, new_call_id
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Finish,
    ForeignPart,
    Part,
    TextPart,
    ThoughtPart,
    Usage,
)
from oneclaw.core.subschema import is_array, is_object, object_of, text_of
from oneclaw.providers.base import ProviderError, ServerEvent
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.explain import explain_event, has_typed
from oneclaw.providers.one_answer import second_answer
from oneclaw.providers.openai_responses.item import (
    OWNERS,
    Item,
    ItemPiece,
    read_arguments,
    read_part,
    read_texts,
)
from oneclaw.providers.written import CUT, fault_of, with_unique_ids

_TEXTS: dict[str, tuple[ItemPiece, str]] = {
    "response.output_text": ("text", "text"),
    "response.refusal": ("refusal", "refusal"),
    "response.reasoning_summary_text": ("summary", "text"),
    "response.reasoning_text": ("thought", "text"),
    "response.function_call_arguments": ("arguments", "arguments"),
}
"""Events with text: the piece it is of, and the field with the whole of it."""
_PARTS = ("response.content_part", "response.reasoning_summary_part")
_ENDS = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}


class ResponsesReader:
    """Reads one answer to a request for `model` with the tools of `definitions`."""

    def __init__(self, wire: str, model: str, definitions: Definitions) -> None:
        self._wire = wire
        self._model = model
        self._definitions = definitions
        self._items: list[Item] = []
        self._known: dict[tuple[str | int, str], Item] = {}
        self._callers: dict[str, Item | None] = {}
        self._calls = 0
        self._created = ""
        self._is_complete = False
        self._end: Finish | None = None
        self._usage = Usage()

    @property
    def is_complete(self) -> bool:
        return self._is_complete

    def feed(self, event: ServerEvent) -> list[AnswerProgress]:
        data = None if self._is_complete else _read(event)
        if data is None:
            return []
        kind = data.get("type") or event.name
        if kind == "error" or (not kind and data.get("error")):
            raise _explain(data.get("error") or data)
        return self._take_event(kind, data) if isinstance(kind, str) else []

    def take(self, body: Mapping[str, Any]) -> list[AnswerProgress]:
        if is_object(body) and body.get("error"):
            return self._finish(body, "failed")
        # An answer that says nothing and not how it stands is none.
        output = body.get("output") if is_object(body) else None
        if has_typed(output) or (is_array(output) and body.get("status")):
            return self._finish(body, "completed")
        raise ProviderError(
            "The provider's answer is not one of the Responses API. Check the base URL of the provider.",
            "stream",
        )

    def message(self) -> AssistantMessage:
        items = sorted(self._items, key=lambda item: item.place)
        parts = [part for part in map(self._part, items) if part is not None]
        return AssistantMessage(
            with_unique_ids(parts), self._why(parts), self._wire, self._model, self._usage
        )

    def _take_event(self, kind: str, data: Mapping[str, Any]) -> list[AnswerProgress]:
        head, _, tail = kind.rpartition(".")
        if head in _TEXTS and tail in ("delta", "done"):
            return self._take_text(head, tail, data)
        if head in _PARTS and (read := read_part(data.get("part"))):
            piece, text = read
            item = self._owner(piece, data)
            return self._tell(item, piece, item.settle(piece, _index(piece, data), text))
        item = data.get("item")
        if head == "response.output_item" and is_object(item):
            found = self._find(data.get("output_index"), item.get("id"), item.get("type"), tail)
            return self._load(found, item, is_final=tail == "done")
        if kind == "response.created":
            self._open_answer(text_of(object_of(data.get("response")).get("id")))
        if kind in _ENDS:
            return self._finish(object_of(data.get("response")), _ENDS[kind])
        return []

    def _open_answer(self, named: str) -> None:
        if self._items or (self._created and named != self._created):
            raise second_answer()
        self._created = named

    def _take_text(self, head: str, tail: str, data: Mapping[str, Any]) -> list[AnswerProgress]:
        piece, whole = _TEXTS[head]
        text = data.get("delta" if tail == "delta" else whole)
        if piece == "arguments" and tail == "done":
            text = read_arguments(text)
        if not isinstance(text, str):
            return []
        item = self._owner(piece, data)
        index = _index(piece, data)
        if tail == "delta":
            return self._tell(item, piece, item.add(piece, index, text))
        progress = self._begin(item, data.get("name"))
        item.is_closed = item.is_closed or piece == "arguments"
        return progress + self._tell(item, piece, item.settle(piece, index, text))

    def _owner(self, piece: ItemPiece, data: Mapping[str, Any]) -> Item:
        return self._find(data.get("output_index"), data.get("item_id"), OWNERS[piece])

    def _find(self, index: Any, item_id: Any, kind: Any, event: str = "") -> Item:
        """The item an event is of: by its id, else by its place, for some servers give new ids each time.

        Others give all items one place, or neither: then one that is over is not the one that comes.
        """
        kind, named = text_of(kind), text_of(item_id)
        place = index if type(index) is int else None
        found = self._known.get((named, kind)) if named else None
        if found is None and (place is not None or not named):
            found = self._known.get(("" if place is None else place, kind))
            is_another = place is None or bool(found and found.id and named)
            if found is not None and is_another and found.is_over(event):
                found = None
        if found is None:
            found = Item(kind, len(self._items) if place is None else place)
            self._items.append(found)
        found.id = found.id or named
        for key in {"", named, "" if place is None else place}:  # "" for the last of its kind
            self._known[key, kind] = found
        return found

    def _load(self, item: Item, data: Mapping[str, Any], *, is_final: bool) -> list[AnswerProgress]:
        call_id = data.get("call_id")
        if isinstance(call_id, str) and call_id and not item.call_id:
            item.call_id = call_id
            # Where two have it, it tells neither apart.
            self._callers[call_id] = None if call_id in self._callers else item
        progress = self._begin(item, data.get("name"))
        if is_final:
            for piece, index, text in read_texts(data):
                progress += self._tell(item, piece, item.settle(piece, index, text))
            item.close(data)
        return progress

    def _begin(self, item: Item, name: Any) -> list[AnswerProgress]:
        """A call begins when its name is known."""
        if item.kind != "function_call" or item.name or not isinstance(name, str) or not name:
            return []
        item.name = name
        item.number = self._calls
        self._calls += 1
        begun = CallBegun(item.number, self._definitions.names.ours(name))
        return [begun, *self._tell(item, "arguments", item.arguments)]

    def _tell(self, item: Item, piece: ItemPiece, text: str) -> list[AnswerProgress]:
        if not text:
            return []
        if piece == "arguments":
            return [] if item.number is None else [ArgumentsAdded(item.number, text)]
        return [TextAdded(text) if OWNERS[piece] == "message" else ThoughtAdded(text)]

    def _finish(self, response: Mapping[str, Any], end: str) -> list[AnswerProgress]:
        """The provider's own end of the answer: what it lists fills in what did not come before."""
        progress = self._fill_in(response.get("output"))
        self._usage = _usage(response.get("usage"))
        status = response.get("status")
        if isinstance(status, str) and status in _ENDS.values():
            end = status
        if end in ("failed", "cancelled") or response.get("error"):
            raise _explain(response.get("error") or {"code": end, "message": f"The answer is {end}"})
        if end == "incomplete":
            reason = object_of(response.get("incomplete_details")).get("reason")
            self._end = "refusal" if reason == "content_filter" else "length"
        # One that says it is anything else, as queued, is not over.
        self._is_complete = not isinstance(status, str) or status in ("completed", "incomplete")
        return progress

    def _fill_in(self, output: Any) -> list[AnswerProgress]:
        listed = [each for each in enumerate(output) if is_object(each[1])] if is_array(output) else []
        if len(self._items) >= len(listed) and all(item.final for item in self._items):
            return []  # all of it came whole
        progress: list[AnswerProgress] = []
        for place, item in listed:
            progress += self._load(self._match(place, item), item, is_final=True)
        return progress

    def _match(self, place: int, item: Mapping[str, Any]) -> Item:
        """The item that came already for one of the final list; calls by their own id, as each runs once."""
        call_id, kind = item.get("call_id"), item.get("type")
        caller = self._callers.get(call_id) if isinstance(call_id, str) else None
        return caller if caller and caller.kind == kind else self._find(place, item.get("id"), kind)

    def _part(self, item: Item) -> Part | None:
        if item.kind == "function_call":
            return CallPart(self._call(item), item.echo)
        echo = item.echo
        if item.kind == "message":
            is_said = item.text or (echo is not None and echo.get("content"))
            return TextPart(item.text, echo) if is_said else None
        if item.kind == "reasoning":
            return ThoughtPart(item.text, echo) if item.text or echo else None
        return ForeignPart(item.final, item.label) if item.final is not None else None

    def _call(self, item: Item) -> ToolCall:
        item.call_id = item.call_id or new_call_id()
        text = item.arguments
        fault = self._fault(item, text)
        try:
            name, arguments = self._definitions.read_call(item.name, text if text.strip() else "{}")
        except RecursionError:
            name, arguments = self._definitions.names.ours(item.name), text
        return ToolCall(name, arguments, item.call_id, fault)

    def _fault(self, item: Item, text: str) -> str:
        if not self._is_complete or item.status == "incomplete":
            return CUT
        is_empty = not text.strip()
        if item.is_closed and (self._end is None or (is_empty and item.status == "completed")):
            return ""  # whole, as the provider says; whether it is JSON is for the engine to see
        return fault_of(text, True)

    def _why(self, parts: list[Part]) -> Finish:
        if not self._is_complete:
            return "cut"
        if self._end is not None:
            return self._end
        if any(isinstance(part, CallPart) for part in parts):
            return "calls"
        return "refusal" if any(item.does_refuse for item in self._items) else "stop"


def _index(piece: ItemPiece, data: Mapping[str, Any]) -> int:
    if piece == "arguments":
        return 0
    return _count(data.get("summary_index" if piece == "summary" else "content_index"))


def _read(event: ServerEvent) -> Mapping[str, Any] | None:
    """The object of an event; None for what is no object, as the `[DONE]` some servers end with."""
    if event.data.strip() == "[DONE]":
        return None
    try:
        data: Any = json.loads(event.data)
    except (ValueError, RecursionError):
        raise ProviderError("The provider sent an event that is no JSON. Try again.", "stream") from None
    return data if is_object(data) else None


def _explain(error: Any) -> ProviderError:
    if not is_object(error):
        return explain_event("", str(error)[:400])
    codes = (text_of(error.get("type")), text_of(error.get("code")))
    named = " ".join(code for code in codes if code not in ("", "error"))
    return explain_event(named, text_of(error.get("message")))


def _usage(usage: Any) -> Usage:
    usage = object_of(usage)
    read, written = (
        object_of(usage.get("input_tokens_details")),
        object_of(usage.get("output_tokens_details")),
    )
    return Usage(
        input=_count(usage.get("input_tokens")),
        output=_count(usage.get("output_tokens")),
        cached=_count(read.get("cached_tokens")),
        cache_written=_count(read.get("cache_write_tokens")),
        reasoning=_count(written.get("reasoning_tokens")),
    )


def _count(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0
