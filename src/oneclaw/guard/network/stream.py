"""Reads a connection in small steps, with a bounded response head.

The parser of the HTTP library handles all it has read at once, a few microseconds for each line. A server
that sends nothing but `HTTP/1.1 100 Continue` would keep it busy as long as it likes. So what comes before
the final answer is bounded in bytes and in interim responses, and is read in steps of a few milliseconds.
"""

import asyncio
import re
import ssl
from typing import Any, Protocol, Self

from oneclaw.core.errors import Kind, ToolError

HEAD_BYTES = 32 * 1024
"""The longest head of one answer, interim ones too, and the longest trailers."""
ALL_HEADS_BYTES = 64 * 1024
"""The most that a server may send before the body of its answer."""
MOST_INTERIM = 20
"""How many interim responses (`100 Continue`, `103 Early Hints`) may come before the answer."""
_HEAD_STEP_BYTES = 4 * 1024
_BODY_STEP_BYTES = 16 * 1024
_STATUS = re.compile(rb"\n\r?\nHTTP/1\.\d (\d)")
_STATUS_CHARS = 13


class NetworkStream(Protocol):
    """The stream interface of the HTTP library."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes: ...

    async def write(self, buffer: bytes, timeout: float | None = None) -> None: ...

    async def aclose(self) -> None: ...

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> Any: ...

    def get_extra_info(self, info: str) -> Any: ...


class SteppedStream:
    """A connection to `peer`. What is written asks for an answer; its head lasts until `begin_body`."""

    def __init__(self, stream: NetworkStream, peer: str) -> None:
        self._stream = stream
        self._peer = peer
        self._begin_head()

    def begin_body(self) -> None:
        """The head has been read: what follows is bounded by whoever reads it."""
        self._is_in_head = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        step = _HEAD_STEP_BYTES if self._is_in_head else _BODY_STEP_BYTES
        data = await self._stream.read(min(max_bytes, step), timeout)
        if self._is_in_head:
            self._count(data)
        await asyncio.sleep(0)  # what TLS has unpacked already comes without a wait
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._begin_head()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> Self:
        return type(self)(await self._stream.start_tls(ssl_context, server_hostname, timeout), self._peer)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _begin_head(self) -> None:
        self._is_in_head = True
        self._bytes = 0
        self._interim = 0
        self._is_final = False
        self._unread = b"\n\n"  # as if an answer came before

    def _count(self, data: bytes) -> None:
        self._bytes += len(data)
        seen = self._unread + data
        at = 0
        for status in _STATUS.finditer(seen):
            self._is_final = self._is_final or status[1] != b"1"  # what follows may be its body
            self._interim += not self._is_final
            at = status.end()
        self._unread = seen[max(at, len(seen) - _STATUS_CHARS + 1) :]
        if self._interim > MOST_INTERIM:
            said = f"{MOST_INTERIM} interim responses"
        elif self._bytes > ALL_HEADS_BYTES:
            said = f"{ALL_HEADS_BYTES // 1024} KB of headers"
        else:
            return
        raise ToolError(
            f"{self._peer} sends more than {said} before its answer, so it is not read on: ask another host.",
            Kind.NETWORK_ERROR,
        )
