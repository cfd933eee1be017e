"""An open store: one connection that writes, one that reads beside it, and a clean end."""

import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from oneclaw.core.errors import StoreError
from oneclaw.store import file, migration
from oneclaw.store.checkpoint import LOG_BYTES, Checkpointer
from oneclaw.store.fault import fault, is_unreachable
from oneclaw.store.presence import Presence, gate, sweep
from oneclaw.store.recovery import INTERRUPT, find_dead, recover
from oneclaw.store.reserve import Reserve
from oneclaw.store.writer import Values, Writer, Written, settle

PATIENCE_SECONDS = 30.0


class Database:
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
        except BaseException as error:
            self._let_go()
            if isinstance(error, sqlite3.Error | OSError):
                raise fault(self.path, error) from error
            raise

    @property
    def process(self) -> str:
        """The name under which this program's calls are open."""
        return "" if self._presence is None else self._presence.name

    def attempt(self, sql: str, values: Values = ()) -> Written | None:
        """Write now and without waiting, or None when somebody else is writing."""
        writer = self._for_writing()
        # While our own checkpoint keeps the disk busy, even a write that waits for no lock may take long.
        written = None if self._checkpointer.is_busy else writer.attempt(sql, values)
        if written is not None:
            self._checkpointer.count()
        return written

    def submit(self, sql: str, values: Values = ()) -> Future[Written]:
        """Have the statement written by the thread; await it with `settle`."""
        future = self._for_writing().submit(sql, values)
        self._checkpointer.count()
        return future

    async def write(self, sql: str, values: Values = ()) -> Written:
        """Write, without holding up the event loop. What is cancelled meanwhile is written all the same."""
        written = self.attempt(sql, values)
        if written is None:
            written, cancelled = await settle(self.submit(sql, values))
            if cancelled is not None:
                raise cancelled
        return written

    async def write_all(self, statements: Sequence[tuple[str, Values]]) -> list[Written]:
        """Write all of the statements or, when one fails or the caller is cancelled, none."""
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

    def select(self, sql: str, values: Values | Mapping[str, str | float | None] = ()) -> list[Any]:
        """The rows of a query, read beside the writer: neither waits for the other."""
        self._check_ours()
        try:
            with self._reading:
                return self._reader.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise fault(self.path, error) from error

    def problems(self) -> list[str]:
        """What SQLite finds wrong in the whole file; it reads all of it."""
        self._check_ours()
        try:
            return [text for (text,) in self.select("PRAGMA integrity_check") if text != "ok"]
        except StoreError as error:
            return [str(error)]

    def close(self) -> None:
        """Give every call still open its result, and let go of the file.

        Where that cannot be written, as on a full disk, whoever opens the store next does it.
        """
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._pid:
            return  # a forked child has nothing to close: all of it is its parent's
        with self._reading:
            self._reader.close()
        last = None if self._writer is None else self._writer.submit(INTERRUPT, (self.process,))
        self._let_go()
        if last is not None:
            with suppress(StoreError):
                last.result()

    def _let_go(self) -> None:
        self._checkpointer.stop()
        if self._writer is not None:
            self._writer.stop()
        if self._presence is not None:
            self._presence.leave()

    def __enter__(self) -> "Database":
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
            reader = file.connect(self.path, "rw", self._patience_seconds)
            reader.execute("PRAGMA query_only = ON")
            return reader
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
                Database(self.path, patience_seconds=self._patience_seconds).close()
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
            Database(self.path, patience_seconds=self._patience_seconds).close()
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
