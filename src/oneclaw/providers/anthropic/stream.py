"""Reads Anthropic answers, streamed or whole.

An answer is a list of blocks, each begun, added to and ended by events that name its index. What is added is
collected in lists and joined once, when the message is asked for.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from oneclaw.core.answer import AnswerProgress, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.call import ToolCall
from oneclaw.core.message import AssistantMessage, CallPart, Finish, Part, ThoughtPart, Usage
from oneclaw.core.subschema import is_array, is_object, object_of, objects_in, text_of
from oneclaw.providers.anthropic.block import AnswerBlock, foreign_part, text_part
from oneclaw.providers.anthropic.message import NAME
from oneclaw.providers.base import ProviderError, ServerEvent
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.explain import check_ready, explain_event, has_typed, one_line
from oneclaw.providers.one_answer import second_answer
from oneclaw.providers.written import CUT, as_object, fault_of, is_deep, to_text, with_unique_ids

_FINISHES: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "calls",
    # A turn that paused goes on when it is sent back: the loop asks again after `calls`, also without any.
    "pause_turn": "calls",
    "compaction": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_PAUSES = frozenset({"pause_turn", "compaction"})
_REFUSED = "The answer was broken off by a filter, so this call was not run. Answer without it."


class AnthropicReader:
    """Reads one answer. After the end of the message nothing is taken in any more."""

    def __init__(self, definitions: Definitions, fingerprint: Callable[[], str]) -> None:
        """`fingerprint` tells what the answer comes after; it is asked only when there are thoughts."""
        self._definitions = definitions
        self._fingerprint = fingerprint
        self._blocks: list[AnswerBlock] = []
        self._open: dict[int, AnswerBlock] = {}
        self._calls = 0
        self._stop_reason = ""
        self._usage: dict[str, int] = {}
        self._started: Mapping[str, Any] | None = None
        self._is_complete = False

    @property
    def is_complete(self) -> bool:
        return self._is_complete

    def feed(self, event: ServerEvent) -> Iterable[AnswerProgress]:
        if self._is_complete or event.data.strip() == "[DONE]":
            return ()
        content = _read(event)
        kind = content.get("type") or event.name
        if kind == "error" or (not kind and content.get("error")):
            raise _error(content)
        if kind == "message_start":
            return self._open_message(object_of(content.get("message")))
        if kind == "content_block_start":
            return self._begin(content.get("index"), object_of(content.get("content_block")))
        if kind == "content_block_delta":
            return self._add(content.get("index"), object_of(content.get("delta")))
        if kind == "content_block_stop":
            if (block := self._find(content.get("index"))) is not None:
                block.is_ended = True
        elif kind == "message_delta":
            return self._note(object_of(content.get("delta")), content.get("usage"))
        elif kind == "message_stop":
            self._is_complete = True
        return ()

    def take(self, body: Mapping[str, Any]) -> Iterable[AnswerProgress]:
        if self._is_complete:
            return ()
        if body.get("type") == "error" or body.get("error"):
            raise _error(body)
        check_ready(body)
        content = body.get("content")
        # A message that says nothing and not why it ended is the place of one that is to come.
        is_answer = has_typed(content) or (is_array(content) and body.get("stop_reason"))
        if not is_answer or body.get("type") not in (None, "message") or is_deep(body):
            raise ProviderError(
                "The provider answered without a message. Check its base URL and that it speaks the Anthropic"
                " format.",
                "stream",
            )
        progress = self._start(body)
        self._is_complete = True
        return progress

    def message(self) -> AssistantMessage:
        finish = self._finish()
        parts = [part for block in self._blocks if (part := self._part(block, finish)) is not None]
        return AssistantMessage(with_unique_ids(parts), finish, NAME, "", self._count())

    # What the events say

    def _open_message(self, message: Mapping[str, Any]) -> list[AnswerProgress]:
        if self._started is None and not self._blocks:
            self._started = message
            return self._start(message)
        if self._blocks or message != self._started:
            raise second_answer()
        return []  # the same event twice, and nothing in between

    def _start(self, message: Mapping[str, Any]) -> list[AnswerProgress]:
        """The message as it begins, which with a whole body, and at times in a stream, is all of it."""
        progress: list[AnswerProgress] = []
        for block in objects_in(message.get("content")):
            progress += self._begin(None, block)
            self._blocks[-1].is_ended = True
        return progress + self._note(message, message.get("usage"))

    def _note(self, delta: Mapping[str, Any], usage: object) -> list[AnswerProgress]:
        self._stop_reason = text_of(delta.get("stop_reason")) or self._stop_reason
        # Later counts are of the whole answer so far; one that is left out stays as it was.
        details = object_of(object_of(usage).get("output_tokens_details"))
        for name, count in (*object_of(usage).items(), ("thinking_tokens", details.get("thinking_tokens"))):
            if type(count) is int and count >= 0:
                self._usage[name] = count
        said = text_of(object_of(delta.get("stop_details")).get("explanation"))
        has_text = any(block.kind == "text" for block in self._blocks)
        if self._stop_reason == "refusal" and said and not has_text:
            return self._add_text(len(self._blocks), "text", said)
        return []

    def _begin(self, index: object, began: Mapping[str, Any]) -> list[AnswerProgress]:
        block = AnswerBlock(began, self._calls)
        self._blocks.append(block)
        self._open[index if isinstance(index, int) else len(self._blocks) - 1] = block
        if block.kind == "tool_use":
            self._calls += 1
            begun = CallBegun(block.call_index, self._definitions.names.ours(text_of(began.get("name"))))
            given = block.arguments()
            text = given if isinstance(given, str) else to_text(given)
            return [begun] if text == "{}" else [begun, ArgumentsAdded(block.call_index, text)]
        if block.kind == "text" and block.whole("text"):
            return [TextAdded(block.whole("text"))]
        if block.kind == "thinking" and block.whole("thinking"):
            return [ThoughtAdded(block.whole("thinking"))]
        return []

    def _add(self, index: object, delta: Mapping[str, Any]) -> list[AnswerProgress]:
        kind = delta.get("type")
        if kind == "text_delta":
            return self._add_text(index, "text", text_of(delta.get("text")))
        if kind == "thinking_delta":
            return self._add_text(index, "thinking", text_of(delta.get("thinking")))
        block = self._find(index)
        if block is None:
            return []
        if kind == "citations_delta":
            block.citations.append(delta.get("citation"))
        elif kind == "signature_delta":
            block.added["signature"] = [text_of(delta.get("signature"))]
        elif kind == "input_json_delta":
            text = text_of(delta.get("partial_json"))
            block.add("partial_json", text)
            if text and block.kind == "tool_use":
                return [ArgumentsAdded(block.call_index, text)]
        else:
            for field, value in delta.items():
                if field != "type" and isinstance(value, str):
                    block.add(field, value)
        return []

    def _add_text(self, index: object, kind: str, text: str) -> list[AnswerProgress]:
        block = self._find(index)
        if block is None or block.kind != kind:
            self._begin(index, {"type": kind})
            block = self._blocks[-1]
        block.add(kind, text)
        if not text:
            return []
        return [TextAdded(text) if kind == "text" else ThoughtAdded(text)]

    def _find(self, index: object) -> AnswerBlock | None:
        """The block an event is about: the last begun with its index, or the last when it names none."""
        if isinstance(index, int):
            return self._open.get(index)
        return self._blocks[-1] if self._blocks else None

    # What the message is

    def _finish(self) -> Finish:
        if not self._is_complete:
            return "cut"
        if self._stop_reason in _PAUSES:
            return "calls"
        finish = _FINISHES.get(self._stop_reason, "stop")
        if finish in ("stop", "calls"):  # the calls decide: they are there, or there is nothing to run
            return "calls" if self._calls else "stop"
        return finish

    def _part(self, block: AnswerBlock, finish: Finish) -> Part | None:
        if block.kind == "text":
            return text_part(block)
        if block.kind in ("thinking", "redacted_thinking"):
            return self._thought(block)
        if block.kind == "tool_use":
            return self._call(block, finish)
        return foreign_part(block)

    def _thought(self, block: AnswerBlock) -> ThoughtPart:
        """A thought goes back only with its signature, which comes at its end."""
        text = block.whole("thinking")
        field = "signature" if block.kind == "thinking" else "data"
        signature = block.whole(field)
        if not signature or not block.is_ended:
            return ThoughtPart(text)
        return ThoughtPart(text, {"type": block.kind, field: signature, "after": self._fingerprint()})

    def _call(self, block: AnswerBlock, finish: Finish) -> CallPart:
        given, name = block.arguments(), text_of(block.began.get("name"))
        tool, arguments = self._definitions.read_call(name, given)
        echo = {
            field: value
            for field in ("caller", "toolset_name")
            if (value := block.began.get(field)) is not None
        }
        if arguments is not given:
            echo["input"] = as_object(given)  # as the model wrote it, not as the tool is given it
        call = ToolCall(tool, arguments, block.id, self._fault(block, given, finish))
        return CallPart(call, echo or None)

    def _fault(self, block: AnswerBlock, given: str | Mapping[str, Any], finish: Finish) -> str:
        if finish == "cut":
            return CUT
        if finish == "refusal":
            return _REFUSED
        is_last = block is self._blocks[-1] and finish == "length"
        if is_last and not block.whole("partial_json").strip():
            return CUT  # nothing of it was written, or it was closed for the model: something is missing
        return fault_of(given if isinstance(given, str) else to_text(given), is_last or not block.is_ended)

    def _count(self) -> Usage:
        count = self._usage.get
        cached, written = count("cache_read_input_tokens", 0), count("cache_creation_input_tokens", 0)
        read = count("input_tokens", 0) + cached + written
        return Usage(read, count("output_tokens", 0), cached, written, count("thinking_tokens", 0))


def _read(event: ServerEvent) -> Mapping[str, Any]:
    try:
        content: Any = json.loads(event.data)
    except (ValueError, RecursionError):
        content = None
    if is_object(content) and not is_deep(content):
        return content
    said = one_line(event.data)[:100]
    if event.name == "error":
        raise explain_event("", said)
    raise ProviderError(f"The provider sent {said!r} in its answer, which is no event. Try again.", "stream")


def _error(content: Mapping[str, Any]) -> ProviderError:
    error = object_of(content.get("error"))
    said = text_of(error.get("message")) or text_of(content.get("error"))
    return explain_event(text_of(error.get("type")), one_line(said))
