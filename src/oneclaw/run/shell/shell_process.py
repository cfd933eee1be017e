"""ShellProcess: a sandboxed bash that runs one command at a time."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress

from oneclaw.child.exit_report import Ended
from oneclaw.child.group import Group
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.run.shell.disk import one_of_each
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.output import StreamOutput
from oneclaw.run.shell.sockets import socket_bytes
from oneclaw.run.shell.start import start
from oneclaw.run.shell.usage import (
    ResourceUsage,
    processes_below,
    processes_inside,
    shared_bytes,
    table_bytes,
    usage_of,
)

READ_BYTES = 64 * 1024
DRAIN_BYTES = 1 << 20
SWEEP_SECONDS = 3.0
ALONE_SECONDS = 0.002
"""How often is looked whether what was killed is dead."""


class ShellGone(Exception):
    """The shell process has ended."""


class ShellProcess:
    """A bash that waits for commands; `kill` ends it and all it has started."""

    def __init__(
        self,
        sandbox: SandboxSpec,
        folder: ShellFolder,
        limits: SandboxLimits,
        *,
        has_input: bool = False,
        shared: Group | None = None,
    ) -> None:
        self.sandbox = sandbox
        self.disks = one_of_each(sandbox.disks)
        self.out, self.err = StreamOutput(), StreamOutput()
        self.heed: Callable[[bytes], None] | None = None
        self.had_left = False
        """Whether the last command left something behind, which was killed but may not be dead yet."""
        self._killed = 0
        """How many processes the kernel had killed for want of memory when the last command was looked at."""
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] | None = None
        self._swept: asyncio.Future[None] | None = None
        self._wanted = b""
        self._said = b""
        self._is_lost = False
        self._is_closed = False
        self._started = start(sandbox, folder, limits, has_input=has_input, shared=shared)
        self.child = self._started.child
        self.child.known.add_done_callback(lambda _: self._want())
        self._loop.add_reader(self._started.line, self._read_line)
        self._loop.add_reader(self._started.out, self._read, False)
        self._loop.add_reader(self._started.err, self._read, True)

    @property
    def is_alive(self) -> bool:
        return not self._is_lost

    def prepare(self, state: int, then: int, number: int) -> None:
        """Have a bash ready that starts from this state and leaves `then`; command `number` runs in it.

        A state that can do more than set variables is given with `order`, and 0 here.
        """
        self._wanted += b"%d %d %d\n" % (state, then, number)
        self._want()

    def _want(self) -> None:
        if self._started.group is not None and not self.child.known.done():
            return  # what it starts now would not be counted
        wanted, self._wanted = self._wanted, b""
        if wanted and not self._is_closed:
            with suppress(OSError):  # that it is gone shows where it is waited for
                self._started.line.send(wanted)

    def order(self, number: int, state: int = 0) -> asyncio.Future[int]:
        """Run the command that lies in the folder in the bash that waits for this number: its exit code.

        `state` is loaded first, if there is one. The future fails with `ShellGone` if the process ends first.
        """
        self._want()
        self.drain()
        self.out, self.err = StreamOutput(), StreamOutput()
        self._started.let_wait()
        ended = self._ended = self._loop.create_future()
        ended.add_done_callback(lambda done: done.cancelled() or done.exception())  # whoever waits, or not
        if self._is_lost:
            ended.set_exception(ShellGone())
        with suppress(OSError):
            self._started.go.send(b"%d %d\n" % (number, state))
        return ended

    async def sweep(self) -> None:
        """Kill everything but the first bash. Raises `ShellGone`, or `TimeoutError` after too long."""
        if self._is_lost or not self.child.pid:
            raise ShellGone
        try:
            async with asyncio.timeout(SWEEP_SECONDS):
                if not self.sandbox.has_own_pids:
                    return await self.child.sweep()
                self._swept = self._loop.create_future()
                os.kill(self.child.pid, signal.SIGUSR1)
                await self._swept
        except (OSError, Ended):
            raise ShellGone from None

    async def alone(self) -> None:
        """Wait until what was killed is dead. Raises `TimeoutError` when it takes too long."""
        async with asyncio.timeout(SWEEP_SECONDS):
            while (used := self.usage()) is not None and used.processes > 1:  # noqa: ASYNC110
                await asyncio.sleep(ALONE_SECONDS)  # the kernel tells nobody

    @property
    def holds_memory(self) -> bool:
        """Whether the kernel holds its memory, and not we."""
        return self._started.group is not None and self._started.group.holds_memory

    def is_out_of_memory(self) -> bool:
        """Whether the kernel has killed processes since it was last asked, because memory was used up."""
        before = self._killed
        if self._started.group is not None:
            self._killed = max(before, self._started.group.killed())
        return self._killed > before

    def usage(self) -> ResourceUsage | None:
        """Running processes; None when they cannot be seen."""
        processes = self._processes()
        return None if processes is None else usage_of(processes, self._limits.processes)

    def shared_bytes(self) -> int:
        """The memory it holds that processes can share; each of them is looked at, which takes long."""
        return shared_bytes(self._processes() or [], self._limits.memory_bytes)

    def table_bytes(self) -> int:
        """The memory that its page tables take; each process is looked at."""
        return table_bytes(self._processes() or [])

    def socket_bytes(self) -> int:
        """The memory that its sockets hold."""
        return socket_bytes(self._top) if self._top else 0

    @property
    def _top(self) -> int:
        """The process that all others are below of; 0 until it is known."""
        return self.child.pid if self.sandbox.has_own_pids else self.child.supervisor_pid

    def _processes(self) -> list[str] | None:
        if not self._top:
            return None
        if self.sandbox.has_own_pids:
            return processes_inside(self._top)
        return processes_below(self._top, self._limits.processes)

    def drain(self) -> None:
        """Take what lies in the pipes; not for ever, for a killed process may be writing still."""
        for is_err in (False, True):
            output = self.err if is_err else self.out
            until = output.total_bytes + DRAIN_BYTES
            while not self._is_closed and output.total_bytes < until and self._read(is_err):
                pass

    def write(self, data: bytes) -> int:
        """Give input to a command that takes some; how many bytes it took."""
        if self._started.input is None:
            raise ShellGone
        try:
            return os.write(self._started.input, data)
        except BlockingIOError:
            return 0
        except OSError:
            raise ShellGone from None

    def end_input(self) -> None:
        if self._started.input is not None:
            os.close(self._started.input)
            self._started.input = None

    def kill(self) -> None:
        """End it with all it has started; returns at once, `gone` waits until nothing is left."""
        self.child.kill()

    async def gone(self) -> None:
        """Wait until nothing is left of a process that was killed or has ended, and close its files."""
        await self.child.gone()
        self.drain()
        if not self._is_closed:
            self._is_closed = True
            self._lose()
            self._loop.remove_reader(self._started.out)
            self._loop.remove_reader(self._started.err)
            self._started.close()

    def why_gone(self) -> str:
        """Start-up error of a shell that is gone; empty when there was none."""
        return self.child.exit.last_line

    def _read_line(self) -> None:
        try:
            data = self._started.line.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose()
            return
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            word, _, rest = line.partition(b" ")
            if word == b"s" and self._ended is not None and not self._ended.done():
                code, left = rest.split()
                self.had_left = left == b"0"
                self._ended.set_result(int(code))
            elif word == b"k" and self._swept is not None and not self._swept.done():
                self._swept.set_result(None)

    def _read(self, is_err: bool) -> bool:
        """Take one piece of output; False when there is none."""
        fd = self._started.err if is_err else self._started.out
        try:
            data = os.read(fd, READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._loop.remove_reader(fd)
            return False
        (self.err if is_err else self.out).add(data)
        if self.heed is not None:
            self.heed(data)
        return True

    def _lose(self) -> None:
        if not self._is_lost:
            self._is_lost = True
            self._loop.remove_reader(self._started.line)
            for waiting in (self._ended, self._swept):
                if waiting is not None and not waiting.done():
                    waiting.set_exception(ShellGone())
