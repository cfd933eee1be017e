"""Checkpoints the SQLite log outside of calls.

SQLite would do it inside the write that fills the log, and that write would wait for the disk. Here a thread
of its own does it, on a connection of its own, while writers and readers go on.
"""

import sqlite3
import threading
from pathlib import Path

from oneclaw.store import file

LOG_BYTES = 64 << 20
_PATIENCE_SECONDS = 0.2


class Checkpointer:
    """Makes checkpoints in a thread, one at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread: threading.Thread | None = None
        self.is_busy = False

    def begin(self) -> None:
        """Make a checkpoint, unless one is being made."""
        if not self.is_busy:
            self.is_busy = True
            self._thread = threading.Thread(target=self._run, name="oneclaw-checkpoint", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            checkpoint(self._path)
        except (sqlite3.Error, OSError):
            return  # what was written is safe in the log; the next checkpoint tries again
        finally:
            self.is_busy = False


def checkpoint(path: Path, log_bytes: int = LOG_BYTES) -> None:
    """Move what is in the log into the tables.

    PASSIVE holds up nobody, but cannot begin the log anew while others keep writing. TRUNCATE can, and is for
    a log past `log_bytes`; it holds up all writers while it waits for readers, so it does not wait long.
    """
    connection = file.connect(path, "rw", _PATIENCE_SECONDS)
    try:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if file.size(path, "-wal") > log_bytes:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()
