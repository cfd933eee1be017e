"""The workers of a runtime: started when wanted, kept warm, bounded in number, ended when idle."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext

from oneclaw.core.errors import ToolError, describe
from oneclaw.core.tool import Context
from oneclaw.js.worker_process import Ended, WorkerProcess


class Workers:
    """At most `size` of them. Each call borrows one; it comes back unless the call ended badly."""

    def __init__(self, size: int, memory_bytes: int, stack_bytes: int, idle_seconds: float) -> None:
        self._memory_bytes = memory_bytes
        self._stack_bytes = stack_bytes
        self._idle_seconds = idle_seconds
        self._size = size
        self._turns = asyncio.Semaphore(size)
        self._idle: dict[WorkerProcess, asyncio.TimerHandle] = {}
        self._all: set[WorkerProcess] = set()
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """The processes that were started and have not ended."""
        return [worker.pid for worker in self._all]

    @asynccontextmanager
    async def borrow(self, digest: str, context: Context | None) -> AsyncGenerator[WorkerProcess]:
        """A worker, one that holds the source if there is one. The clock stands still until it is there.

        It is killed, and waited for, if the block is left by anything but its end or a `ToolError`.
        """
        worker: WorkerProcess | None = None
        is_fit = False
        if not self._turns.locked():
            await self._turns.acquire()
        else:
            with nullcontext() if context is None else context.paused():
                await self._turns.acquire()
        try:
            worker = self._pick(digest)
            if worker is None:
                with nullcontext() if context is None else context.paused():
                    worker = await self._start()
            try:
                yield worker
                is_fit = True
            except ToolError:
                is_fit = True
                raise
        finally:
            try:
                if worker is not None:
                    await self._leave(worker, is_fit)
            finally:
                self._turns.release()

    async def close(self) -> None:
        """End all of them, and wait until they have."""
        self._is_closed = True
        for worker in list(self._all):
            worker.kill()
        for worker in list(self._all):
            await worker.gone()

    def _pick(self, digest: str) -> WorkerProcess | None:
        """An idle one that holds the source, or nothing; another only where no more may be started."""
        if self._is_closed:
            raise ToolError("JavaScript cannot be run: the program is closing.", effects="none")
        idle = [worker for worker in self._idle if worker.is_alive]
        found = next((worker for worker in reversed(idle) if worker.holds == digest), None)
        if found is None:
            found = next((worker for worker in idle if not worker.holds), None)
        if found is None and idle and len(self._all) >= self._size:
            found = idle[0]
        if found is not None:
            self._idle.pop(found).cancel()
            found.take()
        return found

    async def _start(self) -> WorkerProcess:
        try:
            worker = WorkerProcess(self._memory_bytes, self._stack_bytes, self._forget)
        except OSError as error:
            reason = f"No process could be started for JavaScript: {describe(error)}."
            raise ToolError(reason, effects="none") from error
        self._all.add(worker)
        try:
            await worker.get_ready()
        except Ended as error:
            reason = f"JavaScript cannot be run: the worker is not ready, {error}."
            raise ToolError(reason, effects="none") from None
        except BaseException:
            worker.kill()
            raise
        return worker

    async def _leave(self, worker: WorkerProcess, is_fit: bool) -> None:
        if is_fit:
            worker.leave()
        else:
            worker.kill()
        if worker.is_alive:
            loop = asyncio.get_running_loop()
            self._idle[worker] = loop.call_later(self._idle_seconds, worker.kill, "it was idle")
        else:
            await worker.gone()

    def _forget(self, worker: WorkerProcess) -> None:
        self._all.discard(worker)
        timer = self._idle.pop(worker, None)
        if timer is not None:
            timer.cancel()
