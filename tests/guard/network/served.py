"""Answers that servers of these tests send, and what a refused request says."""

from collections.abc import Awaitable, Callable

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network.net import Response
from oneclaw.guard.network.pool import Wiring

Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]
Wired = Callable[..., Wiring]

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nsecret"
LOOPBACK = Network(private_hosts=("127.0.0.1",))
PUBLIC = "93.184.216.34"


def redirect(location: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


async def refused(awaitable: Awaitable[Response], kind: Kind = Kind.PERMISSION_DENIED) -> str:
    with pytest.raises(ToolError) as caught:
        await awaitable
    assert caught.value.kind is kind, caught.value.message
    return caught.value.message
