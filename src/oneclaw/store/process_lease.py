"""Tracks which programs use the store, by file locks.

Beside the database `store.db` lies the folder `store.db-live`. A program that opens the store makes a file
there, named by its process number and a random part, and keeps it locked (`flock`) for as long as it lives.
However it ends, the kernel lets the lock go: a file that can be locked, or is not there, belongs to the dead.
Only a program that was just being started by the one that died holds its lock on, until it is loaded: so who
finds a lock, and nobody of that number, looks a little longer. The number decides nothing: it may be used
again, or be of another container.

The folder itself is the gate: who makes, migrates or recovers the store holds a lock on it meanwhile. So
eight programs that start at once on a new file do it one after another, and nobody sees a half-made lock.
"""

import fcntl
import os
import re
import secrets
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from oneclaw.core.errors import StoreError

_NAME = re.compile(r"\d+-[0-9a-f]{12}\Z")
_TRY_AGAIN_SECONDS = 0.005
_ORPHAN_SECONDS = 0.5


class ProcessLease:
    """This program's locked file: while it is held, the calls this program opened are its own."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._path = folder / self.name
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.fchmod(self._descriptor, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        _held(self)

    def leave(self) -> None:
        """Let go and leave no file behind."""
        self._path.unlink(missing_ok=True)
        self.drop()

    def drop(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


_presences: weakref.WeakSet[ProcessLease] | None = None


def _held(presence: ProcessLease) -> None:
    # A forked child shares the lock and would keep it after its parent died: it lets go of it at birth.
    global _presences
    if _presences is None:
        _presences = weakref.WeakSet()
        os.register_at_fork(after_in_child=_drop_all)
    _presences.add(presence)


def _drop_all() -> None:
    for presence in list(_presences or ()):
        presence.drop()


def is_alive(folder: Path, name: str, patience_seconds: float = _ORPHAN_SECONDS) -> bool:
    """Whether the program of this name still runs."""
    try:
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    end = time.monotonic() + patience_seconds
    try:
        while not _can_lock(descriptor):
            if time.monotonic() >= end or _runs(int(name.partition("-")[0])):
                return True
            time.sleep(_TRY_AGAIN_SECONDS)
    finally:
        os.close(descriptor)
    return False


def _can_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _runs(number: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    try:
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is another user's, or this system does not say


def sweep(folder: Path) -> None:
    """Take away the files of the dead. Call inside the gate."""
    for path in folder.iterdir():
        if _NAME.match(path.name) and not is_alive(folder, path.name, 0):
            path.unlink(missing_ok=True)


@contextmanager
def gate(folder: Path, patience_seconds: float) -> Generator[None]:
    """Be the only program that is making, migrating or recovering the store."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(descriptor, folder, patience_seconds)
        yield
    finally:
        # Said aloud, not left to the close: a child forked meanwhile holds the same lock.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _lock(descriptor: int, folder: Path, patience_seconds: float) -> None:
    end = time.monotonic() + patience_seconds
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise StoreError(
                    f"Another program has been opening the store for {patience_seconds:g} seconds and holds"
                    f" the lock on {folder}; end it if it hangs, then try again."
                ) from None
        time.sleep(_TRY_AGAIN_SECONDS)
