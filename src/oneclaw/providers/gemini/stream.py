"""Reads Gemini answers, streamed or whole."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oneclaw.core.answer import AnswerProgress, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.call import unique_ids
from oneclaw.core.message import AssistantMessage, CallPart, Finish, ForeignPart, Part, Usage
from oneclaw.core.subschema import is_array, is_object, object_of, objects_in, text_of
from oneclaw.providers.base import ProviderError, ServerEvent
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.explain import one_line
from oneclaw.providers.gemini.error import explain_error
from oneclaw.providers.gemini.pieces import CallPiece, TextPiece, read_echo
from oneclaw.providers.one_answer import OneAnswer
from oneclaw.providers.written import CUT

WIRE = "gemini"
_REFUSED = frozenset(
    {
        *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    }
)
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE"})
_ENOUGH = frozenset({"STOP", "MAX_TOKENS"})
_STOPPED = "The provider's filter stopped the answer that asks for this call, so it was not run."
_ABOUT = ("groundingMetadata", "urlContextMetadata", "citationMetadata")
_MOST_LEVELS = 200


class GeminiReader:
    """Reads one answer. Only its first candidate is read: more are never asked for."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._pieces: list[TextPiece | CallPiece | ForeignPart] = []
        self._calls: list[CallPiece] = []
        self._open: dict[str, CallPiece] = {}
        self._counts: dict[str, int] = {}
        self._about: dict[str, Any] = {}
        self._finish: Finish | None = None
        self._one_answer = OneAnswer()

    @property
    def is_complete(self) -> bool:
        return self._finish is not None

    def feed(self, event: ServerEvent) -> list[AnswerProgress]:
        """Take in one event: a chunk, or a list of them."""
        data = event.data.strip()
        if not data or data == "[DONE]":
            return []
        try:
            chunk: Any = json.loads(data)
        except (ValueError, RecursionError):
            raise ProviderError(
                f"The provider sent a chunk that is no JSON: {one_line(data)[:80]!r}. Try again.", "stream"
            ) from None
        # Only a text with so many brackets can be so deep: the usual one is not walked.
        if data.count("{") + data.count("[") > _MOST_LEVELS:
            _check_depth(chunk)
        return self._take_chunks(chunk)

    def take(self, body: Mapping[str, Any] | Sequence[Any]) -> list[AnswerProgress]:
        """Take in a whole answer: one response, or the list of them that a stream without events is."""
        _check_depth(body)
        progress = self._take_chunks(body)
        if self._finish is None and not self._pieces:
            raise ProviderError(
                "The provider's answer has no candidates. Check the base URL of the provider.", "stream"
            )
        return progress

    def message(self) -> AssistantMessage:
        """The message so far."""
        calls = iter(unique_ids(each.to_call(self._definitions, self._fault(each)) for each in self._calls))
        parts: list[Part] = []
        for piece in self._pieces:
            if isinstance(piece, ForeignPart):
                parts.append(piece)
            elif isinstance(piece, TextPiece):
                parts.append(piece.to_part())
            else:
                call = next(calls)
                parts.append(CallPart(call, piece.to_echo(call)))
        if self._about:
            parts.append(ForeignPart({"about": dict(self._about)}, _name_sources(self._about)))
        finish = "calls" if self._finish == "stop" and self._calls else self._finish or "cut"
        return AssistantMessage(tuple(parts), finish, WIRE, usage=self._usage())

    def _fault(self, call: "CallPiece") -> str:
        if self._finish is None or call.is_open:
            return CUT
        return _STOPPED if self._finish == "refusal" else call.fault

    def _usage(self) -> Usage:
        counts = self._counts
        thoughts = counts.get("thoughtsTokenCount", 0)
        return Usage(
            input=counts.get("promptTokenCount", 0) + counts.get("toolUsePromptTokenCount", 0),
            output=counts.get("candidatesTokenCount", 0) + thoughts,
            cached=counts.get("cachedContentTokenCount", 0),
            reasoning=thoughts,
        )

    def _take_chunks(self, chunk: Any) -> list[AnswerProgress]:
        chunks: Sequence[Any] = chunk if is_array(chunk) else [chunk]
        return [progress for each in chunks if is_object(each) for progress in self._take_chunk(each)]

    def _take_chunk(self, chunk: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        error = chunk.get("error")
        if error:
            raise explain_error(error if is_object(error) else {"message": one_line(str(error))})
        # Each chunk counts all tokens so far, but not every chunk counts everything.
        counts = object_of(chunk.get("usageMetadata"))
        self._counts |= {name: count for name, count in counts.items() if type(count) is int and count >= 0}
        feedback = object_of(chunk.get("promptFeedback"))
        reason = text_of(feedback.get("blockReason"))
        if reason and reason != "BLOCKED_REASON_UNSPECIFIED":
            yield from self._refuse("The provider's filter refused the request", reason, feedback)
        for candidate in objects_in(chunk.get("candidates")):
            if not candidate.get("index"):
                self._one_answer.check(chunk.get("responseId"), bool(candidate.get("content")))
                yield from self._take_candidate(candidate)
                return

    def _take_candidate(self, candidate: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        for part in objects_in(object_of(candidate.get("content")).get("parts")):
            if is_object(part.get("functionCall")):
                yield from self._take_call(part["functionCall"], part)
            elif isinstance(part.get("text"), str) or not _kinds(part):
                # A part of a signature alone is sent back as an empty text: it has to be something.
                yield from self._take_text(part)
            else:
                self._pieces.append(ForeignPart({"part": {**part}}, _describe(part)))
        self._about |= {name: candidate[name] for name in _ABOUT if candidate.get(name)}
        reason = text_of(candidate.get("finishReason"))
        if reason and reason != "FINISH_REASON_UNSPECIFIED":
            yield from self._end(reason, candidate)

    def _take_text(self, part: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        text = text_of(part.get("text"))
        is_thought = part.get("thought") is True
        echo = read_echo(part)
        last = self._pieces[-1] if self._pieces else None
        # What is signed stays a part of its own: a signature goes back on exactly the text it came with.
        if isinstance(last, TextPiece) and last.is_thought == is_thought and not last.echo and not echo:
            last.texts.append(text)
        elif text or echo:
            self._pieces.append(TextPiece(is_thought, text, echo))
        if text:
            yield ThoughtAdded(text) if is_thought else TextAdded(text)

    def _take_call(self, said: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        call = self._continued(said)
        if call is None:
            if not said:
                return  # the end of a call that was never begun
            call = CallPiece(len(self._calls), said, read_echo(part))
            self._calls.append(call)
            self._pieces.append(call)
            yield CallBegun(call.index, self._definitions.names.ours(call.name))
        elif not call.echo:
            call.echo = read_echo(part)
        text = call.add(said)
        if call.is_open:
            self._open[call.id] = call
        else:
            self._open.pop(call.id, None)
        if text:
            yield ArgumentsAdded(call.index, text)

    def _continued(self, said: Mapping[str, Any]) -> "CallPiece | None":
        """The open call that more is said of: the one of that id, or the last one when none is named."""
        if isinstance(said.get("id"), str) and said["id"]:
            return self._open.get(said["id"])
        if said.get("name"):
            return None
        last = self._calls[-1] if self._calls else None
        return last if last and last.is_open else None

    def _end(self, reason: str, candidate: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        if reason in _REFUSED:
            yield from self._refuse("The provider's filter stopped the answer", reason, candidate)
            return
        has_answer = any(not isinstance(piece, TextPiece) or not piece.is_thought for piece in self._pieces)
        if reason in _MALFORMED or (reason not in _ENOUGH and not has_answer):
            said = text_of(candidate.get("finishMessage"))
            told = f" ({one_line(said)[:200]})" if said else ""
            raise ProviderError(
                f"The provider ended its answer with {one_line(reason)[:60]}{told}. Try again or choose"
                " another model.",
                "stream",
            )
        self._finish = "length" if reason == "MAX_TOKENS" else "stop"

    def _refuse(self, what: str, reason: str, about: Mapping[str, Any]) -> Iterator[AnswerProgress]:
        said = text_of(about.get("finishMessage") or about.get("blockReasonMessage"))
        has_text = any(isinstance(piece, TextPiece) and not piece.is_thought for piece in self._pieces)
        told = f"{what} ({one_line(reason)[:60]}). {one_line(said)}".rstrip()
        text = f"\n\n{told}" if has_text else told
        self._finish = "refusal"
        self._pieces.append(TextPiece(False, text, None))
        yield TextAdded(text)


def _kinds(part: Mapping[str, Any]) -> list[str]:
    """The content of a part, without its metadata."""
    about = ("thought", "thoughtSignature", "text", "functionCall", "partMetadata", "videoMetadata")
    return [name for name, value in part.items() if name not in about and value is not None]


def _describe(part: Mapping[str, Any]) -> str:
    """Display text of an opaque part."""
    for kind in _kinds(part):
        value = object_of(part[kind])
        for key in ("code", "output"):
            if isinstance(value.get(key), str):
                return value[key]
        if isinstance(value.get("mimeType"), str):
            return f"[{value['mimeType'][:80]}]"
    return f"[{', '.join(_kinds(part))[:80]}]"


def _name_sources(about: Mapping[str, Any]) -> str:
    chunks = objects_in(object_of(about.get("groundingMetadata")).get("groundingChunks"))
    found = objects_in([source for chunk in chunks for source in chunk.values()])
    sources = [f"{each.get('title') or ''} {each.get('uri') or ''}".strip() for each in found]
    return "Sources: " + "; ".join(filter(None, sources)) if any(sources) else ""


def _check_depth(value: Any) -> None:
    """Refuse what is nested so deep that it could not be written back; Google's own limit is half of it."""
    level: list[Any] = [value]
    for _ in range(_MOST_LEVELS):
        inner = [
            each.values() if is_object(each) else each for each in level if is_object(each) or is_array(each)
        ]
        level = [value for values in inner for value in values]
        if not level:
            return
    raise ProviderError(
        "The provider sent an answer that is nested too deep to be read. Try again.", "stream"
    )
