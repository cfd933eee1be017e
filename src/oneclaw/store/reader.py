"""Read connections: short queries on the event loop, long ones in a thread.

Theory of operation. A query runs where it stands, on the event loop, for at most `QUICK_STEPS` steps of
SQLite's virtual machine, about a millisecond. One that needs more is abandoned and runs again in a thread, on
a connection of its own. So a short read pays for no thread, and a long one does not hold up the loop.
"""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from oneclaw.store.database import Named, SqlValues
from oneclaw.store.fault import fault

QUICK_STEPS = 20_000
_FAULTS = 100


class ReadConnections:
    """Two connections: `quick` for the event loop, and one from `connect` for threads, made when needed."""

    def __init__(
        self, path: Path, quick: sqlite3.Connection, connect: Callable[[], sqlite3.Connection]
    ) -> None:
        self._path = path
        self._quick = quick
        self._connect = connect
        self._long: sqlite3.Connection | None = None
        self._reading = threading.Lock()
        self._reading_long = threading.Lock()
        self._steps = 0
        self._is_closed = False
        quick.set_progress_handler(self._is_long, QUICK_STEPS)

    async def select(self, sql: str, values: SqlValues | Named) -> list[Any]:
        try:
            rows = self._select_quickly(sql, values)
            return await _in_thread(self._select_long, sql, values) if rows is None else rows
        except sqlite3.Error as error:
            raise fault(self._path, error) from error

    async def find_faults(self, seconds: float) -> tuple[list[str], bool]:
        """Checks integrity: the damage found, and whether the check finished within `seconds`."""
        return await _in_thread(self._find_faults, seconds)

    def close(self) -> None:
        with self._reading, self._reading_long:
            self._is_closed = True
            self._quick.close()
            if self._long is not None:
                self._long.close()

    def _is_long(self) -> bool:
        """Whether the query on the event loop has had its steps; SQLite may ask a first time at any step."""
        self._steps += 1
        return self._steps > 1

    def _select_quickly(self, sql: str, values: SqlValues | Named) -> list[Any] | None:
        """The rows, or None when the query takes long."""
        if not self._reading.acquire(blocking=False):
            return None
        try:
            self._steps = 0
            return self._quick.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return None
            raise
        finally:
            self._reading.release()

    def _select_long(self, sql: str, values: SqlValues | Named) -> list[Any]:
        with self._reading_long:
            return self._for_long_reads().execute(sql, values).fetchall()

    def _for_long_reads(self) -> sqlite3.Connection:
        if self._is_closed:
            raise sqlite3.ProgrammingError("it is closed")
        if self._long is None:
            self._long = self._connect()
        return self._long

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
                return [str(fault(self._path, error))], True
        return [text for (text,) in rows if text != "ok"], True


async def _in_thread(work: Any, *given: Any) -> Any:
    import asyncio  # short reads do without

    return await asyncio.to_thread(work, *given)
