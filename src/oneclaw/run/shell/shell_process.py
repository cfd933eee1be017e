"""ShellProcess: a sandboxed bash that runs one command at a time."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress

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
    usage_below,
    usage_inside,
)

READ_BYTES = 64 * 1024
DRAIN_BYTES = 1 << 20
SWEEP_SECONDS = 3.0
GONE_SECONDS = 3.0
ALONE_SECONDS = 0.002
"""How often is looked whether what was killed is dead."""
_FIRST_OF_ALL = -20
"""A nice value."""
SWEEP = b"s"
"""Asks the keeper of a box without a process table of its own to kill all but its first bash."""


class ShellGone(Exception):
    """The box has ended."""


class ShellProcess:
    """A bash that waits for commands; `kill` ends it and all it has started."""

    def __init__(
        self,
        enclosure: SandboxSpec,
        folder: ShellFolder,
        limits: SandboxLimits,
        *,
        has_input: bool = False,
        shared: Group | None = None,
    ) -> None:
        self.enclosure = enclosure
        self.disks = one_of_each(enclosure.disks)
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
        self._reported = b""
        self._pid = 0
        self._known: asyncio.Future[None] = self._loop.create_future()
        self._is_killed = False
        self._is_gone = False
        self._is_closed = False
        self._why = ""
        self._started = start(enclosure, folder, limits, has_input=has_input, shared=shared)
        self._loop.add_reader(self._started.line, self._read_line)
        self._loop.add_reader(self._started.report, self._read_report)
        self._loop.add_reader(self._started.out, self._read, False)
        self._loop.add_reader(self._started.err, self._read, True)

    @property
    def is_alive(self) -> bool:
        return not self._is_gone

    def prepare(self, state: int, then: int, number: int) -> None:
        """Have a bash ready that starts from this state and leaves `then`; command `number` runs in it.

        A state that can do more than set variables is given with `order`, and 0 here.
        """
        self._wanted += b"%d %d %d\n" % (state, then, number)
        self._want()

    def _want(self) -> None:
        if self._started.group is not None and not self._known.done():
            return  # what it starts now would not be counted
        wanted, self._wanted = self._wanted, b""
        if wanted and not self._is_closed:
            with suppress(OSError):  # that it is gone shows where it is waited for
                self._started.line.send(wanted)

    def order(self, number: int, state: int = 0) -> asyncio.Future[int]:
        """Run the command that lies in the folder in the bash that waits for this number: its exit code.

        `state` is loaded first, if there is one. The future fails with `ShellGone` when the box ends first.
        """
        self._want()
        self.drain()
        self.out, self.err = StreamOutput(), StreamOutput()
        self._started.let_wait()
        ended = self._ended = self._loop.create_future()
        ended.add_done_callback(lambda done: done.cancelled() or done.exception())  # whoever waits, or not
        if self._is_gone:
            ended.set_exception(ShellGone())
        with suppress(OSError):
            self._started.go.send(b"%d %d\n" % (number, state))
        return ended

    async def sweep(self) -> None:
        """Kill everything but the first bash. Raises `ShellGone`, or `TimeoutError` after too long."""
        if self._is_gone or not self._pid:
            raise ShellGone
        self._swept = self._loop.create_future()
        try:
            if self.enclosure.has_own_pids:
                os.kill(self._pid, signal.SIGUSR1)
            else:
                self._started.report.send(SWEEP)
        except OSError:
            raise ShellGone from None
        await asyncio.wait_for(self._swept, SWEEP_SECONDS)

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
        if not self._pid:
            return None
        if self.enclosure.has_own_pids:
            return usage_inside(self._pid, self._limits.processes)
        return usage_below(self._started.process.pid, self._limits.processes)

    def shared_bytes(self) -> int:
        """The memory it holds that processes can share; each of them is looked at, which takes long."""
        return shared_bytes(self._processes(), self._limits.memory_bytes)

    def table_bytes(self) -> int:
        """The memory that its page tables take; each process is looked at."""
        return table_bytes(self._processes())

    def socket_bytes(self) -> int:
        """The memory that its sockets hold."""
        top = self._pid if self.enclosure.has_own_pids else self._started.process.pid
        return socket_bytes(top) if self._pid else 0

    def _processes(self) -> list[str]:
        if self.enclosure.has_own_pids:
            return processes_inside(self._pid) or [] if self._pid else []
        return processes_below(self._started.process.pid, self._limits.processes)

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
        """End it with all it has started; returns at once, `gone` waits until nothing is left.

        One that is being made is ended when it is known by its number: before, half of it might stay.
        """
        self._is_killed = True
        if self._is_closed or not self._known.done():
            return
        if self._pid and not self._is_gone:
            with suppress(OSError):  # only root may: among thousands that fork, its turn to die comes late
                os.setpriority(os.PRIO_PROCESS, self._pid, _FIRST_OF_ALL)
            with suppress(OSError):  # its group too: what forks cannot go on while the first awaits its turn
                (os.killpg if os.getpgid(self._pid) == self._pid else os.kill)(self._pid, signal.SIGKILL)
        with suppress(OSError):
            self._started.report.shutdown(socket.SHUT_WR)
        if self.enclosure.has_own_pids:
            self._started.process.kill()

    async def gone(self) -> None:
        """Wait until nothing is left of a box that was killed or has ended, and let go of its files."""
        if self._is_closed:
            return
        await asyncio.wait([self._known], timeout=GONE_SECONDS)
        self._note_known()
        self.drain()
        self._is_closed = True
        self._lose()
        self._loop.remove_reader(self._started.report)
        self._loop.remove_reader(self._started.out)
        self._loop.remove_reader(self._started.err)
        process = self._started.process
        try:
            if self.enclosure.has_own_pids and self._pid:  # there, the first process is the last to go
                await self._is_dead(self._pid)
            await self._is_dead(process.pid)
            if process.poll() is None:
                process.kill()
                await self._is_dead(process.pid)
                process.poll()
        finally:
            self._why = self._last_error()
            self._started.close()

    async def _is_dead(self, pid: int) -> None:
        """Wait for the end of a process; not for ever, and in no thread: there may be room for none."""
        try:
            watched = os.pidfd_open(pid)
        except OSError:
            return  # gone already
        dead: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(watched, lambda: dead.done() or dead.set_result(None))
        try:
            await asyncio.wait([dead], timeout=GONE_SECONDS)
        finally:
            self._loop.remove_reader(watched)
            os.close(watched)

    def why_gone(self) -> str:
        """Start-up error of a shell that is gone; empty when there was none."""
        return self._why

    def _last_error(self) -> str:
        try:
            said = os.read(self._started.errors, READ_BYTES).decode("utf-8", "replace").strip()
        except OSError:
            said = ""
        return said.splitlines()[-1][:300] if said else ""

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
            elif word == b"k":
                self._note_swept()

    def _read_report(self) -> None:
        try:
            data = self._started.report.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._started.report)
            self._note_known()
            return
        if self._pid:
            self._note_swept()
            return
        self._reported += data
        with suppress(ValueError):
            self._pid = int(json.loads(self._reported)["child-pid"])
            self._started.hold(self._pid)  # it may have been started before its parent was held
            self._note_known()

    def _note_known(self) -> None:
        if not self._known.done():
            self._known.set_result(None)
            self._want()
            if self._is_killed:
                self.kill()

    def _note_swept(self) -> None:
        if self._swept is not None and not self._swept.done():
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
        if not self._is_gone:
            self._is_gone = True
            self._loop.remove_reader(self._started.line)
            for waiting in (self._ended, self._swept):
                if waiting is not None and not waiting.done():
                    waiting.set_exception(ShellGone())
