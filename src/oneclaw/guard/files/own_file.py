"""Changes a file of the owner's own, as the settings or the secrets: locked, atomic, private when new."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from oneclaw.core.errors import InvalidConfig
from oneclaw.guard.files.replace import lock, replace

MOST_BYTES = 1 << 20


def change_file(path: Path, change: Callable[[str], str]) -> bool:
    """Give a file the text that `change` makes of its old one, which is empty for a file that is not there.

    Says whether the file changed. A link is followed, so that settings may be kept elsewhere. `change` may
    raise: then the file is as it was. Raises `InvalidConfig` for what is no text file of at most 1 MB.
    """
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(real.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            lock(folder, lambda: None)
            status, text = _read(folder, real)
            made = change(text)
            if made == text and status is not None:
                return False
            _write(folder, real.name, status, made.encode())
        finally:
            os.close(folder)
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be written ({error.strerror}).") from None
    return True


def _read(folder: int, path: Path) -> tuple[os.stat_result | None, str]:
    try:
        descriptor = os.open(path.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None, ""
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidConfig(f"{path} is not a plain file; name another one.")
        if status.st_size > MOST_BYTES:
            raise InvalidConfig(f"{path} is larger than 1 MB; it is too large to be changed here.")
        try:
            return status, opened.read(MOST_BYTES).decode()
        except UnicodeDecodeError:
            raise InvalidConfig(f"{path} is not UTF-8; mend the file or move it away.") from None


def _write(folder: int, name: str, old: os.stat_result | None, content: bytes) -> None:
    def write(file: BinaryIO) -> None:
        file.seek(0)
        file.truncate()
        file.write(content)
        if old is None:
            os.fchmod(file.fileno(), 0o600)

    replace(folder, name, old, write, lambda: None, is_locked=True)
