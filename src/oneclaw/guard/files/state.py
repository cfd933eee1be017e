"""The state of a file, folder or link at one moment: what undo compares before it restores anything."""

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import BinaryIO

from oneclaw.guard.files.tree import EntryKind, kind_of_mode

CHUNK_BYTES = 1 << 16
"""Python takes this much memory for each read, however small the file; a megabyte made the heap grow."""
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileState:
    """The entry at a path. `sha256` hashes a file's bytes or a link's target; empty if not computed."""

    kind: EntryKind
    size: int = 0
    mode: int = 0
    sha256: str = ""


def is_same(one: FileState | None, other: FileState | None) -> bool:
    """Whether two states hold the same content: folders by kind, a file without a hash by its size."""
    if one is None or other is None:
        return one is other
    if one.kind != other.kind:
        return False
    is_hashed = bool(one.sha256 and other.sha256)
    return one.kind == "folder" or (one.size == other.size and (not is_hashed or one.sha256 == other.sha256))


def state_of(file: BinaryIO, most_bytes: int) -> FileState:
    """The state of an open file; its hash only if it has at most `most_bytes`."""
    status = os.fstat(file.fileno())
    digest = "" if status.st_size > most_bytes else hash_of(file)
    return FileState("file", status.st_size, stat.S_IMODE(status.st_mode), digest)


def state_at(folder: int, name: str, most_bytes: int) -> FileState | None:
    """The state of an entry of an open folder, links not followed; None where there is none."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    kind, mode = kind_of_mode(status.st_mode), stat.S_IMODE(status.st_mode)
    if kind == "link":
        target = os.fsencode(os.readlink(name, dir_fd=folder))
        return FileState("link", len(target), 0, hashlib.sha256(target).hexdigest())
    if kind != "file":
        return FileState(kind, 0, mode)
    if status.st_size > most_bytes:
        return FileState("file", status.st_size, mode)
    with os.fdopen(os.open(name, _FLAGS, dir_fd=folder), "rb") as file:
        return state_of(file, most_bytes)


def hash_of(file: BinaryIO) -> str:
    """The SHA-256 of an open file, read from its beginning."""
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()
