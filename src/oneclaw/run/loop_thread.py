"""An event loop in its own thread, for synchronous code."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines one after another in a background thread; works in notebooks, whose loop is taken."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="oneclaw-loop", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the result of a coroutine; Ctrl-C cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, items: AsyncGenerator[T]) -> Iterator[T]:
        """The items of an asynchronous generator; whoever leaves early closes it."""
        try:
            while True:
                try:
                    yield self.run(_next(items))
                except StopAsyncIteration:
                    return
        finally:
            self.run(items.aclose())

    def close(self) -> None:
        """End the thread; what still runs in it is cancelled."""
        self.run(_cancel_others())
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(items: AsyncGenerator[T]) -> T:
    return await anext(items)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
