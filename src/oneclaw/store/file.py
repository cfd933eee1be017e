"""Creates, opens and protects the store file.

    store.db            the tables; store.db-wal and store.db-shm belong to it while it is in use
    store.db-live/      one locked file per program that has it open (see presence)
    store.db-reserve/   room that is kept for when the disk is full (see reserve)

A new database is made under another name and put in place by a rename: what stands at the path is nothing,
or complete. So an empty file, a file of another program, a damaged or a newer one is never taken for a new
start: it is refused, and left as it is.
"""

import os
import sqlite3
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from oneclaw.core.errors import StoreError
from oneclaw.store import migration

_LEAST_BYTES = 512  # the smallest page of a database


def connect(path: Path, mode: str, patience_seconds: float = 0.0) -> sqlite3.Connection:
    """A connection that commits each statement by itself; `mode` is `ro` or `rw`, never one that creates."""
    return sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=patience_seconds,
        isolation_level=None,
        check_same_thread=False,
    )


@contextmanager
def closed_on_failure(connection: sqlite3.Connection) -> Generator[None]:
    """Close the connection when what is done with it raises."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def refuse(path: Path) -> None:
    """Raise when something stands at the path that cannot be a store."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    if stat.S_ISDIR(status.st_mode):
        raise StoreError(f"The store {path} is a folder; name a file in it, as {path / 'oneclaw.db'}.")
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"The store {path} is not a plain file; name another file for the store.")
    if status.st_size == 0:
        raise StoreError(
            f"The store {path} is an empty file; put back a copy of it, or remove it to begin a new one."
        )
    if status.st_size < _LEAST_BYTES:
        # SQLite would take it for a new, empty database.
        raise StoreError(
            f"The store {path} is not a database; put back a copy of it, or move it away to begin a new one."
        )


def create(path: Path, aside: Path) -> None:
    """Make a new store in the folder `aside`, then put it in its place. Call inside the gate."""
    if size(path, "-wal"):
        # SQLite would replay the old log into the new file.
        raise StoreError(
            f"The store {path} is gone but its log {path.name}-wal is there; put the file back,"
            " or move the log away to begin a new one."
        )
    fresh = aside / "new.db"
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{fresh}{suffix}").unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    os.close(descriptor)
    connection = connect(fresh, "rw")
    try:
        migration.prepare(connection)
    finally:
        connection.close()
    fresh.rename(path)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    # The name must be on the disk before the log is: after a power cut a log without its file is refused.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make what is missing of a folder, for this user alone; what is there keeps its mode."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise


def tighten(path: Path) -> None:
    """Take others' rights away from the files of the store, as after a copy made without care."""
    for suffix in ("", "-wal", "-shm"):
        file = Path(f"{path}{suffix}")
        if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
            file.chmod(0o600)


def size(path: Path, suffix: str = "") -> int:
    """The bytes of the store or of a file beside it; 0 when it is not there."""
    try:
        return os.stat(f"{path}{suffix}").st_size
    except FileNotFoundError:
        return 0
