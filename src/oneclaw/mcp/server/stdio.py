"""Serves one client on standard input and output.

While it serves, standard input is empty and standard output leads to standard error for everything else in
this program, so that a tool which prints cannot break the protocol. Lines are read and written by the event
loop itself, and a line that is too long ends the connection before it fills the memory.
"""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from oneclaw.mcp.server.sdk import SdkServer

LINE_BYTES = 64 << 20
"""The longest line that is read; a client that sends a longer one is cut off."""
_STDIN, _STDOUT, _STDERR = 0, 1, 2


async def serve_stdio(served: SdkServer) -> None:
    """Serve until the client closes its side."""
    with _own_descriptors() as (read_fd, write_fd):
        async with _lines(read_fd) as reader, served.watching():
            incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
            reading = asyncio.ensure_future(_read(reader, incoming))
            writing = asyncio.ensure_future(_write(write_fd, outgoing))
            options = served.server.create_initialization_options()
            try:
                await served.server.run(read_stream, write_stream, options)
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
                await asyncio.gather(writing, return_exceptions=True)
                await served.tools.close()


async def _read(reader: asyncio.StreamReader, incoming: Any) -> None:
    async with incoming:
        while True:
            try:
                line = await reader.readline()
            except ValueError:  # longer than the limit
                return
            if not line:
                return
            try:
                message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValueError as error:
                await incoming.send(error)
                continue
            await incoming.send(message)


async def _write(fd: int, outgoing: Any) -> None:
    loop = asyncio.get_running_loop()
    async with outgoing:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            data = memoryview(f"{text}\n".encode())
            while data:
                try:
                    data = data[os.write(fd, data) :]
                except BlockingIOError:
                    await _writable(loop, fd)
                except OSError:  # the client has gone
                    return


async def _writable(loop: asyncio.AbstractEventLoop, fd: int) -> None:
    ready = loop.create_future()
    loop.add_writer(fd, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_writer(fd)


@asynccontextmanager
async def _lines(fd: int) -> AsyncGenerator[asyncio.StreamReader]:
    """Reads lines of a pipe, a socket or a terminal; of a file, its first part."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        reader.feed_data(await asyncio.to_thread(os.read, fd, LINE_BYTES))
        reader.feed_eof()
        yield reader
        return
    pipe = os.fdopen(fd, "rb", buffering=0, closefd=False)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    try:
        yield reader
    finally:
        transport.close()


@contextmanager
def _own_descriptors() -> Generator[tuple[int, int]]:
    """Standard input and output for the protocol alone; both are given back at the end."""
    read_fd, write_fd = os.dup(_STDIN), os.dup(_STDOUT)
    was_blocking = os.get_blocking(write_fd), os.get_blocking(read_fd)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, _STDIN)
    os.dup2(_STDERR, _STDOUT)
    os.close(nothing)
    if not stat.S_ISREG(os.fstat(write_fd).st_mode):
        os.set_blocking(write_fd, False)
    try:
        yield read_fd, write_fd
    finally:
        os.set_blocking(write_fd, was_blocking[0])
        os.set_blocking(read_fd, was_blocking[1])
        os.dup2(read_fd, _STDIN)
        os.dup2(write_fd, _STDOUT)
        os.close(read_fd)
        os.close(write_fd)
