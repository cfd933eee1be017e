"""The single writing connection of a process.

A write tries first where it stands. Nothing is waited for: when another process, or our own thread, is
writing, the statement goes into a queue instead and the event loop runs on. One thread waits for the lock and
writes all that is queued in one transaction. So a single call pays some 30 µs and no thread switch, and a
crowd pays one commit together. A job leaves the queue only once it is written: no later write overtakes it.
"""

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from oneclaw.core.errors import StoreError
from oneclaw.store.checkpoint import Checkpointer
from oneclaw.store.database import SqlValues, Statement, WriteResult
from oneclaw.store.fault import fault, is_full, is_locked
from oneclaw.store.reserve import Reserve

T = TypeVar("T")
_result: Callable[[type[WriteResult], tuple[int, int]], WriteResult] = cast(Any, tuple).__new__
"""Makes a result past its own `__new__`, at a third of the price."""
_MOST_AT_ONCE = 500
_FIRST_WAIT_SECONDS = 0.0005
_LONGEST_WAIT_SECONDS = 0.01
_ROWS_BETWEEN = 8_000
"""So many rows are written between two checkpoints: a log of some 20 MB."""


@dataclass(slots=True)
class _Job:
    """Statements that are written together: all of them, or none."""

    statements: Sequence[Statement]
    future: Future[list[WriteResult]] = field(default_factory=Future[list[WriteResult]])
    written: list[WriteResult] = field(default_factory=list[WriteResult])


class Writer:
    """Writes statements in autocommit or together; never returns before they are kept."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        patience_seconds: float,
        reserve: Reserve,
        checkpointer: Checkpointer,
    ) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._path = path
        self._patience_seconds = patience_seconds
        self._reserve = reserve
        self._checkpointer = checkpointer
        self._lock = threading.Lock()
        self._queue: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_stopped = False
        self._rows = 0

    def attempt(
        self, statements: Sequence[Statement], later: Sequence[Statement] = ()
    ) -> list[WriteResult] | None:
        """Write `later` and then the statements, all or none, now; None when somebody else is writing."""
        # While our own checkpoint keeps the disk busy, even a write that waits for no lock may take long.
        if self._queue or self._is_stopped or self._checkpointer.is_busy or not self._lock.acquire(False):
            return None
        try:
            written = self._write_now(statements, later)
            if self._reserve.is_missed:
                self._reserve.keep()
        except BaseException as error:
            written = self._attempt_again(error, statements, later)
        finally:
            self._lock.release()
        self._rows += len(statements) + len(later)
        if self._rows > _ROWS_BETWEEN:
            self._checkpoint()
        return written

    def _attempt_again(
        self, error: BaseException, statements: Sequence[Statement], later: Sequence[Statement]
    ) -> list[WriteResult] | None:
        try:
            return self._write_again(error, lambda: self._write_now(statements, later))
        except sqlite3.Error as last:
            if is_locked(last):
                return None
            raise fault(self._path, last) from last

    def submit(self, statements: Sequence[Statement]) -> Future[list[WriteResult]]:
        """Have the thread write the statements together as soon as the lock is free."""
        job = _Job(statements)
        job.future.set_running_or_notify_cancel()  # from here on it cannot be called back
        with self._changed:
            if self._is_stopped:
                raise StoreError(f"The store {self._path} is closed; open it again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="oneclaw-store", daemon=True)
                self._thread.start()
            self._queue.append(job)
            self._changed.notify()
        return job.future

    def write_all(self, statements: Sequence[Statement], is_stopped: Callable[[], bool]) -> list[WriteResult]:
        """Write all of the statements or none, waiting for the lock: for a thread of one's own."""

        def write() -> list[WriteResult]:
            self._begin()
            written: list[WriteResult] = []
            for sql, values in statements:
                if is_stopped():
                    raise StoreError(f"The store {self._path} was left as it was: the writing was stopped.")
                written.append(self._execute(sql, values))
            self._connection.execute("COMMIT")
            return written

        with self._lock:
            try:
                written = self._with_reserve(write)
                self._rows += len(statements)
                return written
            except sqlite3.Error as error:
                raise fault(self._path, error) from error

    def _checkpoint(self) -> None:
        self._rows = 0
        self._checkpointer.begin()

    def stop(self) -> None:
        """Write what is still queued, then end the thread and the connection."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self._connection.close()

    def _write_now(self, statements: Sequence[Statement], later: Sequence[Statement]) -> list[WriteResult]:
        is_many = len(statements) + len(later) > 1  # one commits by itself
        cursor: Any = self._cursor
        execute = cursor.execute
        if is_many:
            execute("BEGIN IMMEDIATE")
        for sql, values in later:
            execute(sql, values)
        written: list[WriteResult] = []
        for sql, values in statements:
            execute(sql, values)
            written.append(_result(WriteResult, (cursor.lastrowid or 0, cursor.rowcount)))
        if is_many:
            execute("COMMIT")
        return written

    def _run(self) -> None:
        while jobs := self._first_jobs():
            with self._lock:
                self._write_together(jobs)

    def _first_jobs(self) -> list[_Job]:
        """Wait for jobs; none are left when the writer is stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._is_stopped)
            return list(islice(self._queue, _MOST_AT_ONCE))

    def _write_together(self, jobs: list[_Job]) -> None:
        try:
            failed = self._with_reserve(lambda: self._write_each(jobs))
        except Exception as error:
            failed = {number: fault(self._path, error) for number in range(len(jobs))}
        for _ in jobs:
            self._queue.popleft()
        for number, job in enumerate(jobs):
            if number in failed:
                job.future.set_exception(failed[number])
            else:
                job.future.set_result(job.written)
        self._rows += len(jobs)
        if self._rows > _ROWS_BETWEEN:
            self._checkpoint()

    def _write_job(self, job: _Job) -> None:
        if len(job.statements) == 1:
            job.written.append(self._execute(*job.statements[0]))
            return
        self._connection.execute("SAVEPOINT job")
        try:
            for sql, values in job.statements:
                job.written.append(self._execute(sql, values))
        except Exception:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO job")
            raise
        finally:
            if self._connection.in_transaction:
                self._connection.execute("RELEASE job")

    def _write_each(self, jobs: list[_Job]) -> dict[int, StoreError]:
        """Write all that can be written, in one transaction; what is wrong with the others."""
        failed: dict[int, StoreError] = {}
        self._begin()
        for number, job in enumerate(jobs):
            job.written.clear()  # it may be the second time, with the reserve
            try:
                self._write_job(job)
            except Exception as error:
                if not self._connection.in_transaction:
                    raise  # a full or broken disk undoes the transaction whole
                failed[number] = fault(self._path, error)
        self._connection.execute("COMMIT")
        return failed

    def _with_reserve(self, write: Callable[[], T]) -> T:
        """Write; where the disk is full, give up the reserve and write again. A failure leaves nothing."""
        try:
            written = write()
        except BaseException as error:
            return self._write_again(error, write)
        if self._reserve.is_missed:
            self._reserve.keep()
        return written

    def _write_again(self, error: BaseException, write: Callable[[], T]) -> T:
        """Undo what failed; where the disk is full and there is a reserve, give it up and write again."""
        self._undo()
        if not isinstance(error, sqlite3.Error) or not is_full(error) or not self._reserve.give_up():
            raise error
        try:
            return write()
        except BaseException:
            self._undo()
            raise

    def _undo(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _begin(self) -> None:
        end = time.monotonic() + self._patience_seconds
        wait = _FIRST_WAIT_SECONDS
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not is_locked(error) or time.monotonic() >= end:
                    raise
            time.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT_SECONDS)

    def _execute(self, sql: str, values: SqlValues) -> WriteResult:
        cursor: Any = self._cursor
        cursor.execute(sql, values)
        return WriteResult(cursor.lastrowid or 0, cursor.rowcount)
