"""Bombs of the web against real servers: bounded time and memory, and the next call works.

Each guard has its twin: the same bomb without it does what the guard prevents.
"""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.conftest import Serve
from tests.marked import unmark

from oneclaw import App, Config, Kind, ToolCall
from oneclaw.guard.network import body, net
from oneclaw.tools import fetch_url as fetching
from oneclaw.tools.fetch_url import fetch_url
from oneclaw.tools.http_request import http_request

HTML = "Content-Type: text/html"
MB = 2**20


def head(lines: str, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{lines}\r\n\r\n".encode()


def reply(content: bytes, lines: str = HTML) -> bytes:
    return head(f"{lines}\r\nContent-Length: {len(content)}") + content


class Heart:
    """Beats on the loop while a call runs.

    `worst` is the longest time the loop was held up. `most_mb` is the most memory that Python
    allocated at one time; resident memory would depend on what earlier tests have freed.
    """

    def __init__(self) -> None:
        self.worst = 0.0
        self.most_mb = 0.0
        self._is_done = False

    async def beat(self) -> None:
        while not self._is_done:
            before = monotonic()
            await asyncio.sleep(0.005)
            self.worst = max(self.worst, monotonic() - before)

    async def watch(self, work: Awaitable[Any]) -> Any:
        tracemalloc.start()
        task = asyncio.create_task(self.beat())
        try:
            return await work
        finally:
            self.most_mb = tracemalloc.get_traced_memory()[1] / MB
            tracemalloc.stop()
            self._is_done = True
            await task


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    settings = {
        "network.private_hosts": ["127.0.0.1"],
        "limits.tools.fetch_url.seconds": 4.0,
        "limits.tools.http_request.seconds": 4.0,
    }
    tools = [fetch_url, http_request]
    async with App(Config(home=tmp_path, values=settings), builtins=False, tools=tools) as opened:
        yield opened


async def fetch(app: App, port: int, tool: str = "fetch_url", **arguments: Any) -> Any:
    return await app.engine.call(ToolCall(tool, {"url": f"http://127.0.0.1:{port}/", **arguments}))


async def bounded(app: App, port: int, serve: Serve, grown_mb: float = 120, **arguments: Any) -> Any:
    """The result of fetching a bomb: it came in time, took little memory, and the next call works."""
    started, heart = monotonic(), Heart()
    result = await heart.watch(fetch(app, port, **arguments))
    assert monotonic() - started < 60
    assert heart.most_mb < grown_mb
    fine, _ = await serve(reply(b"<p>fine"))
    assert unmark((await fetch(app, fine)).value).inside.endswith("fine")
    return result


NESTED = {
    "quotes": "<blockquote>x",
    "lists": "<ul><li>x",
    "tables": "<table><tr><td>x",
    "crooked": "<a><p><b><table></a>",
    "divisions": "<div>",
    "letters": "<b><i>",
    "options": "<select><option>x",
    "entities": "&amp;&#x41;&nbsp;",
    "attributes": "<p a=1 b='2' c=\"3\" d>",
    "comments": "<!--",
    "brackets": "<",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NESTED)
async def test_a_page_made_to_be_slow_is_bounded(app: App, serve: Serve, name: str) -> None:
    piece = NESTED[name]
    port, _ = await serve(reply((piece * (2 * MB // len(piece))).encode()))
    result = await bounded(app, port, serve)
    assert result.ok, result.message
    assert len(result.value) < 24_000


async def test_an_endless_body_is_cut_and_the_connection_closed(app: App, serve: Serve) -> None:
    left = asyncio.Event()
    sent = 0

    async def pour(request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(head("Content-Type: text/plain"))
        try:
            while True:
                writer.write(b"all work and no play\n" * 5_000)
                sent += 105_000
                await writer.drain()
        finally:
            left.set()

    port, _ = await serve(pour)
    result = await bounded(app, port, serve)
    assert result.ok
    assert "(Only the first 4 MB were read.)" in unmark(result.value).after
    async with asyncio.timeout(20):
        await left.wait()
    assert sent < 40 * MB


async def test_without_the_bound_an_endless_body_is_read_until_its_time_is_up(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = 0

    async def pour(request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(head("Content-Type: text/plain"))
        while True:
            writer.write(b"x" * 100_000)
            sent += 100_000
            await writer.drain()

    port, _ = await serve(pour)
    monkeypatch.setattr(fetching, "MAX_BYTES", 2**40)
    result = await fetch(app, port)
    assert result.kind is Kind.TIMEOUT
    assert sent > 8 * MB


@cache
def bomb(layers: int, megabytes: int) -> bytes:
    """So many megabytes of nothing, packed; and packed again."""
    packer = zlib.compressobj(1, wbits=31)
    piece = bytes(MB)
    data = b"".join(packer.compress(piece) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        data = gzip.compress(data)
    return data


@pytest.mark.parametrize("tool", ["fetch_url", "http_request"])
@pytest.mark.parametrize("layers", [1, 2, 3])
async def test_a_packed_bomb_is_unpacked_no_further_than_wanted(
    app: App, serve: Serve, layers: int, tool: str
) -> None:
    encoding = ", ".join(["gzip"] * layers)
    port, _ = await serve(
        reply(bomb(layers, 150), f"Content-Type: text/plain\r\nContent-Encoding: {encoding}")
    )
    result = await bounded(app, port, serve, 60, tool=tool)
    assert result.ok, result.message


async def test_without_the_bound_a_packed_bomb_takes_all_its_memory(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, _ = await serve(reply(bomb(1, 150), "Content-Type: text/plain\r\nContent-Encoding: gzip"))
    monkeypatch.setattr(body, "SLACK_BYTES", 2**40)
    monkeypatch.setattr(fetching, "MAX_BYTES", 2**40)
    heart = Heart()
    await heart.watch(fetch(app, port, raw=True))
    assert heart.most_mb > 100


async def test_what_we_cannot_unpack_is_not_unpacked(app: App, serve: Serve) -> None:
    for encoding in ("br", "zstd", "gzip, br", ", ".join(["gzip"] * 50)):
        port, _ = await serve(reply(bytes(MB), f"{HTML}\r\nContent-Encoding: {encoding}"))
        result = await bounded(app, port, serve)
        assert f"packed as {encoding[:60]}" in unmark(result.value).inside


async def test_without_the_bound_a_redirect_loop_goes_on(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, seen = await serve(head("Location: /\r\nContent-Length: 0", "302 Found"))
    travel = net._travel  # pyright: ignore[reportPrivateUsage]

    async def unbounded(pool: Any, errand: Any, max_bytes: int, max_redirects: int) -> Any:
        return await travel(pool, errand, max_bytes, 40)

    monkeypatch.setattr(net, "_travel", unbounded)
    await fetch(app, port)
    assert len(seen) == 41


async def test_many_bombs_at_once_do_not_hold_up_the_others(app: App, serve: Serve) -> None:
    piece = NESTED["crooked"]
    port, _ = await serve(reply((piece * (MB // 2 // len(piece))).encode()))
    fine, _ = await serve(reply(b"<p>fine"))
    bombs = [asyncio.create_task(fetch(app, port)) for _ in range(4)]
    await asyncio.sleep(0)
    for _ in range(5):
        assert (await fetch(app, fine)).ok
    results = await asyncio.gather(*bombs)
    assert all(result.ok for result in results)
