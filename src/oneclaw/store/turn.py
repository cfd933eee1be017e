"""Groups writes of one event-loop turn into one commit.

Theory of operation. The first task that writes in a turn of the loop writes at once, and so does everything
that it writes in that turn. What other tasks write in the same turn waits until the turn is over, and is then
written in one transaction. So a call that is alone waits for nothing, and 500 calls at once pay two commits
and not a thousand. Nobody goes on before what it wrote is kept, and one bad row does not cost the others.
"""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress

from oneclaw.core.errors import StoreError
from oneclaw.store.database import SqlValues, Statement, WriteResult
from oneclaw.store.writer import Writer

log = logging.getLogger("oneclaw")
_LATER_SECONDS = 0.05
Settled = tuple[list[WriteResult], asyncio.CancelledError | None]


class Turn:
    """The writes of `loop`. Only its thread may use it; any may `hand_over` once the loop does no more."""

    def __init__(self, loop: asyncio.AbstractEventLoop, writer: Writer) -> None:
        self._loop = loop
        self._writer = writer
        self._later: list[Statement] = []
        self._task: asyncio.Task[object] | None = None
        self._waiting: list[PendingWrite] = []
        self._timer: asyncio.TimerHandle | None = None

    def add_later(self, sql: str, values: SqlValues) -> None:
        """Have a row that nobody waits for go with the next commit, or have one of its own a moment later."""
        self._later.append((sql, values))
        if self._timer is None:
            self._timer = self._loop.call_later(_LATER_SECONDS, self._write_later)

    def take_back(self, values: SqlValues) -> bool:
        """Remove the row that was added last, if it has these very values and is not written yet."""
        if not self._later or self._later[-1][1] is not values:
            return False
        self._later.pop()
        return True

    def write(self, statements: Sequence[Statement]) -> "list[WriteResult] | PendingWrite":
        """Write all of the statements or none; what could not be written at once is to be waited for."""
        task = asyncio.current_task(self._loop)
        if self._task is None:
            self._task = task
            self._loop.call_soon(self._end)
        elif self._task is not task:
            entry = PendingWrite(statements, self._loop)
            self._waiting.append(entry)
            return entry
        later, self._later = self._later, []
        try:
            written = self._writer.attempt(statements, later)
        except StoreError:
            if not later:
                raise
            written = None
        if written is None:
            self._submit_later(later)
            return self._submit(PendingWrite(statements, self._loop))
        return written

    def hand_over(self) -> None:
        """Have the writer's thread write all that is left."""
        self._submit_later(self._take_later())
        waiting, self._waiting = self._waiting, []
        for entry in waiting:
            self._submit(entry)

    def _end(self) -> None:
        self._task = None
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        later = self._take_later()
        try:
            together = [statement for entry in waiting for statement in entry.statements]
            written = self._writer.attempt(together, later)
        except StoreError:  # whose row it was, shows when each is written by itself
            written = None
        if written is None:
            self._submit_later(later)
            for entry in waiting:
                self._submit(entry)
            return
        begin = 0
        for entry in waiting:
            end = begin + len(entry.statements)
            entry.end(written[begin:end])
            begin = end

    def _write_later(self) -> None:
        self._timer = None
        later = self._take_later()
        try:
            written = self._writer.attempt((), later) if later else []
        except StoreError:
            written = None
        if written is None:
            self._submit_later(later)

    def _take_later(self) -> list[Statement]:
        later, self._later = self._later, []
        return later

    def _submit_later(self, later: Sequence[Statement]) -> None:
        """Write one by one what could not be written together."""
        for statement in later:
            try:
                self._writer.submit((statement,)).add_done_callback(_complain)
            except StoreError as error:
                log.warning("A row could not be written: %s", error)

    def _submit(self, entry: "PendingWrite") -> "PendingWrite":
        try:
            self._writer.submit(entry.statements).add_done_callback(entry.take)
        except StoreError as error:
            entry.end(error)
        return entry


class PendingWrite:
    """Statements that somebody waits for."""

    __slots__ = ("_loop", "_outcome", "_woken", "statements")

    def __init__(self, statements: Sequence[Statement], loop: asyncio.AbstractEventLoop) -> None:
        self.statements = statements
        self._loop = loop
        self._outcome: list[WriteResult] | StoreError | None = None
        self._woken: asyncio.Future[None] = loop.create_future()

    def end(self, outcome: list[WriteResult] | StoreError) -> None:
        self._outcome = outcome
        if not self._woken.done():
            self._woken.set_result(None)

    def take(self, written: Future[list[WriteResult]]) -> None:
        """Take what the writer's thread says."""
        try:
            outcome: list[WriteResult] | StoreError = written.result()
        except StoreError as error:
            outcome = error
        with suppress(RuntimeError):  # the loop is closed, and nobody waits
            self._loop.call_soon_threadsafe(self.end, outcome)

    async def settle(self) -> Settled:
        """Wait for the end, even when the caller is cancelled meanwhile; the cancellation is given back.

        What waits cannot be called back, so nobody may leave without knowing whether it was kept.
        """
        cancelled: asyncio.CancelledError | None = None
        while self._outcome is None:
            try:
                await self._woken
            except asyncio.CancelledError as error:
                cancelled = error
                if self._outcome is None:
                    self._woken = self._loop.create_future()
        if isinstance(self._outcome, StoreError):
            raise self._outcome
        return self._outcome, cancelled


def _complain(written: Future[list[WriteResult]]) -> None:
    error = written.exception()
    if error is not None:
        log.warning("A row could not be written: %s", error)
