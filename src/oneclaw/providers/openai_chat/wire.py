"""Writes Chat Completions requests.

One format, many servers, and they differ. What is decided by the name of the model:

    most tokens    OpenAI's reasoning models (o1…, gpt-5…) want `max_completion_tokens`, all others know
                   `max_tokens`; if the owner's options name one of the two, neither is added
    Mistral        ids of nine letters and digits, no user after a tool, no `stream_options` on its own server
    echoes         thoughts and signatures go back to the model that wrote them and to no other

Thoughts that came as `reasoning_details` (OpenRouter) or as parts of the content (Mistral) always go back.
Those that came as `reasoning_content` or `reasoning` go back with calls only: there the servers want them
(DeepSeek answers 400 without), and in other answers some refuse them.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from oneclaw.core.call import Image
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
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.explain import explain
from oneclaw.providers.openai_chat.stream import ChatReader
from oneclaw.providers.output import instruct, openai_output
from oneclaw.providers.written import WrittenRequests, as_object, join_body, join_list, to_text, wire_id

WireItem = dict[str, Any]

_KEPT = ("messages", "tools", "stream")
_MOST_MODELS = 8
_MOST_TOKENS = ("max_tokens", "max_completion_tokens")
_REASONS = re.compile(r"(?:openai/)?(?:o[1-9]|gpt-(?:[5-9]|\d\d))")
_MISTRAL = re.compile(r"stral|xtral", re.IGNORECASE)
_NINE = re.compile(r"[a-zA-Z0-9]{9}\Z")
_BRIDGE = {"role": "assistant", "content": "OK"}  # between a tool and a user, where Mistral wants an answer


class OpenAIChat:
    """The wire format `openai_chat`.

    strict      hold the model to the schemas that allow it, of tools and of a structured answer; only for
                servers that know the fields
    text_calls  read calls that a local model writes as text, see text_calls
    """

    name = "openai_chat"

    def __init__(self, strict: bool = True, text_calls: bool = False) -> None:
        self._strict = strict
        self._text_calls = text_calls
        self._written: dict[str, WrittenRequests] = {}

    def path(self, request: Request) -> str:
        return "/chat/completions"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def write(self, request: Request) -> bytes:
        written = self._written_for(request.model).of(request.tools)
        texts = written.texts(request.messages)
        if is_mistral(request.model):
            texts = _bridged(request.messages, texts)
        form = openai_output(request, self._strict)
        output = {"response_format": {"type": "json_schema", "json_schema": form}} if form else {}
        if instructions := instruct(request, bool(output)):
            texts.insert(0, to_text({"role": "system", "content": instructions}))
        raw = {"messages": join_list(texts)}
        if request.tools and request.can_call:
            raw["tools"] = written.tools_text
        return join_body({**output, **_head(request)}, **raw)

    def reader(self, request: Request) -> ChatReader:
        definitions = self._written_for(request.model).of(request.tools).definitions
        can_write_calls = self._text_calls and request.can_call
        return ChatReader(request.model, definitions, text_calls=can_write_calls)

    def explain(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return explain(status, headers, body)

    def _written_for(self, model: str) -> WrittenRequests:
        """Cached JSON for this model: echoes and ids differ between models."""
        known = self._written.get(model)
        if known is None:
            if len(self._written) >= _MOST_MODELS:
                self._written.clear()
            write = _Writer(model)
            known = self._written[model] = WrittenRequests(self.name, write, strict=self._strict)
        return known


def is_mistral(model: str) -> bool:
    """Whether the model is one of Mistral's, wherever it runs: mistral, codestral, mixtral, pixtral."""
    return _MISTRAL.search(model) is not None


def _head(request: Request) -> dict[str, Any]:
    """The fields of the body but for those that grow with the conversation.

    An option of the owner overrides any of them; None or False as `stream_options` leaves it out.
    """
    head: dict[str, Any] = {"model": request.model, "stream": True}
    if not is_mistral(request.model) or "/" in request.model or ":" in request.model:
        head["stream_options"] = {"include_usage": True}
    options = {name: value for name, value in request.options.items() if name not in _KEPT}
    if request.most_tokens is not None and not any(name in options for name in _MOST_TOKENS):
        head[_MOST_TOKENS[bool(_REASONS.match(request.model))]] = request.most_tokens
    head |= options
    if not is_object(head.get("stream_options", {})):
        del head["stream_options"]
    return head


def _bridged(messages: Sequence[Message], texts: list[str]) -> list[str]:
    """The texts with an answer between the results of calls and what a user says next."""
    fresh: list[str] = []
    before: Message | None = None
    for message, text in zip(messages, texts, strict=True):
        if isinstance(message, UserMessage) and isinstance(before, ResultsMessage):
            fresh.append(to_text(_BRIDGE))
        fresh.append(text)
        before = message
    return fresh


class _Writer:
    """Turns a message into the items it becomes on the wire, for one model."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._is_mistral = is_mistral(model)

    def __call__(self, message: Message, definitions: Definitions) -> Iterator[WireItem]:
        if isinstance(message, UserMessage):
            text = [{"type": "text", "text": message.text}] if message.text else []
            content = [*text, *map(_picture, message.images)] if message.images else message.text
            yield {"role": "user", "content": content}
        elif isinstance(message, AssistantMessage):
            yield from self._answer(message, definitions)
        else:
            yield from self._results(message)

    def _answer(self, message: AssistantMessage, definitions: Definitions) -> Iterator[WireItem]:
        item: WireItem = {"role": "assistant"}
        is_same_model = message.model == self._model or message.model.endswith(f"/{self._model}")
        echoes = is_same_model and message.wire == OpenAIChat.name
        if content := _parts_content(message) if echoes else message.text:
            item["content"] = content
        if echoes:
            item |= _thoughts(message)
        if message.calls:
            item["tool_calls"] = [
                self._call(part, definitions, echoes) for part in message.parts if isinstance(part, CallPart)
            ]
        if "content" in item or "tool_calls" in item:
            yield item

    def _call(self, part: CallPart, definitions: Definitions, echoes: bool) -> WireItem:
        arguments = to_text(as_object(part.call.arguments))
        function = {"name": definitions.sent_name(part.call.name), "arguments": arguments}
        echo = part.echo if echoes else None
        return {**(echo or {}), "id": self._id(part.call.id), "type": "function", "function": function}

    def _results(self, message: ResultsMessage) -> Iterator[WireItem]:
        pictures: list[WireItem] = []
        for result in message.results:
            call_id = self._id(result.call_id)
            yield {"role": "tool", "tool_call_id": call_id, "content": result.to_json()}
            if result.images:
                told = f"Images in the result of the call {call_id} of {result.tool}:"
                pictures += [{"type": "text", "text": told}, *map(_picture, result.images)]
        if pictures:
            if self._is_mistral:
                yield _BRIDGE
            yield {"role": "user", "content": pictures}

    def _id(self, call_id: str) -> str:
        if not self._is_mistral:
            return wire_id(call_id)
        if _NINE.match(call_id):
            return call_id
        return sha256(call_id.encode("utf-8", "replace")).hexdigest()[:9]


def _picture(image: Image) -> WireItem:
    data = b64encode(image.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}


def _parts_content(message: AssistantMessage) -> str | list[WireItem]:
    """The content as it came: a list of chunks where there were other chunks than text."""
    chunks: list[WireItem] = []
    for part in message.parts:
        if isinstance(part, TextPart) and part.text:
            chunks.append({"type": "text", "text": part.text})
        elif isinstance(part, ThoughtPart | ForeignPart) and part.echo and is_object(part.echo.get("chunk")):
            chunks.append(dict(part.echo["chunk"]))
    return message.text if all(chunk.get("type") == "text" for chunk in chunks) else chunks


def _thoughts(message: AssistantMessage) -> WireItem:
    """The thoughts in the fields they came in."""
    fields: dict[str, str] = {}
    details: list[Any] = []
    for part in message.parts:
        if not isinstance(part, ThoughtPart) or not part.echo:
            continue
        if is_array(found := part.echo.get("reasoning_details")):
            details += found
        elif message.calls and isinstance(field := part.echo.get("field"), str):
            fields[field] = fields.get(field, "") + part.text
    return {**fields, "reasoning_details": details} if details else {**fields}
