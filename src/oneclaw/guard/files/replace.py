"""Replaces a file atomically, after its new content is on disk.

Theory. The new content goes to a file without a name (O_TMPFILE) in the same folder, is flushed to the disk,
and then takes the name: a new name by a hard link, an old name by a link beside it and a rename over it.
Killed at any moment, the old content or the new is there, whole, and nothing else: a file without a name is
gone with its process. The name beside stands for microseconds and follows from the name, so the next write of
the file takes away one that was left. Where a file must have a name, it has an odd one; old ones are swept.

A change that depends on the old content (append, edit) holds a lock on the folder from reading to rename, and
a plain replacement takes it for the rename: no change is lost, in one process or between several.
"""

import errno
import fcntl
import os
import stat
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

# None where the system cannot make a file without a name.
UNNAMED: int | None = getattr(os, "O_TMPFILE", None)
PREFIX, SUFFIX = ".oneclaw-", ".tmp"
STALE_SECONDS = 3600
_WAIT_SECONDS = 0.005
_TRIES = 100

WriteBytes = Callable[[BinaryIO], object]
CheckBefore = Callable[[], None]
Keep = Callable[[BinaryIO], None]
"""Is given the new content before it takes the name."""


class _CannotLink(Exception):
    """This file system, or the system's rules, does not let a file without a name take one."""


def open_folder(fd: int) -> int:
    """A descriptor of the same folder that can be locked and flushed."""
    return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=fd)


def make_folder(folder: int, name: str) -> None:
    """Make a folder; that one is there already is well."""
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    fd = open_folder(folder)
    try:
        flush_folder(fd)
    finally:
        os.close(fd)


def lock(folder: int, check: CheckBefore) -> None:
    """Wait for the folder's lock; it goes with the descriptor. `check` ends the wait by raising."""
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            check()
            time.sleep(_WAIT_SECONDS)
        except OSError:
            return  # a file system without locks: the engine still keeps the order within this process
        else:
            return


def replace(
    folder: int,
    name: str,
    old: os.stat_result | None,
    write: WriteBytes,
    check: CheckBefore,
    keep: Keep = lambda new: None,
    *,
    is_locked: bool,
) -> None:
    """Give `name` new content, keeping the permissions of the old. `write` may be called a second time."""
    if UNNAMED is not None:
        with suppress(_CannotLink):
            return _replace(folder, name, old, write, check, keep, is_locked, UNNAMED)
    sweep(folder)
    return _replace(folder, name, old, write, check, keep, is_locked, None)


def sweep(folder: int) -> None:
    """Take away what killed writers left behind long ago."""
    oldest = time.time() - STALE_SECONDS
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.name.endswith(SUFFIX):
                with suppress(OSError):
                    status = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode) and status.st_mtime < oldest:
                        os.unlink(entry.name, dir_fd=folder)


def _replace(
    folder: int,
    name: str,
    old: os.stat_result | None,
    write: WriteBytes,
    check: CheckBefore,
    keep: Keep,
    is_locked: bool,
    unnamed: int | None,
) -> None:
    mode = 0o666 if old is None else 0o600  # what is private stays private while it is being written
    fd, beside = create(folder, name, mode, unnamed)
    try:
        with os.fdopen(fd, "w+b") as file:
            write(file)
            file.flush()
            if old is not None:
                _keep_owner_and_mode(fd, old)
            os.fsync(fd)
            if not is_locked:
                lock(folder, check)
            keep(file)
            check()
            if unnamed is None:
                os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                _take_name(folder, fd, beside, name, is_new=old is None)
    except BaseException:
        if unnamed is None:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
        raise
    flush_folder(folder)


def create(folder: int, name: str, mode: int, unnamed: int | None) -> tuple[int, str]:
    if unnamed is None:
        beside = f"{PREFIX}{os.urandom(8).hex()}{SUFFIX}"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(beside, flags, mode, dir_fd=folder), beside
    try:
        fd = os.open(".", unnamed | os.O_RDWR | os.O_CLOEXEC, mode, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT):
            raise _CannotLink from None
        raise
    if not os.path.exists(f"/proc/self/fd/{fd}"):
        os.close(fd)
        raise _CannotLink
    # Two files of a folder may share the name beside: it is used under the lock of the folder only.
    return fd, f"{PREFIX}{zlib.crc32(os.fsencode(name)):08x}{SUFFIX}"


def _take_name(folder: int, fd: int, beside: str, name: str, *, is_new: bool) -> None:
    source = f"/proc/self/fd/{fd}"
    if is_new:
        with suppress(FileExistsError):
            return _link(source, name, folder)
    for _ in range(_TRIES):
        try:
            _link(source, beside, folder)
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except FileExistsError:
            with suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=folder)
        except FileNotFoundError:
            continue  # another writer took the name beside away: it is made again
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise
        else:
            return None
    raise OSError(errno.EBUSY, "another program keeps replacing the file")


def _link(source: str, name: str, folder: int) -> None:
    try:
        os.link(source, name, dst_dir_fd=folder, follow_symlinks=True)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.EXDEV, errno.EOPNOTSUPP, errno.EMLINK):
            raise _CannotLink from None
        raise


def _keep_owner_and_mode(fd: int, old: os.stat_result) -> None:
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):
            os.fchown(fd, old.st_uid, old.st_gid)
    # As on any write, a program that runs with its owner's rights loses them.
    os.fchmod(fd, stat.S_IMODE(old.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))


def flush_folder(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
