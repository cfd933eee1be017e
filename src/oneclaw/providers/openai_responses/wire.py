"""Writes Responses requests."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from oneclaw.core.call import Image
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    Part,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.subschema import object_of, text_of
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.explain import explain
from oneclaw.providers.openai_responses.stream import ResponsesReader
from oneclaw.providers.output import instruct, openai_output
from oneclaw.providers.written import (
    WrittenRequests,
    WrittenSet,
    as_object,
    fault_of,
    join_body,
    join_list,
    to_text,
    wire_id,
)

NAME = "openai_responses"

_Item = dict[str, Any]
_LEAST_TOKENS = 16  # a request for fewer is refused
_MOST_MODELS = 8
_ENCRYPTED = "reasoning.encrypted_content"
_OURS = frozenset({"input", "tools", "stream"})
_OF_TOOLS = frozenset({"tool_choice", "parallel_tool_calls"})
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_REASONS = re.compile(
    r"(?:^|[/:])(?:o\d|gpt-(?:[5-9]|\d\d)|codex|grok-(?:[4-9]|\d\d|3-mini|code))(?!.*(?:-chat|non-reasoning))",
    re.IGNORECASE,
)
_NOT_RUN = "This call was not run: there is no such tool here."


class OpenAIResponses:
    """The wire format of `/responses`, as OpenAI and xAI speak it. Nothing is stored at the provider.

    `strict` has the provider hold the model to each schema that allows it, of a tool or of the answer.
    """

    name = NAME

    def __init__(self, strict: bool = True) -> None:
        self._strict = strict
        self._written: dict[tuple[str, bool], WrittenRequests] = {}

    def path(self, request: Request) -> str:
        return "/responses"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def write(self, request: Request) -> bytes:
        written = self._written_for(request)
        can_call = request.can_call and bool(request.tools)
        raw = {"input": join_list(written.texts(request.messages))}
        if can_call:
            raw["tools"] = written.tools_text
        return join_body(_head(request, can_call, openai_output(request, self._strict)), **raw)

    def reader(self, request: Request) -> ResponsesReader:
        return ResponsesReader(NAME, request.model, self._written_for(request).definitions)

    def explain(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return explain(status, headers, body)

    def _written_for(self, request: Request) -> WrittenSet:
        """Kept by model: only the model that made a reasoning item can read it again."""
        key = request.model, request.options.get("store") is True
        written = self._written.get(key)
        if written is None:
            if len(self._written) >= _MOST_MODELS:
                self._written.clear()
            write = partial(_write, model=key[0], is_stored=key[1])
            written = self._written[key] = WrittenRequests(NAME, write, strict=self._strict)
        return written.of(request.tools)


def _head(request: Request, can_call: bool, output: _Item) -> _Item:
    head: _Item = {"model": request.model, "stream": True, "store": False}
    if instructions := instruct(request, bool(output)):
        head["instructions"] = instructions
    if request.most_tokens is not None:
        head["max_output_tokens"] = max(_LEAST_TOKENS, request.most_tokens)
    if does_reason(request):
        head["include"] = [_ENCRYPTED]
    barred = _OURS if can_call else _OURS | _OF_TOOLS
    head |= {name: value for name, value in request.options.items() if name not in barred}
    if output:
        head["text"] = {"format": {"type": "json_schema", **output}, **object_of(head.get("text"))}
    return head


def does_reason(request: Request) -> bool:
    """Whether the model gives reasoning items: one that does not refuses to be asked for their content."""
    effort = object_of(request.options.get("reasoning")).get("effort")
    return bool(_REASONS.search(request.model) or effort)


def _write(message: Message, definitions: Definitions, *, model: str, is_stored: bool) -> Iterable[_Item]:
    if isinstance(message, UserMessage):
        return [{"role": "user", "content": _content(message.text, message.images)}]
    if isinstance(message, AssistantMessage):
        return _write_answer(message, definitions, _made_by(message, model), is_stored)
    return [
        {
            "type": "function_call_output",
            "call_id": _wire_id(result.call_id),
            "output": _content(result.to_json(), result.images),
        }
        for result in message.results
    ]


def _content(text: str, images: tuple[Image, ...]) -> str | list[_Item]:
    if not images:
        return text
    said: list[_Item] = [{"type": "input_text", "text": text}] if text else []
    urls = (f"data:{each.media_type};base64,{base64.b64encode(each.data).decode()}" for each in images)
    return [*said, *({"type": "input_image", "detail": "auto", "image_url": url} for url in urls)]


def _made_by(message: AssistantMessage, model: str) -> bool:
    """Whether this model made the message; the one of a message may have the provider's name before it."""
    same = message.model in ("", model) or message.model.endswith(f"/{model}")
    return same and message.wire == NAME


def _write_answer(
    message: AssistantMessage, definitions: Definitions, is_own: bool, is_stored: bool
) -> Iterator[_Item]:
    """The items of an answer.

    A reasoning item and the item it led to are refused one without the other. So one whose item is not sent
    is left out too, and behind one that cannot be sent the items go as if somebody else had said them.
    """
    thoughts: list[_Item] = []
    bare = not is_own
    foreign = [part.echo for part in message.parts if isinstance(part, ForeignPart)]
    calls = [(str(echo.get("type")), str(echo["call_id"])) for echo in foreign if echo.get("call_id")]
    outputs = frozenset(calls)
    for part in message.parts:
        if isinstance(part, ThoughtPart):
            if is_own:
                thought = _write_thought(part, is_stored)
                bare = thought is None
                thoughts = [*thoughts, thought] if thought else []
            continue
        items = list(_write_part(part, definitions, bare, outputs))
        if items:
            yield from thoughts
            yield from items
        thoughts = []


def _write_thought(part: ThoughtPart, is_stored: bool) -> _Item | None:
    """The reasoning item, if the provider can read it: it keeps none, so the content must be there."""
    echo = part.echo
    if echo is None or echo.get("type") != "reasoning":
        return None
    if not (is_stored or echo.get("encrypted_content") or echo.get("content")):
        return None
    return {"summary": [], **echo}


def _write_part(
    part: Part, definitions: Definitions, bare: bool, outputs: frozenset[tuple[str, str]]
) -> Iterator[_Item]:
    if isinstance(part, TextPart):
        if part.echo is not None and part.echo.get("type") == "message" and not bare:
            yield {**part.echo}
        elif part.text:
            yield {"role": "assistant", "content": part.text}
    elif isinstance(part, CallPart):
        yield _write_call(part, definitions, bare)
    elif isinstance(part, ForeignPart) and not bare:
        yield from _write_foreign(part, outputs)


def _write_call(part: CallPart, definitions: Definitions, bare: bool) -> _Item:
    call = part.call
    echo: Mapping[str, Any] = {} if bare or part.echo is None else part.echo
    # As the model wrote them, where they are whole: what the provider has cached stays the same.
    arguments = text_of(echo.get("arguments")) or call.arguments
    if not isinstance(arguments, str) or fault_of(arguments, True):
        arguments = to_text(as_object(arguments))
    return {
        **echo,
        "type": "function_call",
        "call_id": _wire_id(call.id),
        "name": definitions.sent_name(call.name),
        "arguments": arguments,
    }


def _wire_id(call_id: str) -> str:
    """Longer ids are taken here than elsewhere, and what came goes back as it was."""
    return call_id if _NAME.match(call_id) else wire_id(call_id)


def _write_foreign(part: ForeignPart, outputs: frozenset[tuple[str, str]]) -> Iterator[_Item]:
    """The item as it came. A call that waits for an output from us would have the conversation refused."""
    kind, call_id = part.echo.get("type"), part.echo.get("call_id")
    if not isinstance(kind, str):
        return
    is_open = bool(call_id) and kind.endswith("_call") and (f"{kind}_output", str(call_id)) not in outputs
    if is_open and kind != "custom_tool_call":
        return
    yield {**part.echo}
    if is_open:
        yield {"type": "custom_tool_call_output", "call_id": call_id, "output": _NOT_RUN}
