"""Servers that mean harm: each request ends within its limits, in one sentence, and holds nobody up.

What one step of the loop costs is measured in seconds of the processor that its thread took: another program
on the machine does not count, nor does the server, which runs in a thread of its own.
"""

import asyncio
import gc
import time
from collections.abc import Callable, Iterator

import pytest
from tests.guard.network.hostile_server import (
    CONTINUE,
    QUICK,
    SLOW,
    HostileServer,
    Pieces,
    body,
    endless,
    once,
)

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network import pool, stream
from oneclaw.guard.network.net import MAX_BYTES, fetch
from oneclaw.guard.network.pool import Wiring

LOOPBACK = Network(private_hosts=("127.0.0.1",))
LAG_SECONDS = 0.05


@pytest.fixture(autouse=True)
def no_garbage() -> Iterator[None]:
    """The collector looks through all that other tests have left, which is not the server's doing."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Lag:
    """The longest step of the loop while it is watched, in seconds of the processor."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._task = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.seconds = max(self.seconds, now - before)
            before = now

    async def __aenter__(self) -> "Lag":
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()


async def ask(server: HostileServer, seconds: float) -> tuple[str, float]:
    """What becomes of a request, and the longest step of the loop meanwhile."""
    async with Lag() as lag:
        try:
            response = await fetch(
                "GET", f"http://127.0.0.1:{server.port}/", network=LOOPBACK, seconds=seconds
            )
        except ToolError as error:
            return f"{error.kind.value}: {error.message}", lag.seconds
        assert len(response.body) <= MAX_BYTES
        return "", lag.seconds


async def ask_again(server: HostileServer, seconds: float) -> tuple[str, float]:
    """`ask`, up to three times: a busy machine makes one step long now and then, a server each time."""
    said, least = await ask(server, seconds)
    for _ in range(2):
        if least < LAG_SECONDS:
            break
        said, lag = await ask(server, seconds)
        least = min(least, lag)
    return said, least


@pytest.fixture(autouse=True, scope="module")
def warmed_up() -> None:
    """The HTTP library is loaded when first used, which takes longer than any of this."""
    with HostileServer(once(body(b"x"))) as server:
        asyncio.run(fetch("GET", f"http://127.0.0.1:{server.port}/", network=LOOPBACK))


def test_there_are_enough_of_them() -> None:
    assert len(QUICK) + len(SLOW) >= 64


@pytest.mark.parametrize("name", QUICK)
async def test_what_a_hostile_server_sends_at_once_holds_nobody_up(name: str) -> None:
    with HostileServer(QUICK[name]) as server:
        said, lag = await ask_again(server, seconds=20)
    check_sentence(said)
    assert "timed out" not in said, "a limit of size ends it, not its time"
    assert lag < LAG_SECONDS


@pytest.mark.parametrize("name", SLOW)
async def test_what_a_hostile_server_sends_slowly_ends_in_time(name: str) -> None:
    with HostileServer(SLOW[name], drip_seconds=0.01) as server:
        said, lag = await ask_again(server, seconds=0.3)
    check_sentence(said)
    assert lag < LAG_SECONDS


def check_sentence(said: str) -> None:
    assert not said or said.startswith((Kind.NETWORK_ERROR.value, Kind.TIMEOUT.value))
    assert "\n" not in said
    assert len(said) < 400
    assert said.isprintable()


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        (endless(b"", CONTINUE), "more than 20 interim responses"),
        (once(CONTINUE * 21 + body(b"x")), "more than 20 interim responses"),
        (endless(b"", b"HTTP/1.1 103 x\r\na: " + b"b" * 30_000 + b"\r\n\r\n"), "more than 64 KB of headers"),
    ],
)
async def test_interim_responses_are_bounded_in_count_and_bytes(
    pieces: Callable[[int], Pieces], why: str
) -> None:
    with HostileServer(pieces) as server:
        said, _ = await ask(server, seconds=20)
        assert why in said
        assert str(server.port) in said


async def test_interim_responses_within_the_bound_are_passed_over() -> None:
    with HostileServer(once(CONTINUE * 20 + body(b"answer"))) as server:
        response = await fetch("GET", f"http://127.0.0.1:{server.port}/", network=LOOPBACK)
    assert response.body == b"answer"


async def test_a_body_that_speaks_of_answers_is_not_counted() -> None:
    text = b"\r\n\r\nHTTP/1.1 200 OK" * 3_000
    with HostileServer(once(body(b"x"), text)) as server:
        assert (await fetch("GET", f"http://127.0.0.1:{server.port}/", network=LOOPBACK)).body == b"x"
    with HostileServer(once(body(b"", length=len(text)), text)) as server:
        assert (await fetch("GET", f"http://127.0.0.1:{server.port}/", network=LOOPBACK)).body == text


async def test_without_the_bounds_interim_responses_go_on_until_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The twin: what is not counted is read for as long as the server likes."""
    monkeypatch.setattr(stream, "MOST_INTERIM", 10**9)
    monkeypatch.setattr(stream, "ALL_HEADS_BYTES", 10**9)
    with HostileServer(endless(b"", CONTINUE)) as server:
        said, _ = await ask(server, seconds=0.5)
    assert "timed out" in said


async def test_a_proxy_is_bounded_alike(wired: Callable[..., Wiring]) -> None:
    with HostileServer(endless(b"", CONTINUE)) as server:
        network = Network(proxy=f"http://127.0.0.1:{server.port}")
        for url in ("http://outside.test/", "https://outside.test/"):
            with pytest.raises(ToolError, match="more than 20 interim responses"):
                await fetch("GET", url, network=network, wiring=wired(outside_test="93.184.216.34"))


async def test_a_long_head_is_refused_and_without_the_bound_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its lines are read in one step, so their number is bounded by their bytes."""
    with HostileServer(
        once(b"HTTP/1.1 200 OK\r\n" + b"a:\r\n" * 12_000, b"Content-Length: 0\r\n\r\n")
    ) as server:
        said, _ = await ask(server, seconds=20)
        assert "Receive buffer too long" in said
        monkeypatch.setattr(pool, "HEAD_BYTES", 100 * 1024)
        said, _ = await ask(server, seconds=20)
        assert said == ""


async def test_without_small_steps_one_read_holds_the_others_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: as much as the library would read at once makes a step many times as long."""
    monkeypatch.setattr(stream, "MOST_INTERIM", 10**9)
    monkeypatch.setattr(stream, "ALL_HEADS_BYTES", 10**9)
    with HostileServer(endless(b"", CONTINUE)) as server:
        _, small = await ask(server, seconds=1)
        monkeypatch.setattr(stream, "_HEAD_STEP_BYTES", 10**9)
        _, large = await ask(server, seconds=1)
    assert large > 3 * small
