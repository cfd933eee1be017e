"""A network for the tests of the network guard: names and addresses of our choice, all on loopback."""

import ssl
from collections.abc import Callable
from typing import Any, cast

import httpcore2
import pytest

from oneclaw.guard.pool import Wiring


class Recorder(httpcore2.AsyncNetworkBackend):
    """Notes which address is dialled, and connects to loopback instead of leaving the machine."""

    def __init__(self, dialled: list[str]) -> None:
        self._dialled = dialled
        self._real = cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *_: Any, **__: Any
    ) -> httpcore2.AsyncNetworkStream:
        self._dialled.append(host)
        return await self._real.connect_tcp("127.0.0.1", port, timeout)


@pytest.fixture
def dialled() -> list[str]:
    """The addresses that were dialled, in order."""
    return []


@pytest.fixture
def asked() -> list[str]:
    """The names that were looked up, in order."""
    return []


@pytest.fixture
def wired(dialled: list[str], asked: list[str]) -> Callable[..., Wiring]:
    """`wired(a_test="1.2.3.4 ::1")` knows a.test and its two addresses; a list is given turn by turn."""

    def make(tls: ssl.SSLContext | None = None, **names: str | list[str]) -> Wiring:
        async def resolve(host: str, port: int) -> list[str]:
            asked.append(host)
            known = names[host.removesuffix(".").replace(".", "_")]
            if isinstance(known, str):
                return known.split()
            return known[min(asked.count(host), len(known)) - 1].split()

        return Wiring(resolve, Recorder(dialled), tls)

    return make
