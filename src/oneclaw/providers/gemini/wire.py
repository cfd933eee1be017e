"""Writes Gemini requests.

Parts, not messages, are written once: answers in a row become one content, as a call has to come right after
the user or a result. Models from Gemini 3 on are written to in two ways of their own: pictures of a result
lie inside its `functionResponse` (before, they follow it in the same content), and a first call without a
signature, as one of another provider, gets the one that says so (without any, the request is refused).
Thoughts go back only when they are signed: the others would be read, and paid for, to no effect.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from oneclaw.core.call import Image, ToolResult
from oneclaw.core.define.naming import fit_name
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.subschema import is_object, text_of
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.gemini.error import explain_answer
from oneclaw.providers.gemini.pieces import OWN_ID
from oneclaw.providers.gemini.stream import WIRE, GeminiReader
from oneclaw.providers.output import dialect_output, instruct
from oneclaw.providers.written import WrittenRequests, as_object, join_body, join_list, wire_id

UNSIGNED = "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv"
"""The signature Google names for calls of other models: it is not checked."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}\Z")
_NAME_CHARS = 100
_GENERATION = re.compile(r"gemini-(?:(\d+)|.*latest)")
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp"})
_MORE_PICTURES = frozenset({*_PICTURES, "image/heic", "image/heif"})
_EMPTY = "(empty message)"
_BEGIN = '{"role":"user","parts":[{"text":"(the conversation goes on)"}]}'
_PROTECTED = frozenset({"contents", "tools", "systemInstruction", "model", "generationConfig", "toolConfig"})
_GENERATION_CONFIG = frozenset(
    {
        *("temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "stopSequences", "seed"),
        *("presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs", "thinkingConfig"),
        *("responseMimeType", "responseSchema", "responseJsonSchema", "responseFormat"),
        *("responseModalities", "mediaResolution", "speechConfig", "imageConfig", "audioTimestamp"),
        *("enableEnhancedCivicAnswers", "enableAffectiveDialog", "routingConfig"),
        *("modelSelectionConfig", "audioTranscriptionConfig", "translationConfig"),
    }
)


class Gemini:
    """The wire format. `use_parameters` sends schemas in Gemini's own form, for older endpoints."""

    name = WIRE

    def __init__(self, use_parameters: bool = False) -> None:
        self._dialect = provider = "gemini_parameters" if use_parameters else "gemini"
        self._before_3 = WrittenRequests(provider, _Parts(is_3=False).write)
        self._from_3 = WrittenRequests(provider, _Parts(is_3=True).write)

    def path(self, request: Request) -> str:
        is_full = request.model.startswith(("models/", "tunedModels/"))
        model = request.model if is_full else f"models/{request.model}"
        return f"/v1beta/{quote(model)}:streamGenerateContent?alt=sse"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def write(self, request: Request) -> bytes:
        written = self._written(request).of(request.tools)
        contents = join_list(join_contents(request.messages, written.texts(request.messages)))
        raw = {"tools": written.tools_text} if request.tools else {}
        return join_body(_head(request, _output_config(request, self._dialect)), **raw, contents=contents)

    def reader(self, request: Request) -> GeminiReader:
        return GeminiReader(self._written(request).of(request.tools).definitions)

    def explain(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return explain_answer(status, headers, body)

    def _written(self, request: Request) -> WrittenRequests:
        return self._from_3 if is_from_3(request.model) else self._before_3


def is_from_3(model: str) -> bool:
    """Whether a model is Gemini 3 or later; `gemini-flash-latest` is."""
    found = _GENERATION.match(model.removeprefix("models/"))
    return found is not None and int(found[1] or 3) >= 3


def _output_config(request: Request, dialect: str) -> dict[str, Any]:
    """The fields that set the format of the answer; empty without one, or if the instructions describe it.

    Models before Gemini 3 refuse a format beside tools.
    """
    output = request.output
    if output is None or not output.is_native or (request.tools and not is_from_3(request.model)):
        return {}
    schema = dialect_output(output, dialect).schema
    field = "responseSchema" if dialect == "gemini_parameters" else "responseJsonSchema"
    return {} if schema is None else {"responseMimeType": "application/json", field: schema}


def _head(request: Request, output: Mapping[str, Any]) -> dict[str, Any]:
    head: dict[str, Any] = {}
    if instructions := instruct(request, bool(output)):
        head["systemInstruction"] = {"parts": [{"text": instructions}], "role": "user"}
    options = {_camel(name): value for name, value in request.options.items()}
    config: dict[str, Any] = {**output}
    if request.most_tokens is not None:
        config["maxOutputTokens"] = request.most_tokens
    config |= {name: value for name, value in options.items() if name in _GENERATION_CONFIG}
    config |= _as_map(options.get("generationConfig"))
    if config:
        head["generationConfig"] = config
    choice = _as_map(options.get("toolConfig"))
    if request.tools and not request.can_call:
        # Told so, it knows the tools of past calls, and the start of the request stays as it was cached.
        choice["functionCallingConfig"] = {"mode": "NONE"}
    if choice:
        head["toolConfig"] = choice
    others = _PROTECTED | _GENERATION_CONFIG
    return head | {name: value for name, value in options.items() if name not in others}


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def _as_map(value: Any) -> dict[str, Any]:
    return {_camel(name): each for name, each in value.items()} if is_object(value) else {}


def join_contents(messages: Sequence[Message], texts: Sequence[str]) -> list[str]:
    """The contents of a conversation from the parts of its messages; the user begins it."""
    contents: list[str] = []
    after_model = False
    for message, text in zip(messages, texts, strict=True):
        if not text:
            continue
        is_model = isinstance(message, AssistantMessage)
        if is_model and after_model:
            contents[-1] = f"{contents[-1].removesuffix(']}')},{text}]}}"
        else:
            if is_model and not contents:
                contents.append(_BEGIN)
            contents.append(f'{{"role":"{"model" if is_model else "user"}","parts":[{text}]}}')
        after_model = is_model
    return contents or [_BEGIN]


class _Parts:
    """Writes messages as parts. It knows the calls of the last answer: results are named as these were."""

    def __init__(self, is_3: bool) -> None:
        self._is_3 = is_3
        self._called: list[tuple[str, str]] = []

    def write(self, message: Message, definitions: Definitions) -> Iterator[dict[str, Any]]:
        if isinstance(message, UserMessage):
            if message.text or not message.images:
                yield {"text": message.text or _EMPTY}
            yield from (_picture(image) for image in message.images)
        elif isinstance(message, ResultsMessage):
            for number, result in enumerate(message.results):
                # As its call was sent: a result may show a made-up name cut, or without a secret.
                call_id, name = self._called[number] if number < len(self._called) else ("", "")
                is_known = name and call_id == result.call_id
                yield from self._result(result, name if is_known else _name(result.tool, definitions))
        else:
            yield from self._answer(message, definitions)

    def _answer(self, message: AssistantMessage, definitions: Definitions) -> Iterator[dict[str, Any]]:
        self._called = []
        is_ours = message.wire == WIRE
        for part in message.parts:
            if isinstance(part, ForeignPart):
                if is_ours and is_object(part.echo.get("part")):
                    yield {**part.echo["part"]}
                continue
            signed = text_of((part.echo or {}).get("thoughtSignature")) if is_ours else ""
            signature = {"thoughtSignature": signed} if signed else {}
            if isinstance(part, CallPart):
                yield self._call(part, definitions, signature, is_ours)
            elif isinstance(part, TextPart) and (part.text or signature):
                yield {"text": part.text, **signature}
            elif isinstance(part, ThoughtPart) and signature:
                yield {"text": part.text, "thought": True, **signature}

    def _call(
        self, part: CallPart, definitions: Definitions, signature: dict[str, str], is_ours: bool
    ) -> dict[str, Any]:
        call = part.call
        name = _name(call.name, definitions)
        echoed = part.echo.get("args") if is_ours and part.echo else None
        arguments = {**echoed} if is_object(echoed) else as_object(call.arguments)
        if self._is_3 and not signature and not self._called:
            signature = {"thoughtSignature": UNSIGNED}
        self._called.append((call.id, name))
        return {"functionCall": {**_id(call.id), "name": name, "args": arguments}, **signature}

    def _result(self, result: ToolResult, name: str) -> Iterator[dict[str, Any]]:
        response: dict[str, Any] = {**_id(result.call_id), "name": name, "response": result.for_model()}
        inside = [image for image in result.images if self._is_3 and _media_type(image) in _PICTURES]
        if inside:
            response["parts"] = [_picture(image) for image in inside]
        yield {"functionResponse": response}
        yield from (_picture(image) for image in result.images if image not in inside)


def _id(call_id: str) -> dict[str, str]:
    """The id of a call, unless it is ours alone: then results are told apart by their order."""
    return {} if not call_id or call_id.startswith(OWN_ID) else {"id": wire_id(call_id)}


def _name(name: str, definitions: Definitions) -> str:
    try:
        return definitions.names.wire(name)
    except KeyError:
        shown = name[:_NAME_CHARS]  # as results show it
        return shown if _NAME.match(shown) else fit_name(shown)


def _media_type(image: Image) -> str:
    return "image/jpeg" if image.media_type == "image/jpg" else image.media_type


def _picture(image: Image) -> dict[str, Any]:
    media_type = _media_type(image)
    if media_type not in _MORE_PICTURES:
        told = f"(a picture of the type {media_type} was left out: the model does not take this type)"
        return {"text": told}
    return {"inlineData": {"mimeType": media_type, "data": b64encode(image.data).decode()}}
