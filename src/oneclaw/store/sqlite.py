"""SQLite implementation of the Database protocol.

Reading is in `reader`. Writing is in `turn`, for the tasks of an event loop, and in `writer`, for the file.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import StoreError
from oneclaw.store import file, migration
from oneclaw.store.checkpoint import LOG_BYTES, Checkpointer
from oneclaw.store.database import Named, SqlValues, Statement, WriteResult
from oneclaw.store.fault import fault, is_unreachable
from oneclaw.store.process_lease import ProcessLease, gate, sweep
from oneclaw.store.reader import ReadConnections
from oneclaw.store.recovery import INTERRUPT, find_dead, recover
from oneclaw.store.reserve import Reserve
from oneclaw.store.writer import Writer

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from concurrent.futures import Future

    from oneclaw.store.turn import PendingWrite, Turn

PATIENCE_SECONDS = 30.0
_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


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
        self._forks = _forks
        self._turns: dict[AbstractEventLoop, Turn] = {}
        self._running_loop: Callable[[], AbstractEventLoop]
        self._checkpointer = Checkpointer(self.path)
        self._reserve = Reserve(self.path)
        self._closed = False
        self._presence: ProcessLease | None = None
        self._writer: Writer | None = None
        try:
            file.refuse(self.path)
            self._reserve.give_up_if_full()
            if not read_only:
                self._writer = self._open_to_write()
            quick = self._open_to_read(read_only)
            self._reader = ReadConnections(self.path, quick, self._connect_for_long_reads)
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

    async def select(self, sql: str, values: SqlValues | Named = ()) -> list[Any]:
        self._check_ours()
        return await self._reader.select(sql, values)

    async def write(self, sql: str, values: SqlValues = ()) -> WriteResult:
        written = self._turn().write(((sql, values),))
        return (written if isinstance(written, list) else await _settle(written))[0]

    async def insert(self, sql: str, values: SqlValues, undo: str) -> int:
        written = self._turn().write(((sql, values),))
        if isinstance(written, list):
            return written[0].key
        kept, cancelled = await written.settle()
        key = kept[0].key
        if cancelled is not None:
            undone = self._turn().write(((undo, (key,)),))
            if not isinstance(undone, list):
                await undone.settle()
            raise cancelled
        return key

    async def write_together(self, statements: Sequence[Statement]) -> list[WriteResult]:
        written = self._turn().write(statements)
        return written if isinstance(written, list) else await _settle(written)

    def add_later(self, sql: str, values: SqlValues) -> None:
        self._turn().add_later(sql, values)

    def take_back(self, values: SqlValues) -> bool:
        return self._turn().take_back(values)

    async def flush(self) -> None:
        await self.write_together(())

    async def write_all(self, statements: Sequence[Statement]) -> list[WriteResult]:
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

    async def find_faults(self, seconds: float) -> tuple[list[str], bool]:
        self._check_ours()
        return await self._reader.find_faults(seconds)

    def close(self) -> None:
        """Give every call still open its result, and let go of the file.

        Where that cannot be written, as on a full disk, whoever opens the store next does it.
        """
        if self._closed:
            return
        self._closed = True
        if self._forks != _forks:
            return  # a forked child has nothing to close: all of it is its parent's
        self._reader.close()
        last = None if self._writer is None else self._end(self._writer)
        self._let_go()
        if last is not None:
            with suppress(StoreError):
                last.result()

    def _end(self, writer: Writer) -> "Future[list[WriteResult]]":
        """Have the last rows written, and every call and run that is still open ended."""
        while self._turns:
            self._turns.popitem()[1].hand_over()
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
            with file.closed_on_failure(connection):
                self._take_over(connection)
            if is_new:  # many a store is made once, for a test, and never opened again
                self._reserve.put_off()
            else:
                self._reserve.keep()
        connection.execute("PRAGMA busy_timeout = 0")
        return Writer(connection, self.path, self._patience_seconds, self._reserve, self._checkpointer)

    def _take_over(self, connection: sqlite3.Connection) -> None:
        if migration.check(connection, self.path) < max(migration.steps()):
            migration.migrate(connection)
        file.tighten(self.path)
        migration.use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # see checkpoint
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        self._presence = ProcessLease(self._live)
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
        with file.closed_on_failure(reader), suppress(StoreError, OSError):
            if find_dead(reader, self._live):
                SqliteDatabase(self.path, patience_seconds=self._patience_seconds).close()
        return reader

    def _connect_for_long_reads(self) -> sqlite3.Connection:
        return self._connect_to_look()[0] if self._writer is None else self._connect_beside()

    def _connect_beside(self) -> sqlite3.Connection:
        """A connection that reads beside the one that writes."""
        reader = file.connect(self.path, "rw", self._patience_seconds)
        reader.execute("PRAGMA query_only = ON")
        return reader

    def _connect_to_look(self) -> tuple[sqlite3.Connection, int]:
        """A connection that cannot write, and the version of what it sees."""
        try:
            return self._look("ro")
        except sqlite3.OperationalError as error:
            if not is_unreachable(error) or file.size(self.path, "-wal"):
                raise
            # Nobody writes, and SQLite may not make its index beside the file in a folder of others.
            return self._look("ro&immutable=1")

    def _look(self, mode: str) -> tuple[sqlite3.Connection, int]:
        reader = file.connect(self.path, mode, self._patience_seconds)
        with file.closed_on_failure(reader):
            return reader, migration.check(reader, self.path)

    def _bring_up_to_date(self) -> None:
        """Open the store of an older version once as a call would."""
        try:
            SqliteDatabase(self.path, patience_seconds=self._patience_seconds).close()
        except (StoreError, OSError) as error:
            raise StoreError(
                f"The store {self.path} is of an older OneClaw and cannot be brought up to date: {error}"
            ) from error

    def _turn(self) -> "Turn":
        """The writes of the event loop that runs in this thread."""
        if self._forks == _forks and self._turns:
            turn = self._turns.get(self._running_loop())
            if turn is not None:
                return turn
        return self._new_turn(self._for_writing())

    def _new_turn(self, writer: Writer) -> "Turn":
        from asyncio import get_running_loop  # who only looks at the store does without

        from oneclaw.store.turn import Turn

        self._running_loop, loop = get_running_loop, get_running_loop()
        for ended in [each for each in list(self._turns) if each.is_closed()]:
            self._turns.pop(ended).hand_over()
        turn = self._turns[loop] = Turn(loop, writer)
        return turn

    def _for_writing(self) -> Writer:
        self._check_ours()
        if self._writer is None:
            raise StoreError(f"The store {self.path} was opened to be read only; open it for writing.")
        return self._writer

    def _check_ours(self) -> None:
        if self._closed:
            raise StoreError(f"The store {self.path} is closed; open it again.")
        if self._forks != _forks:
            raise StoreError(
                f"The store {self.path} was opened before a fork; open it again in this process."
            )


async def _settle(entry: "PendingWrite") -> list[WriteResult]:
    written, cancelled = await entry.settle()
    if cancelled is not None:
        raise cancelled
    return written
