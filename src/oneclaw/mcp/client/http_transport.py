"""The transport of MCP servers that are reached by HTTP: guarded addresses, bounded bodies."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from oneclaw.core.session import Network
from oneclaw.guard.network.gate import Gate, open_to
from oneclaw.guard.network.pool import GuardedPool, Wiring
from oneclaw.guard.network.stream import SteppedStream
from oneclaw.mcp.client.sdk import httpx2, streamable_http_client

BODY_BYTES = 32 << 20
"""The longest answer, and the longest event of a stream."""
CONNECT_SECONDS = 10.0
KEPT = 10
_EVENTS = "text/event-stream"


class GuardedHttp(httpx2.AsyncHTTPTransport):
    """Connects through the gate: private addresses are refused, but for the host of the server itself."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        wiring = Wiring()
        self._pool = GuardedPool(Gate(network, None, wiring.resolve), network, wiring, KEPT)  # pyright: ignore

    async def handle_async_request(self, request: Any) -> Any:
        response = await super().handle_async_request(request)
        if isinstance(stream := response.extensions.get("network_stream"), SteppedStream):
            stream.begin_body()
        if not str(response.headers.get("content-type", "")).startswith(_EVENTS):
            response.stream = _BoundedBody(cast("Any", response.stream), str(request.url.host))
        return response


class _BoundedBody(httpx2.AsyncByteStream):
    """A body that raises when it becomes too long."""

    def __init__(self, stream: Any, host: str) -> None:
        self._stream = stream
        self._host = host

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > BODY_BYTES:
                raise httpx2.ReadError(f"{self._host} sent an answer of more than {BODY_BYTES >> 20} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def make_http_client(url: str, network: Network, headers: Mapping[str, str], auth: Any = None) -> Any:
    """An HTTP client that reaches the server, and public hosts; no proxy of the environment is used."""
    return httpx2.AsyncClient(
        transport=GuardedHttp(open_to(network, url)),
        headers=dict(headers),
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
        auth=auth,
        follow_redirects=False,
        trust_env=False,
    )


def http_transport(url: str, client: Any) -> Any:
    return streamable_http_client(url, http_client=client, max_sse_event_size=BODY_BYTES)
