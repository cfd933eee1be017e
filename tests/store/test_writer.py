"""The one writing connection: writes keep their order between the event loop and the writer's thread."""

import asyncio
import threading
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from tests.store.test_sqlite import lock_held

from oneclaw.core.errors import StoreError
from oneclaw.store.sqlite import SqliteDatabase

_ADD = "INSERT INTO settings VALUES ('a', ?)"


class LateLock:
    """A lock that is free for who tries it, and is kept from who waits for it until `may_enter` is set."""

    def __init__(self) -> None:
        lock = threading.Lock()
        self.acquire, self.release = lock.acquire, lock.release
        self.is_wanted, self.may_enter = threading.Event(), threading.Event()

    def __enter__(self) -> None:
        self.is_wanted.set()
        assert self.may_enter.wait(60)
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


async def write_two(path: Path, is_first_hidden: bool) -> list[tuple[str]]:
    """Write a second row while the writer's thread has seen the job of the first and has not begun it."""
    with SqliteDatabase(path) as database:
        writer: Any = database._writer  # pyright: ignore[reportPrivateUsage]
        lock = writer._lock = LateLock()
        with lock_held(path):  # so the first is given to the thread
            first = asyncio.ensure_future(database.write(_ADD, ("1",)))
            await asyncio.sleep(0)
            assert lock.is_wanted.wait(60)
        queue = writer._queue
        if is_first_hidden:
            writer._queue = deque[Any]()
        second = asyncio.ensure_future(database.write(_ADD, ("2",)))
        await asyncio.sleep(0)
        writer._queue = queue
        lock.may_enter.set()
        with pytest.raises(StoreError, match="UNIQUE"):
            await (first if is_first_hidden else second)
        await asyncio.gather(first, second, return_exceptions=True)
        return await database.select("SELECT value FROM settings")


async def test_a_write_does_not_overtake_one_that_the_thread_has_not_begun(path: Path) -> None:
    assert await write_two(path, is_first_hidden=False) == [("1",)]


async def test_were_the_first_no_longer_in_the_queue_it_would(path: Path) -> None:
    assert await write_two(path, is_first_hidden=True) == [("2",)]
