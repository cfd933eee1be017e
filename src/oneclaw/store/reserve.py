"""Reserves disk space for the journal.

    store.db-reserve/   some files of no content, which take up the room

Without it a full disk would end all calls, as none is run that cannot be journaled, those included that would
make room. With it the calls go on for a while. It is made again when there is room.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from oneclaw.store.file import make_folder

FILES, FILE_BYTES = 16, 256 << 10
"""Names and room for a store that is opened by some programs, and for some hundred calls."""
NEW_WRITES = 20
"""Writes after which a new store has it: one that is made and left at once does without."""
ROOMY = 16
"""It is made where this many times its size is free, so that a small disk is not full of it."""
FULL_BYTES, FULL_FILES = 1 << 20, 8
"""With less than this a store may not be opened."""


class Reserve:
    """The folder beside the store; all programs that have it open share it."""

    def __init__(self, path: Path) -> None:
        self._folder = path.with_name(path.name + "-reserve")
        self._writes = 0
        self.is_missed = False
        """Whether it should be there and is not: this program gave it up, or there was no room for it."""

    def put_off(self) -> None:
        """Make it after some writes, in a store that is new."""
        self.is_missed, self._writes = True, NEW_WRITES

    def keep(self) -> None:
        """Make it if it is not there and there is much room."""
        self._writes -= 1
        if self._writes > 0:
            return
        self.is_missed = not self._folder.exists()
        if self.is_missed and not self._lacks(ROOMY * FILES * FILE_BYTES, ROOMY * FILES):
            with suppress(OSError):  # the next time, then
                self._make()

    def give_up(self) -> bool:
        """Give its room back to the disk; False where it was missing."""
        was_missed, self.is_missed = self.is_missed, True
        shutil.rmtree(self._folder, ignore_errors=True)
        return not was_missed

    def give_up_if_full(self) -> None:
        """Give it up if the disk is too full for a store to be opened."""
        if self._lacks(FULL_BYTES, FULL_FILES):
            self.give_up()

    def _lacks(self, free_bytes: int, free_files: int) -> bool:
        """Whether less than this is free; of a folder that is not there yet it is not known."""
        try:
            disk = os.statvfs(self._folder.parent)
        except OSError:
            return False
        lacks_files = disk.f_files > 0 and disk.f_favail < free_files  # 0 where there can be any number
        return disk.f_bavail * disk.f_frsize < free_bytes or lacks_files

    def _make(self) -> None:
        """Under another name first: what stands in its place is whole. Another program may be quicker."""
        fresh = self._folder.with_name(f"{self._folder.name}.{os.getpid()}")
        try:
            make_folder(fresh)
            for number in range(FILES):
                file = os.open(
                    fresh / str(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
                )
                try:
                    os.fchmod(file, 0o600)
                    os.posix_fallocate(file, 0, FILE_BYTES)
                finally:
                    os.close(file)
            fresh.rename(self._folder)
            self.is_missed = False
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
