"""Resolves names without blocking and connects to the first address that answers."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.own_thread import run_in_own_thread

LOOKUP_SECONDS = 10.0
STAGGER_SECONDS = 0.25

T = TypeVar("T")


async def lookup(host: str, port: int) -> list[str]:
    """Every address the machine's resolver gives for `host`, in its order of preference."""
    try:  # in a thread of its own: a dead name server would hold the loop's small pool
        resolving = run_in_own_thread(lambda: _resolve(host, port), "lookup")
        addresses = await asyncio.wait_for(resolving, LOOKUP_SECONDS)
    except TimeoutError:
        addresses = []
    if not addresses:
        raise ToolError(f"Cannot resolve host: {host}", Kind.NETWORK_ERROR)
    return addresses


def _resolve(host: str, port: int) -> list[str]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


async def race(
    addresses: Sequence[str],
    connect: Callable[[str], Awaitable[T]],
    close: Callable[[T], Awaitable[None]],
) -> T:
    """The first connection that stands; a new address is tried when one fails or is slow to answer."""
    if len(addresses) == 1:
        return await connect(addresses[0])
    waiting = list(addresses)
    running: set[asyncio.Future[T]] = set()
    errors: list[BaseException] = []
    winner: asyncio.Future[T] | None = None
    try:
        while winner is None and (waiting or running):
            if waiting:
                running.add(asyncio.ensure_future(connect(waiting.pop(0))))
            pause = STAGGER_SECONDS if waiting else None
            done, _ = await asyncio.wait(running, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            for attempt in done:
                if (error := attempt.exception()) is not None:
                    running.discard(attempt)
                    errors.append(error)
                else:
                    winner = attempt
    finally:
        if winner is not None:
            running.discard(winner)
        await _drop(running, close)
    if winner is None:
        raise errors[0]
    return winner.result()


async def _drop(attempts: set[asyncio.Future[T]], close: Callable[[T], Awaitable[None]]) -> None:
    for attempt in attempts:
        attempt.cancel()
    for outcome in await asyncio.gather(*attempts, return_exceptions=True):
        if not isinstance(outcome, BaseException):
            await close(outcome)
