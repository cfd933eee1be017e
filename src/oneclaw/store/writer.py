"""The one writing connection of a process: at once when the lock is free, in a thread when it is not.

A write tries first where it stands. Nothing is waited for: when another process, or our own thread, is
writing, the statement goes into a queue instead and the event loop runs on. One thread takes from the queue
what is there, waits for the lock, and writes all of it in one transaction. So a single call pays some 30 µs
and no thread switch, and a crowd pays one commit together.
"""

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from oneclaw.core.errors import StoreError
from oneclaw.store.checkpoint import Checkpointer
from oneclaw.store.database import Statement, Values, Written
from oneclaw.store.fault import fault, is_full, is_locked
from oneclaw.store.reserve import Reserve

T = TypeVar("T")
_MOST_AT_ONCE = 500
_FIRST_WAIT_SECONDS = 0.0005
_LONGEST_WAIT_SECONDS = 0.01
_ROWS_OF_A_WRITE = 8
"""So many rows in one commit count as one more write."""


@dataclass(slots=True)
class _Job:
    """Statements that are written together: all of them, or none."""

    statements: Sequence[Statement]
    future: Future[list[Written]] = field(default_factory=Future[list[Written]])
    written: list[Written] = field(default_factory=list[Written])


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
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._submitting = threading.Lock()
        self._is_stopped = False

    def attempt(
        self, statements: Sequence[Statement], later: Sequence[Statement] = ()
    ) -> list[Written] | None:
        """Write `later` and then the statements, all or none, now; None when somebody else is writing."""
        # While our own checkpoint keeps the disk busy, even a write that waits for no lock may take long.
        if self._checkpointer.is_busy or not self._queue.empty() or not self._lock.acquire(blocking=False):
            return None
        try:
            try:
                written = self._write_now(statements, later)
            except BaseException as error:
                written = self._write_again(error, lambda: self._write_now(statements, later))
            else:
                if self._reserve.is_missed:
                    self._reserve.keep()
        except sqlite3.Error as error:
            if is_locked(error):
                return None
            raise fault(self._path, error) from error
        finally:
            self._lock.release()
        self._checkpointer.count(1 + (len(statements) + len(later)) // _ROWS_OF_A_WRITE)
        return written

    def submit(self, statements: Sequence[Statement]) -> Future[list[Written]]:
        """Have the thread write the statements together as soon as the lock is free."""
        job = _Job(statements)
        job.future.set_running_or_notify_cancel()  # from here on it cannot be called back
        with self._submitting:
            if self._is_stopped:
                raise StoreError(f"The store {self._path} is closed; open it again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="oneclaw-store", daemon=True)
                self._thread.start()
            self._queue.put(job)
        return job.future

    def write_all(self, statements: Sequence[Statement], is_stopped: Callable[[], bool]) -> list[Written]:
        """Write all of the statements or none, waiting for the lock: for a thread of one's own."""

        def write() -> list[Written]:
            self._begin()
            written: list[Written] = []
            for sql, values in statements:
                if is_stopped():
                    raise StoreError(f"The store {self._path} was left as it was: the writing was stopped.")
                written.append(self._execute(sql, values))
            self._connection.execute("COMMIT")
            return written

        with self._lock:
            try:
                written = self._with_reserve(write)
                self._checkpointer.count(1 + len(statements) // _ROWS_OF_A_WRITE)
                return written
            except sqlite3.Error as error:
                raise fault(self._path, error) from error

    def stop(self) -> None:
        """Write what is still queued, then end the thread and the connection."""
        with self._submitting:
            self._is_stopped = True
            self._queue.put(None)
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self._connection.close()

    def _write_now(self, statements: Sequence[Statement], later: Sequence[Statement]) -> list[Written]:
        if len(statements) == 1 and not later:
            return [self._execute(*statements[0])]
        if not statements and not later:
            return []
        execute = self._cursor.execute
        execute("BEGIN IMMEDIATE")
        for sql, values in later:
            execute(sql, values)
        written = [self._execute(sql, values) for sql, values in statements]
        execute("COMMIT")
        return written

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            jobs = [job]
            while len(jobs) < _MOST_AT_ONCE and (job := self._next()) is not None:
                jobs.append(job)
            with self._lock:
                self._write_together(jobs)

    def _next(self) -> _Job | None:
        """The next job if there is one; the sign to end is left for the loop, and is always the last."""
        if self._queue.empty():
            return None
        job = self._queue.get()
        if job is None:
            self._queue.put(None)
        return job

    def _write_together(self, jobs: list[_Job]) -> None:
        try:
            failed = self._with_reserve(lambda: self._write_each(jobs))
        except Exception as error:
            failed = {number: fault(self._path, error) for number in range(len(jobs))}
        for number, job in enumerate(jobs):
            if number in failed:
                job.future.set_exception(failed[number])
            else:
                job.future.set_result(job.written)
        self._checkpointer.count(len(jobs))

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

    def _execute(self, sql: str, values: Values) -> Written:
        cursor: Any = self._cursor
        cursor.execute(sql, values)
        return Written(cursor.lastrowid or 0, cursor.rowcount)
