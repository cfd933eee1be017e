"""Makes one guarded request: checks each redirect and bounds the body while reading."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network import headers as header
from oneclaw.guard.network.body import Unpacker
from oneclaw.guard.network.gate import AllowPrivate, Gate
from oneclaw.guard.network.headers import Headers
from oneclaw.guard.network.outgoing_request import OutgoingRequest, follow
from oneclaw.guard.network.url import parse

if TYPE_CHECKING:
    from oneclaw.guard.network.pool import GuardedPool, HttpResponse, Wiring

MAX_BYTES = 100 * 1024
MAX_REDIRECTS = 5
SPARE_SECONDS = 0.1
"""A request ends this much before its call, so that the timeout error can name the address."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response.

    total_bytes  the length of the whole body; None when it was cut and the server did not say
    truncated    whether `body` is only the beginning
    redirects    the addresses the request was sent on to, the last one being `url`
    encoding     the Content-Encoding the body is still in, when it is one we cannot undo
    """

    status: int
    reason: str
    headers: Headers
    url: str
    body: bytes
    total_bytes: int | None
    truncated: bool
    redirects: tuple[str, ...] = ()
    encoding: str | None = None

    @property
    def line(self) -> str:
        """`HTTP 404 Not Found`: the number and its usual name. The server's own words are not ours."""
        return f"HTTP {self.status} {_phrase(self.status)}".rstrip()

    @property
    def details(self) -> dict[str, object]:
        """The response's metadata, without the body."""
        return {
            "status": self.status,
            "reason": self.reason,
            "url": self.url,
            "redirects": list(self.redirects),
            "headers": [list(pair) for pair in self.headers],
            "bytes": len(self.body),
            "total_bytes": self.total_bytes,
            "truncated": self.truncated,
        }


async def fetch(
    method: str,
    url: str,
    *,
    headers: Iterable[tuple[str, str]] = (),
    body: bytes | None = None,
    network: Network | None = None,
    allow_private: AllowPrivate | None = None,
    max_bytes: int = MAX_BYTES,
    seconds: float = 30.0,
    max_redirects: int | None = MAX_REDIRECTS,
    wiring: "Wiring | None" = None,
) -> Response:
    """One request and its answer, redirects followed (None: given back as they are); raises `ToolError`.

    `seconds` may be all the time a call has. `allow_private` is asked before anything that is not public is
    dialled; its waiting is not counted in `seconds`. Without it such hosts are refused, except those the
    owner lists in `network.private_hosts`.
    """
    errand = OutgoingRequest(method, parse(url), header.check(headers), body)
    # Here, not above: the HTTP library is slow to load and most calls are not for the network.
    from oneclaw.guard.network.pool import GuardedPool, Wiring

    network, wiring = network or Network(), wiring or Wiring()
    try:
        async with asyncio.timeout(max(seconds - SPARE_SECONDS, seconds / 2)) as clock:
            gate = Gate(network, _pausing(clock, allow_private), wiring.resolve)
            pool = GuardedPool(gate, network, wiring)
            async with pool:
                return await _travel(pool, errand, max_bytes, max_redirects)
    except TimeoutError:
        raise ToolError(f"HTTP request timed out after {seconds:g} seconds: {url}", Kind.TIMEOUT) from None


async def _travel(
    pool: "GuardedPool", errand: OutgoingRequest, max_bytes: int, max_redirects: int | None
) -> Response:
    passed: list[str] = []
    while True:
        async with pool.exchange(errand) as answer:
            location = None if max_redirects is None else header.find(answer.headers, "location")
            following = follow(errand, answer.status, location)
            if following is None:
                return await _receive(answer, str(errand.target), tuple(passed), max_bytes)
        passed.append(str(following.target))
        if len(passed) > (max_redirects or 0):
            text = f"Too many redirects: more than {max_redirects}, the last to {following.target.authority}"
            raise ToolError(text, Kind.NETWORK_ERROR)
        errand = following


async def _receive(answer: "HttpResponse", url: str, passed: tuple[str, ...], max_bytes: int) -> Response:
    encoding = header.find(answer.headers, "content-encoding") or ""
    unpacker = Unpacker(encoding, max_bytes)
    async for chunk in answer.chunks:
        unpacker.feed(chunk)
        if unpacker.is_full:
            break
    told = header.find(answer.headers, "content-length") or ""
    total = int(told) if told.isascii() and told.isdigit() and not unpacker.is_packed else None
    return Response(
        status=answer.status,
        reason=answer.reason or _phrase(answer.status),
        headers=answer.headers,
        url=url,
        body=bytes(unpacker.body),
        total_bytes=total if unpacker.is_full else len(unpacker.body),
        truncated=unpacker.is_full,
        redirects=passed,
        encoding=None if unpacker.is_known else encoding,
    )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _pausing(clock: asyncio.Timeout, allow_private: AllowPrivate | None) -> AllowPrivate | None:
    """`allow_private` with the clock stopped: a person's thinking is not the server's slowness."""
    if allow_private is None:
        return None

    async def ask(host: str, why: str) -> None:
        loop = asyncio.get_running_loop()
        left = (clock.when() or loop.time()) - loop.time()
        clock.reschedule(None)
        try:
            await allow_private(host, why)
        finally:
            clock.reschedule(loop.time() + left)

    return ask
