"""Temporary folder shared by a program's sandboxes."""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PREFIX = "oneclaw-shells-"
YOUNG_SECONDS = 60.0
"""One younger than this may have been made, but not locked yet."""


class Scratch:
    """Made when it is first asked for, and locked while the program lives: so others see that it does."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._folder: Path | None = None
        self._lock = -1

    @property
    def folder(self) -> Path:
        if self._folder is None:
            remove_left(self._parent or Path(tempfile.gettempdir()))
            made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._parent))
            self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self._folder = made  # one that could not be locked is nobody's, and goes as such
        return self._folder

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._lock)
            self._folder = None


def remove_left(parent: Path, young_seconds: float = YOUNG_SECONDS) -> list[Path]:
    """Remove the folders of programs that are gone: of our name, of this user, and locked by nobody."""
    removed: list[Path] = []
    with suppress(OSError):
        for path in sorted(parent.glob(f"{PREFIX}*")):
            if _is_left(path, young_seconds):
                shutil.rmtree(path, ignore_errors=True)
                removed.append(path)
    return removed


def _is_left(path: Path, young_seconds: float) -> bool:
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False  # a file, a link, or of somebody else
    try:
        status = os.fstat(lock)
        is_ours = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == stat.S_IRWXU
        if not is_ours or time.time() - status.st_mtime < young_seconds:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False  # its program lives
    finally:
        os.close(lock)
    return True
