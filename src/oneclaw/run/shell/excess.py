"""What a command takes too much of: processes, memory, what it leaves in its shell, or the last of a disk."""

import os
from collections.abc import Iterable
from typing import Literal

from oneclaw.guard.sandbox.enclosure import Limits
from oneclaw.run.shell.box import Box
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.usage import machine_shared_bytes

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

    def excess(self) -> Excess | None:
        if self._box.enclosure.lookout is not None:
            self._box.enclosure.lookout.look()
        used = self._box.usage()
        if used is not None and used.processes > self._limits.processes:
            return "processes"
        if self._takes_too_much(0 if used is None else used.memory_bytes):
            return "memory"
        if self._folder.is_too_large():
            return "state"
        return "disk" if self._fills_disk() else None

    def _takes_too_much(self, own_bytes: int) -> bool:
        """Whether what is theirs alone and what they share is too much.

        Who holds what is shared is asked only where the machine has that much of it at all.
        """
        left = self._limits.memory_bytes - own_bytes
        return left < 0 or (machine_shared_bytes() > left and self._box.shared_bytes() > left)

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
