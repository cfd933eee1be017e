"""A wire format of the tests, as small as can be, and servers that speak it, well or badly.

Events: `{"text": …}`, `{"call": name, "arguments": …}`, `{"error": …}`, and `{"end": true}`.
"""

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from oneclaw.core.answer import Answered, AnswerEvent, AnswerProgress, AnswerRestarted, TextAdded
from oneclaw.core.call import ToolCall
from oneclaw.core.message import AssistantMessage, CallPart, Part, TextPart, UserMessage
from oneclaw.providers.base import Provider, ProviderError, Request, ServerEvent
from oneclaw.providers.explain import explain
from oneclaw.providers.http.remote import RemoteProvider
from oneclaw.providers.http.retry import Retry
from oneclaw.testing import AnswerServer

Handler = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]

KEY = "sk-tiny-0123456789abcdef"
REQUEST = Request("m1", (UserMessage("hi"),))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
WHOLE = (
    b'data: {"text": "Hel"}\n\ndata: {"text": "lo"}\n\n'
    b'data: {"call": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}\n\ndata: {"end": true}\n\n'
)
HALF = b'data: {"text": "Hel"}\n\ndata: {"call": "read_file", "arguments": "{}"}\n\n'
QUICK = Retry(first_seconds=0.01)


class TinyReader:
    def __init__(self, request: Request) -> None:
        self._parts: list[Part] = []
        self.is_complete = False

    def feed(self, event: ServerEvent) -> Iterable[AnswerProgress]:
        try:
            return self._add(json.loads(event.data))
        except ValueError:
            raise ProviderError("The provider sent broken JSON.", "stream") from None

    def take(self, body: Mapping[str, Any]) -> Iterable[AnswerProgress]:
        return [each for event in body.get("events", []) for each in self._add(event)]

    def _add(self, event: Mapping[str, Any]) -> list[AnswerProgress]:
        if "error" in event:
            raise ProviderError(f"The provider broke off: {event['error']}", "overload")
        if "text" in event:
            self._parts.append(TextPart(event["text"]))
            return [TextAdded(event["text"])]
        if "call" in event:
            self._parts.append(
                CallPart(ToolCall(event["call"], event["arguments"], id=f"c{len(self._parts)}"))
            )
        self.is_complete = self.is_complete or "end" in event
        return []

    def message(self) -> AssistantMessage:
        return AssistantMessage(tuple(self._parts), "stop" if self.is_complete else "cut", wire="tiny")


class TinyWire:
    name = "tiny"

    def path(self, request: Request) -> str:
        return "/answer"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def write(self, request: Request) -> bytes:
        return json.dumps({"model": request.model}).encode()

    def reader(self, request: Request) -> TinyReader:
        return TinyReader(request)

    def explain(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return explain(status, headers, body)


def tiny(port: int, *, key: str | None = KEY, **rest: Any) -> RemoteProvider:
    rest = {"retry": QUICK, "label": "tiny", **rest}
    return RemoteProvider(TinyWire(), f"http://127.0.0.1:{port}/v1", key=lambda: key, **rest)


async def ask(provider: Provider, request: Request = REQUEST) -> list[AnswerEvent]:
    """All that comes of one request; the provider is closed after it."""
    try:
        async with aclosing(provider.answer(request)) as answers:
            return [answer async for answer in answers]
    finally:
        await provider.close()


async def ask_message(provider: Provider, request: Request = REQUEST) -> AssistantMessage:
    last = (await ask(provider, request))[-1]
    assert isinstance(last, Answered)
    return last.message


async def ask_either(
    provider: Provider, request: Request = REQUEST
) -> tuple[list[AnswerEvent], ProviderError | None]:
    """What comes of a request, and the failure where it fails."""
    given: list[AnswerEvent] = []
    try:
        async for answer in provider.answer(request):
            given.append(answer)
    except ProviderError as error:
        return given, error
    finally:
        await provider.close()
    return given, None


async def ask_badly(provider: Provider) -> tuple[list[AnswerEvent], ProviderError]:
    """What comes of a request before it fails, and the failure."""
    given, error = await ask_either(provider)
    assert error is not None, f"It did not fail: {given}"
    return given, error


def restarts(answers: Iterable[AnswerEvent]) -> list[AnswerRestarted]:
    return [answer for answer in answers if isinstance(answer, AnswerRestarted)]


def in_turn(*answers: bytes | Handler) -> Handler:
    """A server that gives each request the next of these answers, and the last one ever after."""
    left = list(answers)

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        now = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(now, bytes):
            writer.write(now)
        else:
            await now(request, writer)

    return answer


def status(code: int, body: bytes = b"{}", headers: str = "") -> bytes:
    head = f"HTTP/1.1 {code} Oh\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}{headers}\r\n".encode() + body


def reset_after(data: bytes) -> Handler:
    """Sends so much, then resets the connection."""

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        # With no time to linger, closing is a reset and not an end.
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        writer.transport.abort()

    return answer


def silence(data: bytes = b"") -> AnswerServer:
    """A server that sends so much and then nothing; it sees when the client leaves."""
    return AnswerServer(data, stays_open=True)
