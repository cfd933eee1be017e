"""Guarded connection pool; the only file that imports the HTTP library.

How it holds. `GuardedBackend` is the only thing that opens sockets for the pool. It is given a host, asks
the gate for the addresses of that host, and dials one of exactly those: nothing is looked up again between
check and connection, so a name that changes its answer gains nothing. TLS still checks the certificate
against the host name. Environment proxies are never read; a proxy the owner set is dialled as set, and
hosts asked of it pass the gate first.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn, cast
from urllib.parse import unquote, urlsplit

import httpcore2

from oneclaw.core.errors import InvalidConfig, Kind, ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network.dial import lookup, race
from oneclaw.guard.network.gate import Gate, Resolve
from oneclaw.guard.network.headers import Headers
from oneclaw.guard.network.outgoing_request import OutgoingRequest
from oneclaw.guard.network.stream import HEAD_BYTES, SteppedStream

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 25.0
_CHUNKS_AT_ONCE = 64

_DEFAULTS = (("User-Agent", "oneclaw"), ("Accept", "*/*"), ("Accept-Encoding", "gzip, deflate"))
# What the library quotes of an answer: the words are the server's, and stand in no mark in an error.
_QUOTED = re.compile(r"[:,]? ?(?:bytearray\()?\bb['\"].*", re.DOTALL)
_CLIENT_ERRORS = (
    OSError,
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
)


@dataclass(frozen=True, slots=True)
class Wiring:
    """Replaceable parts: the resolver, the socket opener, and trusted TLS roots."""

    resolve: Resolve = lookup
    backend: httpcore2.AsyncNetworkBackend | None = None
    tls: ssl.SSLContext | None = None


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """The head of a response, and its body as it comes off the wire."""

    status: int
    reason: str
    headers: Headers
    chunks: AsyncIterable[bytes]


class SteppedBackend(httpcore2.AsyncNetworkBackend):
    """Opens sockets that are read in small steps."""

    def __init__(self, backend: httpcore2.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(
        self, host: str, port: int, *arguments: Any, **named: Any
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._backend.connect_tcp(host, port, *arguments, **named)
        return cast(httpcore2.AsyncNetworkStream, SteppedStream(stream, f"{host}:{port}"))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens sockets to addresses the gate admitted, and to nothing else."""

    def __init__(self, gate: Gate, backend: httpcore2.AsyncNetworkBackend) -> None:
        self._gate = gate
        self._backend = backend

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        admitted = await self._gate.admit(host, port)
        return await race(
            admitted.addresses,
            lambda address: self._backend.connect_tcp(
                address, port, timeout=timeout, local_address=local_address, socket_options=socket_options
            ),
            lambda stream: stream.aclose(),
        )

    async def connect_unix_socket(self, *_: Any, **__: Any) -> NoReturn:
        raise ToolError("Unix sockets cannot be reached over HTTP.", Kind.PERMISSION_DENIED)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class GuardedPool(httpcore2.AsyncConnectionPool):
    """Connections through the gate; through the owner's proxy for what is public, if there is one."""

    def __init__(self, gate: Gate, network: Network, wiring: Wiring, keep_alive: int = 0) -> None:
        backend = wiring.backend or cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())
        backend = SteppedBackend(backend)
        # The bound of the library is 100 KB: to read so many short lines at once takes 50 ms.
        httpcore2.AsyncHTTP11Connection.MAX_INCOMPLETE_EVENT_SIZE = HEAD_BYTES  # pyright: ignore[reportAttributeAccessIssue]
        super().__init__(
            ssl_context=wiring.tls,
            max_connections=100,
            max_keepalive_connections=keep_alive,
            keepalive_expiry=30.0,
            network_backend=GuardedBackend(gate, backend),
        )
        self._gate = gate
        self._tls = wiring.tls
        self._outside: httpcore2.AsyncConnectionPool | None = None
        if network.proxy is not None:
            tls = wiring.tls or shared_tls()
            self._outside = httpcore2.AsyncConnectionPool(
                ssl_context=tls,
                proxy=_proxy(network.proxy, tls),
                max_connections=100,
                max_keepalive_connections=keep_alive,
                keepalive_expiry=30.0,
                network_backend=backend,
            )

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.AsyncConnectionInterface:
        if origin.scheme == b"https" and self._tls is None:
            self._ssl_context = self._tls = shared_tls()
        return super().create_connection(origin)

    async def handle_async_request(self, request: httpcore2.Request) -> httpcore2.Response:
        if self._outside is not None:
            origin = request.url.origin
            admitted = await self._gate.admit(origin.host.decode("ascii"), origin.port)
            if not admitted.is_private:
                return await self._outside.handle_async_request(request)
        return await super().handle_async_request(request)

    async def aclose(self) -> None:
        await super().aclose()
        if self._outside is not None:
            await self._outside.aclose()

    @asynccontextmanager
    async def exchange(
        self, errand: OutgoingRequest, *, may_be_silent: bool = False
    ) -> AsyncGenerator[HttpResponse]:
        """Send one hop; its answer is closed at the end, read or not. Raises `ToolError`.

        One that may be silent has no bound to that here: the caller has one of its own.
        """
        try:
            if errand.target.is_odd:
                await self._gate.admit(errand.target.host, errand.target.port, is_odd=True)
            idle_seconds = None if may_be_silent else IDLE_SECONDS
            response = await self.handle_async_request(_request(errand, idle_seconds))
            try:
                yield _answer(response)
            finally:
                await response.aclose()
        except _CLIENT_ERRORS as error:
            raise explain(error, errand.shown) from error


@cache
def shared_tls() -> ssl.SSLContext:
    """The machine's trusted authorities, read once: it takes longer than a request."""
    return httpcore2.default_ssl_context()


def explain(error: BaseException, url: str) -> ToolError:
    """An error of the client as one sentence; `url` is what was asked for."""
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, ToolError):
            return cause
        if (told := _sentence(cause, url)) is not None:
            kind = Kind.TIMEOUT if told.startswith("HTTP request timed out") else Kind.NETWORK_ERROR
            return ToolError(told, kind)
    return ToolError(f"Cannot reach {url}: {str(chain[-1]) or type(chain[-1]).__name__}", Kind.NETWORK_ERROR)


def _sentence(cause: BaseException, url: str) -> str | None:
    match cause:
        case ssl.SSLCertVerificationError():
            return f"The certificate is not valid for {url}: {cause.verify_message}"
        case ssl.SSLError():
            return f"TLS failed for {url}: {cause.reason or cause}"
        case ConnectionRefusedError():
            return f"Connection refused: {url}"
        case httpcore2.TimeoutException() | TimeoutError():
            return f"HTTP request timed out: no answer from {url}"
        case httpcore2.ProxyError():
            return f"The proxy refused {url}: {cause}"
        case httpcore2.RemoteProtocolError():
            return f"The answer of {url} is not HTTP or was cut off: {_QUOTED.sub('', str(cause))}"
        case _:
            return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what lies under it, groups opened."""
    yield error
    # The pool raises `from None`, but the library also passes what it caught as the argument.
    under: list[Any] = [error.__cause__, *error.args]
    if isinstance(error, BaseExceptionGroup):
        under = [*cast("BaseExceptionGroup[BaseException]", error).exceptions]
    for cause in under:
        if isinstance(cause, BaseException):
            yield from _causes(cause)


def _request(errand: OutgoingRequest, idle_seconds: float | None) -> httpcore2.Request:
    target = errand.target
    lines = [("Host", target.authority), *errand.headers]
    names = {name.lower() for name, _ in lines}
    lines += [(name, value) for name, value in _DEFAULTS if name.lower() not in names]
    if errand.body is not None:
        lines.append(("Content-Length", str(len(errand.body))))
    waits = {"connect": CONNECT_SECONDS, "read": idle_seconds, "write": idle_seconds, "pool": CONNECT_SECONDS}
    return httpcore2.Request(
        errand.method,
        httpcore2.URL(scheme=target.scheme, host=target.bare_host, port=target.port, target=target.path),
        headers=lines,
        content=errand.body,
        extensions={"timeout": waits, "sni_hostname": target.host.removesuffix(".")},
    )


class _Chunks:
    """A body as it comes, with a turn for others now and then: chunks of one byte come by the thousand."""

    def __init__(self, stream: AsyncIterable[bytes]) -> None:
        self._chunks = aiter(stream)
        self._number = 0

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        self._number += 1
        if self._number % _CHUNKS_AT_ONCE == 0:
            await asyncio.sleep(0)
        return await anext(self._chunks)


def _answer(response: httpcore2.Response) -> HttpResponse:
    extensions = cast("dict[str, Any]", response.extensions)  # pyright: ignore[reportUnknownMemberType]
    if isinstance(stream := extensions.get("network_stream"), SteppedStream):
        stream.begin_body()
    return HttpResponse(
        status=response.status,
        reason=_text(extensions.get("reason_phrase", b"")),
        headers=tuple((_text(name), _text(value)) for name, value in response.headers),
        chunks=_Chunks(cast(AsyncIterable[bytes], response.stream)),
    )


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _proxy(url: str, tls: ssl.SSLContext) -> httpcore2.Proxy:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidConfig(f"network.proxy is {url!r}: write it as http://host:port or https://host:port.")
    auth = None
    if parts.username is not None:
        auth = (unquote(parts.username).encode(), unquote(parts.password or "").encode())
    default = 443 if parts.scheme == "https" else 80
    address = httpcore2.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port or default, target="/")
    return httpcore2.Proxy(address, auth=auth, ssl_context=tls if parts.scheme == "https" else None)
