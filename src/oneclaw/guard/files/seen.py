"""Detects changed files in a folder."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SeenFile = tuple[str, int, int, int, int]
"""A file: its path, inode, size and the times of its last change."""
Seen = frozenset[SeenFile]


def look_at(folders: Iterable[Path], endings: tuple[str, ...]) -> Seen:
    """The files of some folders with these endings. What cannot be looked at is not there."""
    found: set[SeenFile] = set()
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                paths = [entry.path for entry in entries if entry.name.endswith(endings)]
        except OSError:
            continue
        for path in paths:
            with suppress(OSError):
                status = os.stat(path)
                found.add((path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return frozenset(found)
