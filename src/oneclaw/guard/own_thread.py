"""Runs blocking work in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

T = TypeVar("T")


async def run_in_own_thread(work: Callable[[], T], name: str) -> T:
    """Wait for the work. The thread takes no place in the loop's pool, and does not keep the program from
    ending: work that hangs hurts nobody else."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            settle = partial(ended.set_result, work())
        except BaseException as error:
            settle = partial(ended.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(lambda: ended.done() or settle())

    threading.Thread(target=run, name=name, daemon=True).start()
    return await ended
