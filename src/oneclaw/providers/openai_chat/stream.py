"""Reads chat answers, streamed or whole."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from oneclaw.core.answer import AnswerProgress, TextAdded, ThoughtAdded
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
from oneclaw.core.subschema import is_array, is_object, list_of, object_of, text_of
from oneclaw.providers.base import ProviderError, ServerEvent
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.explain import check_ready, explain, explain_event
from oneclaw.providers.one_answer import OneAnswer
from oneclaw.providers.openai_chat.calls import CallCollector
from oneclaw.providers.openai_chat.text_calls import TextCall, TextCalls
from oneclaw.providers.openai_chat.thoughts import Thought
from oneclaw.providers.openai_chat.usage import read_usage
from oneclaw.providers.written import to_text, with_unique_ids

_FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "max_length": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "safety": "refusal",
    "recitation": "refusal",
    "blocked": "refusal",
}
"""Every other reason, as `stop`, `tool_calls` or `eos`, is `calls` where there are calls, else `stop`."""
_BROKEN = ("error", "abort", "cancelled", "insufficient_system_resource")
_NONE = ("", "null", "none")  # not over yet, as some servers say it
_FIELDS = ("reasoning_content", "reasoning")
_THOUGHTS = frozenset({*_FIELDS, "reasoning_details"})


@dataclass(slots=True)
class _TextPiece:
    pieces: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Call:
    number: int


@dataclass(frozen=True, slots=True)
class _Foreign:
    chunk: Mapping[str, Any]


_Block = _TextPiece | Thought | _Call | _Foreign


class ChatReader:
    """Reads one answer: see `Reader`. Complete once a finish reason or `[DONE]` was seen."""

    def __init__(self, model: str, definitions: Definitions, *, text_calls: bool = False) -> None:
        self._model = model
        self._calls = CallCollector(definitions)
        self._blocks: list[_Block] = []
        self._finish: Finish | Literal["", "done"] = ""
        self._is_refused = False
        self._usage = Usage()
        self._one_answer = OneAnswer()
        self._has_choice = False
        tools = {*definitions.dialected, *map(definitions.names.wire, definitions.dialected)}
        self._written = TextCalls(tools) if text_calls and tools else None

    @property
    def is_complete(self) -> bool:
        return bool(self._finish)

    def feed(self, event: ServerEvent) -> Iterable[AnswerProgress]:
        if event.data.strip() == "[DONE]":
            if not self._has_choice:
                raise _no_choices()
            return list(self._end("")) if not self._finish else []
        try:
            chunk: Any = json.loads(event.data)
        except (ValueError, RecursionError):
            raise ProviderError(
                "The provider sent an event that is no JSON. Try again, and check the base URL of the"
                " provider.",
                "stream",
            ) from None
        if not is_object(chunk):
            return []
        self._check(chunk, event.name)
        self._one_answer.check(chunk.get("id"), _begins(chunk))
        return self._take_choice(chunk, "delta")

    def take(self, body: Mapping[str, Any]) -> Iterable[AnswerProgress]:
        self._check(body, "")
        check_ready(body)
        progress = [*self._take_choice(body, "message")]
        # A choice that says nothing and not why it ended is the place of one that is to come.
        if not self._has_choice or not (self._blocks or self._finish):
            raise _no_choices()
        return progress if self._finish else [*progress, *self._end("stop")]

    def message(self) -> AssistantMessage:
        is_complete = self.is_complete
        # After a bare [DONE] nobody said that the arguments are whole.
        is_cut = self._finish in ("length", "refusal", "done")
        parts: list[Part] = []
        for block in self._blocks:
            parts += self._parts(block, is_complete, is_cut)
        if self._written is not None and (held := self._written.held):
            parts.append(TextPart(held))
        finish = self._finish_of(parts)
        return AssistantMessage(with_unique_ids(parts), finish, "openai_chat", self._model, self._usage)

    def _finish_of(self, parts: list[Part]) -> Finish:
        if not self._finish:
            return "cut"
        if self._is_refused or self._finish == "refusal":
            return "refusal"
        if self._finish == "length":
            return "length"
        return "calls" if any(isinstance(part, CallPart) for part in parts) else "stop"

    def _parts(self, block: _Block, is_complete: bool, is_cut: bool) -> Iterator[Part]:
        if isinstance(block, _TextPiece):
            if text := "".join(block.pieces):
                yield TextPart(text)
        elif isinstance(block, Thought):
            yield ThoughtPart(block.text, block.echo)
        elif isinstance(block, _Foreign):
            yield ForeignPart({"chunk": dict(block.chunk)})
        elif (part := self._calls.part(block.number, is_complete, is_cut)) is not None:
            yield part

    def _check(self, chunk: Mapping[str, Any], name: str) -> None:
        """Take in the usage; raise where the chunk is an error."""
        self._usage = read_usage(chunk) or self._usage
        error = chunk.get("error")
        is_error = name == "error" or str(chunk.get("object")).lower() == "error"
        if error or (is_error and "choices" not in chunk):
            raise _explain(error if is_object(error) else {"message": error} if error else chunk)

    def _take_choice(self, chunk: Mapping[str, Any], key: str) -> list[AnswerProgress]:
        choice = _choice(chunk)
        if choice is None:
            return []
        self._has_choice = True
        said: Any = choice.get(key)
        if not is_object(said):
            # Some servers end a stream with the whole message: it is news only where nothing came before.
            key, said = "message", choice.get("message")
        progress: list[AnswerProgress] = []
        if is_object(said) and (key == "delta" or not self._blocks):
            progress += self._take_delta(said, is_whole=key == "message")
        reason = text_of(choice.get("finish_reason")).lower()
        if reason in _BROKEN:
            error = choice.get("error")
            raise _explain(error if is_object(error) else {"code": "overloaded", "message": reason})
        if reason not in _NONE:
            progress += self._end(reason)
        return progress

    def _take_delta(self, delta: Mapping[str, Any], is_whole: bool) -> Iterator[AnswerProgress]:
        yield from self._take_thought(delta)
        content = delta.get("content")
        for each in content if is_array(content) else [content]:
            yield from self._take_content(each)
        if refusal := text_of(delta.get("refusal")):
            self._is_refused = True
            yield from self._add_text(refusal)
        yield from self._take_calls(delta.get("tool_calls"), is_whole)
        if legacy := object_of(delta.get("function_call")):
            yield from self._take_calls({"index": "function_call", "function": legacy}, is_whole)

    def _take_thought(self, delta: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        if delta.keys().isdisjoint(_THOUGHTS):  # most pieces have none
            return
        details = list_of(delta.get("reasoning_details"))
        name = next((each for each in _FIELDS if text_of(delta.get(each))), "")
        if name or details:
            added = self._thought().add(text_of(delta.get(name)), name, details)
            if added:
                yield ThoughtAdded(added)

    def _take_content(self, content: Any) -> Iterator[AnswerProgress]:
        if isinstance(content, str):
            yield from self._take_text(content)
        elif is_object(content):
            kind, text = content.get("type"), content.get("text")
            if kind in ("text", "output_text", None) and isinstance(text, str):
                yield from self._take_text(text)
            elif kind == "thinking":
                added = self._thought().add_chunk(content)
                if added:
                    yield ThoughtAdded(added)
            elif kind:
                self._blocks.append(_Foreign(content))

    def _take_text(self, text: str) -> Iterator[AnswerProgress]:
        if self._written is None or self._finish:
            yield from self._add_text(text)
        else:
            yield from self._add_pieces(self._written.feed(text))

    def _add_pieces(self, pieces: Iterable[str | TextCall]) -> Iterator[AnswerProgress]:
        for piece in pieces:
            if isinstance(piece, str):
                yield from self._add_text(piece)
            else:
                function = {"name": piece.name, "arguments": piece.arguments}
                yield from self._take_calls({"function": function}, is_whole=True)

    def _add_text(self, text: str) -> Iterator[AnswerProgress]:
        if text:
            self._text().pieces.append(text)
            yield TextAdded(text)

    def _take_calls(self, raw: Any, is_whole: bool) -> Iterator[AnswerProgress]:
        before = len(self._calls)
        progress = [*self._calls.add(raw, is_whole=is_whole)]
        self._blocks += [_Call(number) for number in range(before, len(self._calls))]
        yield from progress

    def _text(self) -> _TextPiece:
        """The text that is being written; a new one where something else came last."""
        if self._blocks and isinstance(last := self._blocks[-1], _TextPiece):
            return last
        self._blocks.append(text := _TextPiece())
        return text

    def _thought(self) -> Thought:
        if self._blocks and isinstance(last := self._blocks[-1], Thought):
            return last
        self._blocks.append(thought := Thought())
        return thought

    def _end(self, reason: str) -> Iterator[AnswerProgress]:
        self._finish = _FINISHES.get(reason, "stop") if reason else "done"
        if self._written is not None:
            yield from self._add_pieces(self._written.end(is_whole=self._finish == "stop"))
        yield from self._calls.end()


def _begins(chunk: Mapping[str, Any]) -> bool:
    """Whether a chunk says what the first one of an answer says: who speaks, or a call."""
    delta = object_of((_choice(chunk) or {}).get("delta"))
    return bool(delta.get("role") or delta.get("tool_calls"))


def _choice(chunk: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first choice: nobody asks for several."""
    for choice in list_of(chunk.get("choices")):
        if is_object(choice) and choice.get("index") in (0, None):
            return choice
    return None


def _no_choices() -> ProviderError:
    return ProviderError(
        "The provider's answer has no choices. Check the base URL of the provider.", "stream"
    )


def _explain(error: Mapping[str, Any]) -> ProviderError:
    """An error inside a stream; a number as its code is an HTTP status that came too late."""
    code = error.get("code") or error.get("status_code")
    if isinstance(code, str) and code.isdecimal():
        code = int(code[:6])
    said = error.get("message") or error.get("detail") or ""
    codes = (error.get("code"), error.get("type"), error.get("status"))
    named = " ".join(each for each in codes if isinstance(each, str))
    if isinstance(code, int) and 400 <= code < 600:
        with suppress(RecursionError):
            return explain(code, {}, to_text({"error": dict(error)}).encode())
    return explain_event(named, said if isinstance(said, str) else "")
