"""Ends commands that exceed limits of processes, memory, shell state or disk."""

import asyncio
from time import monotonic
from typing import Literal

from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits
from oneclaw.run.shell.disk import Disks
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.shell_process import ShellProcess
from oneclaw.run.shell.usage import machine_bytes

Excess = Literal["processes", "memory", "state", "disk"]


async def watch_disks(ended: asyncio.Future[int], disks: Disks, seconds: float) -> None:
    """Wait so long for the end of a command; less if it takes too much of a disk."""
    until = monotonic() + seconds
    while not ended.done() and (left := until - monotonic()) > 0:
        await asyncio.wait([ended], timeout=min(left, disks.look_seconds(seconds)))
        if not ended.done() and disks.are_overdrawn():
            return


class Watch:
    """Looks at one command, from when it is made; how often is for others to say."""

    def __init__(
        self, process: ShellProcess, folder: ShellFolder, limits: SandboxLimits, disks: Disks
    ) -> None:
        self._process = process
        self._folder = folder
        self._limits = limits
        self._disks = disks
        self._looking: asyncio.Future[None] | None = None
        self.memory_bytes = 0
        """Usage at the last look."""

    def excess(self) -> Excess | None:
        if self._disks.are_overdrawn():  # first: what fills a disk goes on while the others are looked at
            return "disk"
        lookout = self._process.sandbox.lookout
        if lookout is not None and (self._looking is None or self._looking.done()):
            self._looking = asyncio.get_running_loop().run_in_executor(None, lookout.look)
        used = self._process.usage()
        if used is not None and used.processes > self._limits.processes:
            return "processes"
        self.memory_bytes = self._memory_bytes(0 if used is None else used.memory_bytes)
        if self.memory_bytes > self._limits.memory_bytes or self._process.is_out_of_memory():
            return "memory"
        return "state" if self._folder.is_too_large() else None

    def _memory_bytes(self, own_bytes: int) -> int:
        """Private, shared and kernel memory together.

        Who holds memory that is shared or of page tables is asked only where the machine has that much of it
        at all; of what the kernel holds, only where it sets no limit itself.
        """
        most = self._limits.memory_bytes
        shared, tables = machine_bytes()
        total = own_bytes
        if total + shared > most:
            total += self._process.shared_bytes()
        if self._process.holds_memory:
            return total
        if total + tables > most:
            total += self._process.table_bytes()
        return total if total > most else total + self._process.socket_bytes()
