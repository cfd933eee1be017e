"""Loopback server that plays recorded answers and keeps requests."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

_CLOSE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class ServedRequest:
    """A request as the server got it; the names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)


class AnswerServer:
    """Gives each request the next of `answers`, and the last one ever after. Each is a whole HTTP answer.

        async with AnswerServer(fixture.answer) as server:
            provider = MyProvider(server.url, "a key")

    piece_bytes  sends the answer in pieces of so many bytes; None sends it at once
    stays_open   sends the answer and then nothing: the connection stays open until the client closes it
    """

    def __init__(self, *answers: bytes, piece_bytes: int | None = None, stays_open: bool = False) -> None:
        if not answers:
            raise ValueError("An AnswerServer needs at least one answer to play.")
        self._answers = list(answers)
        self._piece_bytes = piece_bytes
        self._stays_open = stays_open
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.port = 0
        self.requests: list[ServedRequest] = []
        self.began = asyncio.Event()
        """Set when an answer was sent, or as much of it as is sent."""
        self.left = asyncio.Event()
        """Set when the client closed a connection that stays open."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "AnswerServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._open.values():
            writer.transport.abort()
        await asyncio.gather(*self._open)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._open[task] = writer
        try:
            self.requests.append(await _read_request(reader))
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            await self._send(answer, writer)
            self.began.set()
            if self._stays_open:
                await _read_to_end(reader)
                self.left.set()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()
            del self._open[task]

    async def _send(self, answer: bytes, writer: asyncio.StreamWriter) -> None:
        size = self._piece_bytes or len(answer) or 1
        for start in range(0, len(answer), size):
            writer.write(answer[start : start + size])
            await writer.drain()
            await asyncio.sleep(0)


async def _read_request(reader: asyncio.StreamReader) -> ServedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ServedRequest(method, path, headers, body)


async def _read_to_end(reader: asyncio.StreamReader) -> None:
    while await reader.read(1 << 16):
        pass


async def has_left(server: AnswerServer) -> bool:
    """Whether the client closes its connection, within a few seconds."""
    try:
        await asyncio.wait_for(server.left.wait(), _CLOSE_SECONDS)
    except TimeoutError:
        return False
    return True
