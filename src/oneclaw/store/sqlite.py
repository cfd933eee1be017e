"""The database in one SQLite file: one connection that writes, two that read beside it, and a clean end.

Theory of operation. A read runs where it stands, on the event loop, for at most `_QUICK_STEPS` steps of
SQLite's virtual machine, about a millisecond. A query that needs more is abandoned and runs again in a
thread, on a connection of its own. So a short read pays for no thread, and a long one does not hold up the
loop. Writes do the same with the lock of the file, see `writer`.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import StoreError
from oneclaw.store import file, migration
from oneclaw.store.checkpoint import LOG_BYTES, Checkpointer
from oneclaw.store.database import Named, Statement, Values, Written
from oneclaw.store.fault import fault, is_unreachable
from oneclaw.store.presence import Presence, gate, sweep
from oneclaw.store.recovery import INTERRUPT, find_dead, recover
from oneclaw.store.reserve import Reserve
from oneclaw.store.writer import Writer, settle

if TYPE_CHECKING:
    from asyncio import CancelledError, Task, TimerHandle
    from concurrent.futures import Future

log = logging.getLogger("oneclaw")

PATIENCE_SECONDS = 30.0
_QUICK_STEPS = 20_000
_FAULTS = 100
_LATER_SECONDS = 0.05


class SqliteDatabase:
    """The store at `path`, made when there is none. With `read_only` it must be there, and is only looked at.

    `patience_seconds` is how long a write waits while other programs are writing.
    """

    def __init__(
        self, path: Path | str, *, read_only: bool = False, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        if "\0" in str(path):
            raise StoreError(f"The store {str(path)!r} has a null byte in its name; name another file.")
        # Resolved as SQLite does it: two names of one file must meet in one folder of the living.
        self.path = Path(os.path.realpath(path))
        self._live = self.path.with_name(self.path.name + "-live")
        self._patience_seconds = patience_seconds
        self._pid = os.getpid()
        self._reading = threading.Lock()
        self._reading_long = threading.Lock()
        self._long_reader: sqlite3.Connection | None = None
        self._steps = 0
        self._later: list[Statement] = []
        self._flushing: TimerHandle | None = None
        self._tasks: set[Task[None]] = set()
        self._checkpointer = Checkpointer(self.path)
        self._reserve = Reserve(self.path)
        self._closed = False
        self._presence: Presence | None = None
        self._writer: Writer | None = None
        try:
            file.refuse(self.path)
            self._reserve.give_up_if_full()
            if not read_only:
                self._writer = self._open_to_write()
            self._reader = self._open_to_read(read_only)
            self._reader.set_progress_handler(self._is_long, _QUICK_STEPS)
        except BaseException as error:
            self._let_go()
            if isinstance(error, sqlite3.Error | OSError):
                raise fault(self.path, error) from error
            raise

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def process(self) -> str:
        """The name under which this program's calls are open."""
        return "" if self._presence is None else self._presence.name

    async def select(self, sql: str, values: Values | Named = ()) -> list[Any]:
        self._check_ours()
        try:
            rows = self._select_quickly(sql, values)
            return await self._in_thread(self._select_long, sql, values) if rows is None else rows
        except sqlite3.Error as error:
            raise fault(self.path, error) from error

    async def write(self, sql: str, values: Values = ()) -> Written:
        if not self._later and not self._checkpointer.is_busy:
            # While our own checkpoint keeps the disk busy, even a write that waits for no lock may take long.
            written = self._for_writing().attempt(sql, values)
            if written is not None:
                self._checkpointer.count()
                return written
        written, cancelled = await self._write_after_others(sql, values)
        if cancelled is not None:
            raise cancelled
        return written

    async def insert(self, sql: str, values: Values, undo: str) -> int:
        if not self._later and not self._checkpointer.is_busy:
            written = self._for_writing().attempt(sql, values)
            if written is not None:
                self._checkpointer.count()
                return written.key
        written, cancelled = await self._write_after_others(sql, values)
        if cancelled is not None:
            await settle(self._for_writing().submit(((undo, (written.key,)),)))
            raise cancelled
        return written.key

    async def write_together(self, statements: Sequence[Statement]) -> list[Written]:
        written, cancelled = await self._write_all_now(statements)
        if cancelled is not None:
            raise cancelled
        return written

    async def _write_after_others(self, sql: str, values: Values) -> "tuple[Written, CancelledError | None]":
        """Write a statement and those that were to be written with it; they may fail without it."""
        later, mine = self._take_later(), (sql, values)
        try:
            written, cancelled = await self._write_all_now((*later, mine))
        except StoreError:
            if not later:
                raise
            await self._write_each(later)
            written, cancelled = await self._write_all_now((mine,))
        return written[-1], cancelled

    async def _write_all_now(
        self, statements: Sequence[Statement]
    ) -> "tuple[list[Written], CancelledError | None]":
        """Write in one transaction: at once, or in the thread when the lock is taken."""
        writer = self._for_writing()
        written = None if self._checkpointer.is_busy else writer.attempt_together(statements)
        cancelled = None
        if written is None:
            written, cancelled = await settle(writer.submit(statements))
        self._checkpointer.count()
        return written, cancelled

    def add_later(self, sql: str, values: Values) -> None:
        self._later.append((sql, values))
        if self._flushing is None:
            import asyncio

            self._flushing = asyncio.get_running_loop().call_later(_LATER_SECONDS, self._flush_soon)

    async def flush(self) -> None:
        later = self._take_later()
        if later:
            try:
                await self.write_together(later)
            except StoreError:
                await self._write_each(later)

    def _take_later(self) -> list[Statement]:
        later, self._later = self._later, []
        return later

    def _flush_soon(self) -> None:
        import asyncio

        self._flushing = None
        if self._later and not self._closed:
            task = asyncio.ensure_future(self.flush())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _write_each(self, statements: Sequence[Statement]) -> None:
        """Write one by one what could not be written together: one bad row does not cost the others."""
        for statement in statements:
            try:
                await self.write_together((statement,))
            except StoreError as error:
                log.warning("A row could not be written: %s", error)

    async def write_all(self, statements: Sequence[Statement]) -> list[Written]:
        import asyncio  # who only looks at the store does without

        is_stopped = threading.Event()
        write = self._for_writing().write_all
        writing = asyncio.ensure_future(asyncio.to_thread(write, statements, is_stopped.is_set))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            is_stopped.set()
            await asyncio.gather(writing, return_exceptions=True)  # nobody leaves while it is written
            raise
        finally:
            self._checkpointer.count()

    async def find_faults(self, seconds: float) -> tuple[list[str], bool]:
        self._check_ours()
        return await self._in_thread(self._find_faults, seconds)

    def _is_long(self) -> bool:
        """Whether the query on the event loop has had its steps; SQLite may ask a first time at any step."""
        self._steps += 1
        return self._steps > 1

    def _select_quickly(self, sql: str, values: Values | Named) -> list[Any] | None:
        """The rows, or None when the query takes long."""
        if not self._reading.acquire(blocking=False):
            return None
        try:
            self._steps = 0
            return self._reader.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return None
            raise
        finally:
            self._reading.release()

    def _select_long(self, sql: str, values: Values | Named) -> list[Any]:
        with self._reading_long:
            self._check_ours()
            return self._for_long_reads().execute(sql, values).fetchall()

    def _for_long_reads(self) -> sqlite3.Connection:
        if self._long_reader is None:
            self._long_reader = self._connect_to_look()[0] if self._writer is None else self._connect_beside()
        return self._long_reader

    def _find_faults(self, seconds: float) -> tuple[list[str], bool]:
        with self._reading_long:
            try:
                reader = self._for_long_reads()
                # A table is one step of SQLite's machine, however large: only an interrupt ends it.
                timer = threading.Timer(seconds, reader.interrupt)
                timer.start()
                try:
                    rows = reader.execute(f"PRAGMA integrity_check({_FAULTS})").fetchall()
                finally:
                    timer.cancel()
                    timer.join()
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                    return [], False
                return [str(fault(self.path, error))], True
        return [text for (text,) in rows if text != "ok"], True

    async def _in_thread(self, work: Any, *given: Any) -> Any:
        import asyncio

        return await asyncio.to_thread(work, *given)

    def close(self) -> None:
        """Give every call still open its result, and let go of the file.

        Where that cannot be written, as on a full disk, whoever opens the store next does it.
        """
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._pid:
            return  # a forked child has nothing to close: all of it is its parent's
        with self._reading, self._reading_long:
            self._reader.close()
            if self._long_reader is not None:
                self._long_reader.close()
        last = None if self._writer is None else self._end(self._writer)
        self._let_go()
        if last is not None:
            with suppress(StoreError):
                last.result()

    def _end(self, writer: Writer) -> "Future[list[Written]]":
        """Have the last rows written, and every call and run that is still open ended."""
        for statement in self._take_later():
            writer.submit((statement,))
        return writer.submit([(sql, (self.process,)) for sql in INTERRUPT])

    def _let_go(self) -> None:
        self._checkpointer.stop()
        if self._writer is not None:
            self._writer.stop()
        if self._presence is not None:
            self._presence.leave()

    def __enter__(self) -> "SqliteDatabase":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_to_write(self) -> Writer:
        file.make_folder(self.path.parent)
        file.make_folder(self._live)
        with gate(self._live, self._patience_seconds):
            is_new = not self.path.exists()
            if is_new:
                file.create(self.path, self._live)
            connection = file.connect(self.path, "rw", self._patience_seconds)
            try:
                self._take_over(connection)
            except BaseException:
                connection.close()
                raise
            if not is_new:  # many a store is made once, for a test, and never opened again
                self._reserve.keep()
        connection.execute("PRAGMA busy_timeout = 0")
        return Writer(connection, self.path, self._patience_seconds, self._reserve)

    def _take_over(self, connection: sqlite3.Connection) -> None:
        if migration.check(connection, self.path) < max(migration.steps()):
            migration.migrate(connection)
        file.tighten(self.path)
        migration.use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # see checkpoint
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        self._presence = Presence(self._live)
        recover(connection, self._live)
        sweep(self._live)

    def _open_to_read(self, read_only: bool) -> sqlite3.Connection:
        if not read_only:
            return self._connect_beside()
        if not self.path.exists():
            raise StoreError(f"There is no store at {self.path} yet; the first call of a tool makes it.")
        reader, version = self._connect_to_look()
        if version < max(migration.steps()):
            reader.close()
            self._bring_up_to_date()
            reader, _ = self._connect_to_look()
        # Calls of the dead are shown as what they are, where this user may write it down.
        with suppress(StoreError, OSError):
            if find_dead(reader, self._live):
                SqliteDatabase(self.path, patience_seconds=self._patience_seconds).close()
        return reader

    def _connect_beside(self) -> sqlite3.Connection:
        """A connection that reads beside the one that writes."""
        reader = file.connect(self.path, "rw", self._patience_seconds)
        reader.execute("PRAGMA query_only = ON")
        return reader

    def _connect_to_look(self) -> tuple[sqlite3.Connection, int]:
        """A connection that cannot write, and the version of what it sees."""
        reader = file.connect(self.path, "ro", self._patience_seconds)
        try:
            return reader, migration.check(reader, self.path)
        except sqlite3.OperationalError as error:
            if not is_unreachable(error) or file.size(self.path, "-wal"):
                raise
            # Nobody writes, and SQLite may not make its index beside the file in a folder of others.
            reader = file.connect(self.path, "ro&immutable=1")
            return reader, migration.check(reader, self.path)

    def _bring_up_to_date(self) -> None:
        """Open the store of an older version once as a call would."""
        try:
            SqliteDatabase(self.path, patience_seconds=self._patience_seconds).close()
        except (StoreError, OSError) as error:
            raise StoreError(
                f"The store {self.path} is of an older OneClaw and cannot be brought up to date: {error}"
            ) from error

    def _for_writing(self) -> Writer:
        self._check_ours()
        if self._writer is None:
            raise StoreError(f"The store {self.path} was opened to be read only; open it for writing.")
        return self._writer

    def _check_ours(self) -> None:
        if self._closed:
            raise StoreError(f"The store {self.path} is closed; open it again.")
        if os.getpid() != self._pid:
            raise StoreError(
                f"The store {self.path} was opened before a fork; open it again in this process."
            )
