"""Lookups and the race between addresses."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network import dial
from oneclaw.guard.network.dial import lookup, race


class Line:
    """Connections that succeed, fail or hang by name, and note what happens to them."""

    def __init__(self) -> None:
        self.tried: list[str] = []
        self.closed: list[str] = []
        self.cancelled: list[str] = []
        self.late = asyncio.Event()

    async def connect(self, address: str) -> str:
        self.tried.append(address)
        if address.startswith("fail"):
            raise OSError(address)
        if address.startswith("hang"):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.append(address)
                raise
        if address.startswith("late"):
            await self.late.wait()
        return address

    async def close(self, stream: str) -> None:
        self.closed.append(stream)


async def run(line: Line, *addresses: str) -> str:
    return await race(addresses, line.connect, line.close)


async def test_one_address_is_dialled_and_its_error_is_the_error() -> None:
    assert await run(Line(), "a") == "a"
    with pytest.raises(OSError, match="fail"):
        await run(Line(), "fail")


async def test_the_next_address_is_tried_at_once_when_one_fails() -> None:
    line = Line()
    assert await run(line, "fail 1", "fail 2", "b", "c") == "b"
    assert line.tried == ["fail 1", "fail 2", "b"]


async def test_an_address_that_hangs_does_not_hold_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "STAGGER_SECONDS", 0.01)
    line = Line()
    assert await run(line, "hang", "b") == "b"
    assert line.cancelled == ["hang"]


async def test_a_connection_that_comes_too_late_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "STAGGER_SECONDS", 0.01)
    line = Line()

    async def connect(address: str) -> str:
        if address == "b":
            line.late.set()
            await asyncio.sleep(0)
        return await line.connect(address)

    winner = await race(["late 1", "b"], connect, line.close)
    assert sorted([winner, *line.closed]) == ["b", "late 1"]


async def test_when_all_fail_the_first_error_is_given() -> None:
    with pytest.raises(OSError, match="fail 1"):
        await run(Line(), "fail 1", "fail 2")


async def test_a_cancelled_race_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "STAGGER_SECONDS", 0.001)
    line = Line()
    call = asyncio.create_task(run(line, "hang 1", "hang 2"))
    while len(line.tried) < 2:
        await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert sorted(line.cancelled) == ["hang 1", "hang 2"]


async def test_a_name_of_this_machine_is_looked_up() -> None:
    assert set(await lookup("localhost", 80)) <= {"127.0.0.1", "::1"}


async def test_a_name_nobody_has_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def without_asking_outside(host: str, *rest: Any, **more: Any) -> Any:
        if host == "nobody.invalid":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", without_asking_outside)
    for name in ("nobody.invalid", "a" * 70 + ".invalid", "a..b"):
        with pytest.raises(ToolError) as caught:
            await lookup(name, 80)
        assert (caught.value.kind, caught.value.message) == (
            Kind.NETWORK_ERROR,
            f"Cannot resolve host: {name}",
        )


async def test_a_name_server_that_never_answers_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = threading.Event()

    def never(*_: object, **__: object) -> list[object]:
        stuck.wait(30)
        return []

    monkeypatch.setattr(dial, "LOOKUP_SECONDS", 0.05)
    monkeypatch.setattr(socket, "getaddrinfo", never)
    with pytest.raises(ToolError, match=r"Cannot resolve host: slow\.example"):
        await lookup("slow.example", 80)
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "lookup")
    stuck.set()
