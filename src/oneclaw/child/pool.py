"""Pool: workers that are used again; the least recently used one is closed to make room."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress

from oneclaw.child.exit_report import Ended, Exit
from oneclaw.child.worker import Worker

CLOSING = "the program is closing"


class Pool:
    """At most `size` workers, each made by `start` when it is needed; used from one event loop.

    idle_seconds  how long a worker may be idle before it is closed; None for ever
    can_switch    whether a worker can load something else: then it is used again instead of closed
    has_spare     whether a worker that was killed is replaced at once
    """

    def __init__(
        self,
        size: int,
        start: Callable[[], Worker],
        *,
        idle_seconds: float | None = None,
        can_switch: bool = False,
        has_spare: bool = False,
    ) -> None:
        self._size = size
        self._start_worker = start
        self._idle_seconds = idle_seconds
        self._can_switch = can_switch
        self._has_spare = has_spare
        self._turns = asyncio.Semaphore(size)
        self._idle: dict[Worker, asyncio.TimerHandle | None] = {}  # the least recently used first
        self._busy = 0
        self._started: set[Worker] = set()  # and not gone, though perhaps killed
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """The topmost process of each worker that is not gone."""
        return [worker.child.process_pid for worker in self._started]

    async def take(
        self, key: object, waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> Worker:
        """A worker that holds `key`, or one that can load it.

        The context `waiting` is entered while all workers are busy. Raises `OSError` when no worker can be
        started, and `Ended` when the pool is closed.
        """
        if self._turns.locked():
            with waiting():
                await self._turns.acquire()
        else:
            await self._turns.acquire()
        try:
            worker = self._pick(key) or self._start()
        except BaseException:
            self._turns.release()
            raise
        self._busy += 1
        return worker

    async def leave(self, worker: Worker, *, is_fit: bool) -> None:
        """Give a worker back. If it is not fit, it is killed, and is gone when this returns."""
        try:
            if is_fit and worker.is_alive:
                self._rest(worker)
            else:
                worker.kill()
                await worker.gone()
                if self._has_spare and not self._is_closed:
                    with suppress(OSError):  # the next call tries again, and says so
                        self._rest(self._start())
        finally:
            self._busy -= 1
            self._turns.release()

    async def close(self) -> None:
        """End all workers, and wait until nothing of them is left."""
        self._is_closed = True
        for worker in list(self._started):
            worker.kill(CLOSING)
        for worker in list(self._started):
            await worker.gone()

    def _pick(self, key: object) -> Worker | None:
        """The idle worker to use, if there is one; makes room for a new one otherwise."""
        if self._is_closed:
            raise Ended(Exit(reason=CLOSING))
        oldest = empty = None
        count = self._busy
        for worker in list(self._idle):
            if worker.has_unread:
                worker.kill("it sent a message nobody had asked for")
            elif worker.is_alive:
                if worker.holds == key:
                    return self._use(worker)
                empty = worker if worker.holds is None else empty
                oldest = oldest or worker
                count += 1
        if empty is None and oldest is not None and count >= self._size:
            if not self._can_switch:
                oldest.kill("another one is wanted")
                return None
            empty = oldest
        return None if empty is None else self._use(empty)

    def _use(self, worker: Worker) -> Worker:
        timer = self._idle.pop(worker)
        if timer is not None:
            timer.cancel()
        return worker

    def _start(self) -> Worker:
        worker = self._start_worker()
        worker.when_gone = self._forget
        self._started.add(worker)
        return worker

    def _rest(self, worker: Worker) -> None:
        timer = None
        if self._idle_seconds is not None:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self._idle_seconds, worker.kill, "it was idle")
        self._idle[worker] = timer

    def _forget(self, worker: Worker) -> None:
        self._started.discard(worker)
        timer = self._idle.pop(worker, None)
        if timer is not None:
            timer.cancel()
