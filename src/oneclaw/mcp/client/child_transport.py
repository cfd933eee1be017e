"""ChildTransport: speaks with a local MCP server over its input and output.

The server is a supervised child, so it ends with everything it started, also when this program is killed. Its
output is read line by line and no faster than it is used; what is no message is counted and left out. The end
of what it writes to stderr is kept for people.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from oneclaw.child.child import Child
from oneclaw.mcp.client.messages import LineReader, LineTooLong, Noise, Pace
from oneclaw.mcp.client.sdk import SessionMessage, anyio, types

READ_BYTES = 256 * 1024
LOG_BYTES = 16 * 1024
GRACE_SECONDS = 2.0
_LOG_PAUSE_BYTES = 4 << 20
_LOG_PAUSE_SECONDS = 0.1

StartChild = Callable[[dict[int, int]], Awaitable[Child]]
"""Starts the server with these descriptors."""


class ChildTransport:
    """A transport of the SDK.

    ended   is set when the server has ended or is unusable
    reason  why it was ended by us; empty when it ended by itself
    log     the end of what it wrote to stderr
    noise   the lines of its output that are no messages
    """

    def __init__(self, start: StartChild) -> None:
        self._start = start
        self.ended = asyncio.Event()
        self.reason = ""
        self.noise = Noise()
        self.child: Child | None = None
        self._log = bytearray()
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: list[Any] = []

    @property
    def log(self) -> str:
        return bytes(self._log).decode("utf-8", "replace")

    async def __aenter__(self) -> tuple[Any, Any]:
        pipes = [os.pipe() for _ in range(3)]
        ours = [pipes[0][1], pipes[1][0], pipes[2][0]]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        try:
            self.child = await self._start(dict(enumerate(theirs)))
        except BaseException:
            for fd in (*ours, *theirs):
                os.close(fd)
            raise
        for fd in theirs:
            os.close(fd)
        try:
            return await self._connect(ours)
        except BaseException:
            await self.__aexit__()
            raise

    async def _connect(self, ours: list[int]) -> tuple[Any, Any]:
        output, errors = await _reader(ours[1], self._closing), await _reader(ours[2], self._closing)
        writer = await _writer(ours[0])
        self._closing.append(writer)
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        self._tasks = [
            asyncio.ensure_future(self._read(output, incoming)),
            asyncio.ensure_future(self._read_log(errors)),
            asyncio.ensure_future(self._write(outgoing, writer)),
        ]
        self._closing += [incoming, read, write, outgoing]
        return read, write

    async def __aexit__(self, *_: object) -> None:
        closing, cancelled = asyncio.ensure_future(self._close()), False
        while not closing.done():  # each step of it is bounded, and a child must not be left
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for each in self._closing:
            each.close()
        if self.child is not None:
            # The input is closed by now: a server that behaves ends by itself.
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self.child.wait()
            self.child.kill()
            await self.child.gone()

    def fail(self, reason: str) -> None:
        """End the server for a reason that people are told."""
        self.reason = self.reason or reason
        if self.child is not None:
            self.child.kill(reason)
        self.ended.set()

    async def why_ended(self) -> str:
        """How the server ended, in words that follow its name."""
        if self.reason:
            return f"was stopped: {self.reason}"
        if self.child is None:
            return "did not start"
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self.child.wait()
        if not self.child.is_gone:
            return "closed its output"
        last = next((line.strip() for line in reversed(self.log.splitlines()) if line.strip()), "")
        said = f"; its last words were {last[:200]!r}" if last else ""
        return f"{self.child.exit}{said}"

    async def _read(self, output: asyncio.StreamReader, incoming: Any) -> None:
        lines, pace = LineReader(), Pace()
        try:
            while data := await output.read(READ_BYTES):
                for line in lines.feed(data):
                    if seconds := pace.wait_seconds():
                        await asyncio.sleep(seconds)
                    message = _message(line)
                    if message is None:
                        self.noise.add(line)
                    else:
                        await incoming.send(message)
        except LineTooLong as error:
            self.fail(str(error))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            pass
        finally:
            incoming.close()
            self.ended.set()

    async def _read_log(self, errors: asyncio.StreamReader) -> None:
        read = 0
        with suppress(OSError):
            while data := await errors.read(READ_BYTES):
                self._log += data[-LOG_BYTES:]
                del self._log[:-LOG_BYTES]
                read += len(data)
                if read > _LOG_PAUSE_BYTES:  # who floods waits, and not whoever else uses this loop
                    read = 0
                    await asyncio.sleep(_LOG_PAUSE_SECONDS)

    async def _write(self, outgoing: Any, writer: asyncio.StreamWriter) -> None:
        try:
            async for each in outgoing:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(text.encode() + b"\n")
                await writer.drain()
        except OSError:
            self.ended.set()


def _message(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None


async def _reader(fd: int, closing: list[Any]) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=READ_BYTES)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader, loop=loop), os.fdopen(fd, "rb", 0)
    )
    closing.append(transport)
    return reader


async def _writer(fd: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), os.fdopen(fd, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
