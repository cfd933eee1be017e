"""Writes Anthropic requests with cache markers and signed thoughts.

A thought is signed for one model and one beginning of a conversation (instructions, tools, all messages
before it); sent back behind any other it has the whole request refused, again and again. So each thought is
kept with a fingerprint of what it came after. A request is fingerprinted message by message in the same way,
and a thought whose fingerprint is another is left out: after a switch of the model, a summary, a shortened
result or other tools the conversation just goes on.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from operator import is_
from typing import Any

from oneclaw.core.message import AssistantMessage, Message
from oneclaw.core.subschema import is_object
from oneclaw.providers.anthropic.message import (
    EARLIER,
    GO_ON,
    NAME,
    after_of,
    is_paused,
    past_tools,
    write_answer,
    write_message,
)
from oneclaw.providers.anthropic.stream import AnthropicReader
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.explain import explain
from oneclaw.providers.output import dialect_output, instruct
from oneclaw.providers.written import WrittenRequests, WrittenSet, join_body, join_list, to_text

DEFAULT_TOKENS = 8_192
VERSION = "2026-10-21"
_RESERVED = frozenset({"messages", "tools", "stream"})
_MARK = ',"cache_control":{"type":"ephemeral"}'
_MARKED_MESSAGES = 2
_MOST_TOLD = 16
_WITHOUT_OUTPUT = re.compile(r"claude-(?:instant|[23](?![0-9])|(?:sonnet|opus)-4(?:-0|[-@]20|\Z))")
"""Models from before structured outputs; they refuse the field."""


class Anthropic:
    """The wire format of Anthropic. It remembers what it has written, so keep one for all requests."""

    def __init__(self) -> None:
        self._written = WrittenRequests(NAME, write_message)
        self._told: dict[tuple[str, int], _SentConversation] = {}

    @property
    def name(self) -> str:
        return NAME

    def path(self, request: Request) -> str:
        return "/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        """The key goes as a bearer token only: with `x-api-key` beside it the request may be refused."""
        version = {"anthropic-version": VERSION}
        return {**version, "Authorization": f"Bearer {key}"} if key else version

    def write(self, request: Request) -> bytes:
        written = self._written.of(request.tools)
        tools = _tools_text(request, written)
        head = _head(request, has_tools=bool(tools))
        told = self._tell(request, written, _start(head, tools))
        texts = _with_ends([*told.texts], told.messages[-1] if told.messages else None)
        # An owner who names `cache_control` has the say over caching; more than four markers are refused.
        if "cache_control" not in request.options:
            tools = _mark(tools, "}]") if tools else tools
            texts = _mark_last(texts)
            if "system" not in request.options and "system" in head:
                head["system"] = [{**head["system"][0], "cache_control": {"type": "ephemeral"}}]
        raw = {"tools": tools} if tools else {}
        return join_body(head, **raw, messages=join_list(texts))

    def reader(self, request: Request) -> AnthropicReader:
        definitions = self._written.of(request.tools).definitions
        return AnthropicReader(definitions, lambda: self.fingerprint(request))

    def explain(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return explain(status, headers, body)

    def fingerprint(self, request: Request) -> str:
        """The conversation that precedes the answer."""
        written = self._written.of(request.tools)
        tools = _tools_text(request, written)
        return self._tell(request, written, _start(_head(request, bool(tools)), tools)).link

    def _tell(self, request: Request, written: WrittenSet, start: str) -> "_SentConversation":
        """The conversation as it is sent; what was told with the last request is not looked at again."""
        messages = request.messages
        key = (start, id(messages[0]) if messages else 0)
        told = self._told.get(key)
        if told is None or not told.is_start_of(messages):
            if len(self._told) >= _MOST_TOLD:
                self._told.clear()
            told = self._told[key] = _SentConversation(start)
        told.extend(messages[len(told.messages) :], written)
        return told


class _SentConversation:
    """A conversation as it was last sent: the text of each message, and the fingerprint of all of them."""

    __slots__ = ("link", "messages", "texts")

    def __init__(self, start: str) -> None:
        self.messages: list[Message] = []
        self.texts: list[str] = []
        self.link = start

    def is_start_of(self, messages: Sequence[Message]) -> bool:
        return len(self.messages) <= len(messages) and all(map(is_, self.messages, messages))

    def extend(self, messages: Sequence[Message], written: WrittenSet) -> None:
        for message, whole in zip(messages, written.texts(messages), strict=True):
            text = _sent(message, whole, self.link, written)
            self.messages.append(message)
            self.link = _digest(self.link, text)
            if text:
                self.texts.append(text)


def _head(request: Request, has_tools: bool) -> dict[str, Any]:
    head: dict[str, Any] = {"model": request.model, "max_tokens": _most_tokens(request), "stream": True}
    output = _output_format(request)
    instructions = instruct(request, bool(output))
    if instructions.strip():
        head["system"] = [{"type": "text", "text": instructions}]
    head |= {name: value for name, value in request.options.items() if name not in _RESERVED}
    if output:
        own = head.get("output_config")
        head["output_config"] = {"format": output, **(own if is_object(own) else {})}
    if not has_tools:
        head.pop("tool_choice", None)  # refused without tools
    elif not (request.can_call and request.tools):
        head["tool_choice"] = {"type": "none"}
    return head


def _output_format(request: Request) -> dict[str, Any]:
    """The format of the answer; empty where there is none, or where it has to be told in words."""
    output = request.output
    if output is None or not output.is_native or _WITHOUT_OUTPUT.search(request.model):
        return {}
    dialected = dialect_output(output, "anthropic_output")
    return {"type": "json_schema", "schema": dialected.schema} if dialected.is_strict else {}


def _most_tokens(request: Request) -> int:
    """The longest answer. Thoughts count as answer, so their budget comes on top of our default."""
    if request.most_tokens is not None:
        return request.most_tokens
    thinking = request.options.get("thinking")
    budget = thinking.get("budget_tokens") if is_object(thinking) else None
    return DEFAULT_TOKENS + (budget if type(budget) is int and budget > 0 else 0)


def _tools_text(request: Request, written: WrittenSet) -> str:
    """The definitions; without any, those of past calls stand in, for these are refused without tools."""
    if request.tools:
        return written.tools_text
    past = past_tools(request.messages, written.definitions)
    return to_text(past) if past else ""


def _start(head: Mapping[str, Any], tools: str) -> str:
    return _digest(to_text([head.get("model"), head.get("system")]), tools)


def _digest(link: str, text: str) -> str:
    return sha256(f"{link}\n{text}".encode("utf-8", "replace")).hexdigest()[:32]


def _sent(message: Message, text: str, link: str, written: WrittenSet) -> str:
    if not isinstance(message, AssistantMessage) or after_of(message) in (None, link):
        return text
    return ",".join(map(to_text, write_answer(message, written.definitions, has_thoughts=False)))


def _with_ends(texts: list[str], last: Message | None) -> list[str]:
    """The conversation with the user at both ends, as it must be; only a turn that paused ends it itself."""
    if not texts or texts[0].startswith('{"role":"assistant"'):
        texts.insert(0, to_text(EARLIER))
    if texts[-1].startswith('{"role":"assistant"') and not is_paused(last):
        texts.append(to_text(GO_ON))
    return texts


def _mark_last(texts: list[str]) -> list[str]:
    """Cache markers at the end of this request and at that of the last one, where its cache ends."""
    left = _MARKED_MESSAGES
    for at in range(len(texts) - 1, -1, -1):
        if texts[at].startswith('{"role":"user"'):
            texts[at] = _mark(texts[at], "}]}")
            left -= 1
            if not left:
                break
    return texts


def _mark(text: str, tail: str) -> str:
    """The text with a cache marker in the object that ends with `tail`."""
    return text[: -len(tail)] + _MARK + tail
