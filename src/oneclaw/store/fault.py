"""Describes store faults in one sentence with the remedy."""

import errno
import sqlite3
from pathlib import Path

from oneclaw.core.errors import StoreError

# Each is "The store {path} " + this.
_SAID = {
    sqlite3.SQLITE_BUSY: "is kept locked by another program; close what holds it, then try again",
    sqlite3.SQLITE_CORRUPT: "is damaged; put back a copy of it, or move it away to begin a new one",
    sqlite3.SQLITE_NOTADB: "is not a database; put back a copy of it, or move it away to begin a new one",
    sqlite3.SQLITE_READONLY: "cannot be written; make the file and its folder writable for this user",
    sqlite3.SQLITE_PERM: "may not be used by this user; give the user rights to the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that the file and its folder are there and yours",
    sqlite3.SQLITE_FULL: "cannot grow because the disk is full; make room, then try again",
    sqlite3.SQLITE_IOERR: "could not be read or written by the system; check the disk",
}
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_SYSTEM = {
    errno.ENOSPC: sqlite3.SQLITE_FULL,
    errno.EDQUOT: sqlite3.SQLITE_FULL,
    errno.EROFS: sqlite3.SQLITE_READONLY,
    errno.EACCES: sqlite3.SQLITE_PERM,
    errno.EPERM: sqlite3.SQLITE_PERM,
    errno.ENOENT: sqlite3.SQLITE_CANTOPEN,
    errno.ENOTDIR: sqlite3.SQLITE_CANTOPEN,
    errno.EEXIST: sqlite3.SQLITE_CANTOPEN,
    errno.EIO: sqlite3.SQLITE_IOERR,
}


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another connection held a lock: trying again may help."""
    return _code(error) in _LOCKED


def is_full(error: sqlite3.Error) -> bool:
    """Whether the disk had no room for it."""
    return _code(error) == sqlite3.SQLITE_FULL


def is_unreachable(error: sqlite3.Error) -> bool:
    """Whether SQLite could not open or make a file it needs."""
    return _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def fault(path: Path, error: Exception) -> StoreError:
    """The owner's sentence for an error of SQLite or of the system."""
    code = _SYSTEM.get(error.errno or 0) if isinstance(error, OSError) else _code(error)
    if code in _LOCKED:
        code = sqlite3.SQLITE_BUSY
    said = _SAID.get(code or 0, "cannot be used; look at the reason given")
    return StoreError(f"The store {path} {said} ({_reason(error)}).")


def _code(error: Exception) -> int:
    # The low byte is the class of the error; the rest says which call of the system failed.
    # Errors of the Python module itself carry no code at all.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _reason(error: Exception) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"{error}, {name}" if name else str(error)
