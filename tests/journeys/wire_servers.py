"""Scripted model servers on loopback, one for each wire format, and an app that talks to them.

    async with talking(format, [answer("Hello."), ...]) as server, opened(home, server) as app:
        await app.ask("default", "hi")
        server.heard[0].users == ["hi"]

A server plays its replies in order and refuses what the provider it stands for would refuse: calls without
results, results without calls, names and ids that are not allowed. When it ends, nothing may be left to play.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.providers.formats.format import Call, Format, Heard, Part, Text, complaints

from oneclaw import App, Config
from oneclaw.core.message import Usage

SECONDS = 20.0
"""How long a test waits for what must happen: long, so that only what never happens fails."""

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, as a stream; `gate` is waited for before it begins."""

    parts: tuple[Part, ...]
    usage: Usage = field(default_factory=lambda: Usage(input=100, output=20))
    gate: asyncio.Event | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """An answer that is no success."""

    status: int
    text: str = "it does not work today"
    headers: tuple[tuple[str, str], ...] = ()
    page: str = ""

    def body(self) -> tuple[str, bytes]:
        if self.page:
            return "text/html", self.page.encode()
        return "application/json", json.dumps({"error": {"message": self.text}}).encode()


@dataclass(frozen=True, slots=True)
class Broken:
    """An answer that goes wrong: `after` nothing, its head, or all of it but for its own end.

    end    the connection is closed as if that were all        reset   it is reset
    hang   nothing more is said until the client leaves        fail    an error is told inside the stream
    flood  the text goes on for as long as anybody listens
    """

    then: Literal["end", "reset", "hang", "fail", "flood"]
    parts: tuple[Part, ...] = ()
    after: Literal["nothing", "head", "all but the end"] = "all but the end"
    text: str = "the machine gave up"


@dataclass(frozen=True, slots=True)
class Raw:
    """Any bytes as the body of a success."""

    body: bytes
    kind: str = "text/event-stream"


Reply = Answer | Refuse | Broken | Raw


def answer(*parts: Part | str, **more: Any) -> Answer:
    return Answer(tuple(Text(part) if isinstance(part, str) else part for part in parts), **more)


def call(name: str, arguments: Mapping[str, Any] | str | None = None, id: str = "") -> Answer:
    """An answer of one call."""
    return answer(Call(name, {} if arguments is None else arguments, id))


class WireServer:
    """One server. `heard` is what it understood of each request, `left` is set when a client walks away."""

    def __init__(self, format: Format, replies: Iterable[Reply]) -> None:
        self.format = format
        self.replies = list(replies)
        self.heard: list[Heard] = []
        self.raw: list[bytes] = []
        self.complaints: list[str] = []
        self.keys: list[str | None] = []
        self.left = asyncio.Event()
        self.asked = asyncio.Event()
        self.port = 0
        self._open: set[asyncio.Task[None]] = set()

    @property
    def label(self) -> str:
        return self.format.label

    @property
    def model(self) -> str:
        return f"{self.format.label}/{self.format.model}"

    @property
    def secret(self) -> str:
        """The name of the secret that holds its key."""
        return f"{self.label.upper()}_KEY_OF_THE_TEST"

    @property
    def key(self) -> str:
        return f"sk-{self.label}-0123456789abcdefABCDEF"

    def settings(self) -> dict[str, Any]:
        format, prefix = self.format, f"providers.{self.label}"
        values: dict[str, Any] = {
            f"{prefix}.wire": format.wire,
            f"{prefix}.base_url": f"http://127.0.0.1:{self.port}{format.base}",
            f"{prefix}.attempts": 2,
            f"{prefix}.idle_seconds": SECONDS,
        }
        if format.is_local:
            # Not small, it gets every tool there is: so it reads as much as models of that kind do.
            return {**values, f"models.{self.model}.small": False, f"models.{self.model}.window": 32_768}
        return {**values, f"{prefix}.key": self.secret}

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            self._open.discard(task)
            writer.close()

    async def stop(self) -> None:
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        heard = await self._read(reader)
        self.heard.append(heard)
        self.keys.append(self.format.key(heard.headers))
        wrong = complaints(heard, self.format.wire)
        self.complaints += wrong
        reply = self._next(wrong)
        self.asked.set()
        if isinstance(reply, Answer):
            return await self._answer(reply, writer)
        if isinstance(reply, Broken):
            return await self._break(reply, reader, writer)
        if isinstance(reply, Raw):
            status, kind, body, headers = 200, reply.kind, reply.body, ()
        else:
            (kind, body), status, headers = reply.body(), reply.status, reply.headers
        lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        return True

    def _next(self, wrong: list[str]) -> Reply:
        if wrong:
            return Refuse(400, f"the conversation is not valid: {wrong}")
        if not self.replies:
            self.complaints.append("a request came after the last reply")
            return Refuse(400, "nothing more was to be asked")
        return self.replies.pop(0)

    async def _read(self, reader: asyncio.StreamReader) -> Heard:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.raw.append(head + body)
        return self.format.hear(first.split(" ")[1], headers, json.loads(body))

    async def _answer(self, reply: Answer, writer: asyncio.StreamWriter) -> bool:
        writer.write(_HEAD)
        if reply.gate is not None:
            await writer.drain()
            await reply.gate.wait()
        events, ending = self.format.stream(reply.parts, reply.usage)
        for event in (*events, *ending):
            writer.write(_chunk(event))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _break(self, reply: Broken, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if reply.after != "nothing":
            writer.write(_HEAD)
        if reply.after == "all but the end":
            for event in self.format.stream(reply.parts, Usage())[0]:
                writer.write(_chunk(event))
        if reply.then == "fail":
            writer.write(_chunk(self.format.failure(reply.text)) + b"0\r\n\r\n")
        await writer.drain()
        if reply.then == "fail":
            return True  # it is the answer that failed, and not the connection
        if reply.then == "hang":
            await reader.read()  # gives nothing until the client closes its side
            self.left.set()
        elif reply.then == "flood":
            await self._flood(writer)
        elif reply.then == "reset":
            writer.transport.abort()
        return False

    async def _flood(self, writer: asyncio.StreamWriter) -> None:
        more = b"".join(_chunk(event) for event in self.format.stream([Text("on and on " * 200)], Usage())[0])
        try:
            while True:
                writer.write(more)
                await writer.drain()
        except OSError:
            self.left.set()
            raise


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


@asynccontextmanager
async def talking(format: Format, replies: Iterable[Reply] = ()) -> AsyncGenerator[WireServer]:
    """A server that plays the replies; all of them must be asked for, and nothing it has to refuse."""
    server = WireServer(format, replies)
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        await server.stop()
    assert server.complaints == []
    assert server.replies == []


@asynccontextmanager
async def opened(
    home: Path, *servers: WireServer, values: Mapping[str, Any] | None = None, **more: Any
) -> AsyncGenerator[App]:
    """An app that knows the servers; the first has the default model, the keys are in the secrets file."""
    settings: dict[str, Any] = {"models.default": servers[0].model}
    for server in servers:
        settings |= server.settings()
    write_secrets(home, servers)
    async with App(Config(home=home, values={**settings, **(values or {})}), **more) as app:
        yield app


def write_secrets(home: Path, servers: Sequence[WireServer]) -> None:
    home.mkdir(exist_ok=True)
    file = home / "secrets.toml"
    file.touch(mode=0o600)
    file.write_text("".join(f'{server.secret} = "{server.key}"\n' for server in servers))


@asynccontextmanager
async def story(
    home: Path, format: Format, replies: Iterable[Reply], **more: Any
) -> AsyncGenerator[tuple[App, WireServer]]:
    """One server and its app."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(talking(format, replies))
        yield await stack.enter_async_context(opened(home, server, **more)), server
