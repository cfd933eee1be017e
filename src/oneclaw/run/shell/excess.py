"""What a command takes too much of: processes, memory, what it leaves in its shell, or the last of a disk."""

import os
from collections.abc import Iterable
from typing import Literal

from oneclaw.guard.sandbox.enclosure import Limits
from oneclaw.run.shell.box import Box
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.usage import machine_bytes

Excess = Literal["processes", "memory", "state", "disk"]
LEAST_BYTES = 1 << 30
"""What must stay free on each disk that a command can write to."""
TAKEN_BYTES = 256 << 20
"""A command that has taken less than this of a disk is not the one that filled it."""


class Watch:
    """Looks at one command, from when it is made; how often is for others to say."""

    def __init__(self, box: Box, folder: ShellFolder, limits: Limits) -> None:
        self._box = box
        self._folder = folder
        self._limits = limits
        self._free_bytes = free_bytes(box.enclosure.disks)
        self.memory_bytes = 0
        """What it had at the last look."""

    def excess(self) -> Excess | None:
        used = self._box.usage()
        if used is not None and used.processes > self._limits.processes:
            return "processes"
        self.memory_bytes = self._memory_bytes(0 if used is None else used.memory_bytes)
        if self.memory_bytes > self._limits.memory_bytes or self._box.is_out_of_memory():
            return "memory"
        if self._folder.is_too_large():
            return "state"
        return "disk" if self._fills_disk() else None

    def _memory_bytes(self, own_bytes: int) -> int:
        """What is theirs alone, what they share, and what the kernel holds for them.

        Who holds memory that is shared or of page tables is asked only where the machine has that much of it
        at all; of what the kernel holds, only where it sets no limit itself.
        """
        most = self._limits.memory_bytes
        shared, tables = machine_bytes()
        total = own_bytes
        if total + shared > most:
            total += self._box.shared_bytes()
        if self._box.holds_memory:
            return total
        if total + tables > most:
            total += self._box.table_bytes()
        return total if total > most else total + self._box.socket_bytes()

    def _fills_disk(self) -> bool:
        left = free_bytes(self._free_bytes)
        return any(
            free < LEAST_BYTES and self._free_bytes[folder] - free > TAKEN_BYTES
            for folder, free in left.items()
        )


def free_bytes(folders: Iterable[str]) -> dict[str, int]:
    """How much is free where each of these folders is; a folder that is gone is left out."""
    found: dict[str, int] = {}
    for folder in folders:
        try:
            disk = os.statvfs(folder)
        except OSError:
            continue
        found[folder] = disk.f_bavail * disk.f_frsize
    return found
