"""Free-space floor of each disk that commands can write to.

At the floor commands still run: those that read or remove take nothing. One that takes more is stopped.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

LEAST_BYTES = 1 << 30
LEAST_FILES = 10_000
PART = 10
"""Of a disk so small that these would be more than a tenth of it, a tenth must stay."""
TAKEN_BYTES, TAKEN_FILES = 16 << 20, 200
"""A command below the floor that has taken less than this may not be the one who takes it."""
SHARE = 64
"""Nor less than this part of what there was: so that many such commands do not use up the rest together."""
NEAR_BYTES, NEAR_FILES = 2 << 30, 100_000
"""This close to the floor, free space is checked more often."""
LEAST_SECONDS = 0.002
"""The shortest time between two looks."""
ALWAYS_BYTES, ALWAYS_FILES = 256 << 10, 32
"""So much a command may take always, and its files may be as large: the state of its shell is one."""


class Room(NamedTuple):
    """Free space and the required minimum of a disk."""

    free_bytes: int
    free_files: int
    least_bytes: int
    least_files: int

    @property
    def spare_bytes(self) -> int:
        """How much can still be taken; below zero where too much was."""
        return self.free_bytes - self.least_bytes

    @property
    def spare_files(self) -> int:
        return self.free_files - self.least_files

    @property
    def nearness(self) -> float:
        """How far the floor is: 1 or more where a look now and then is enough, 0 at the floor and below."""
        files = self.spare_files / NEAR_FILES if self.least_files else 1.0
        return max(0.0, min(self.spare_bytes / NEAR_BYTES, files))

    @property
    def allowed_bytes(self) -> int:
        """How much a command may take though it is below the floor."""
        return max(ALWAYS_BYTES, min(TAKEN_BYTES, self.free_bytes // SHARE))

    def is_overdrawn(self, before: "Room") -> bool:
        """Whether too little is left, and much of it was taken since."""
        files_allowed = max(ALWAYS_FILES, min(TAKEN_FILES, before.free_files // SHARE))
        return (self.spare_bytes < 0 and before.free_bytes - self.free_bytes > before.allowed_bytes) or (
            self.spare_files < 0 and before.free_files - self.free_files > files_allowed
        )


class Disks:
    """The disks where these folders are, as they were when a command began."""

    def __init__(self, folders: Iterable[str]) -> None:
        looked = ((folder, _look(folder)) for folder in folders)
        self._before = {folder: room for folder, room in looked if room is not None}
        self._nearness = min((room.nearness for room in self._before.values()), default=1.0)

    def look_seconds(self, most: float) -> float:
        """When to look again: after `most`, or sooner where the floor was near at the last look."""
        return min(most, max(LEAST_SECONDS, most * self._nearness))

    def most_file_bytes(self, most: int) -> int | None:
        """How large a file may become: what can be taken of the fullest disk; None if that is `most`."""
        spare = min(
            (max(room.spare_bytes, room.allowed_bytes) for room in self._before.values()), default=most
        )
        return spare if spare < most else None

    def are_overdrawn(self) -> bool:
        looked = ((before, _look(folder)) for folder, before in self._before.items())
        now = [(before, room) for before, room in looked if room is not None]
        self._nearness = min((room.nearness for _, room in now), default=1.0)
        return any(room.is_overdrawn(before) for before, room in now)


def one_of_each(folders: Iterable[str]) -> tuple[str, ...]:
    """Of the folders on one disk, the first."""
    found: dict[int, str] = {}
    for folder in folders:
        with suppress(OSError):
            found.setdefault(os.stat(folder).st_dev, folder)
    return tuple(found.values())


def _look(folder: str) -> Room | None:
    """The room on its disk; None when the folder is gone."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    least_bytes = min(LEAST_BYTES, disk.f_blocks * disk.f_frsize // PART)
    least_files = min(LEAST_FILES, disk.f_files // PART)  # 0 where there can be any number of them
    return Room(disk.f_bavail * disk.f_frsize, disk.f_favail, least_bytes, least_files)
