"""Child: a started child process, and how it is ended with everything it started."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from oneclaw.child.child_spec import LIFELINE, ChildSpec
from oneclaw.child.exit_report import Ended, Exit, read_exit
from oneclaw.child.group import Group

GONE_SECONDS = 2.0
"""How long each step of ending may take: by the supervisor, by the guardian, then by nobody but us."""
ROOT = Path(__file__).parents[2]
"""The folder from which children import this package."""
START = "import sys; sys.path.append(sys.argv[2]); from oneclaw.child.supervisor import main; main()"
"""Imports the supervisor: Python would compile a script anew at each start."""

_LINE_BYTES = 64 * 1024
_HIGHEST_PRIORITY = -20


class Child:
    """A started child; used from one event loop.

    pid             its process id; 0 until it is known
    supervisor_pid  the process id of its supervisor; 0 until it is known, and for one that is its own
    known           is done when both are known, or the child has ended before
    is_alive        whether it runs, and is not being ended
    is_gone         whether it has ended, and nothing that it started is left
    """

    def __init__(
        self, spec: ChildSpec, *, group: Group | None = None, when_gone: Callable[[], None] | None = None
    ) -> None:
        """Start it in the control group, which is removed when it is gone. Raises `OSError`."""
        self.spec = spec
        self.pid = self.supervisor_pid = 0
        self.is_alive = True
        self.is_gone = False
        self._group = group
        self._when_gone = when_gone
        self._loop = asyncio.get_running_loop()
        self.known: asyncio.Future[None] = self._loop.create_future()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._swept: asyncio.Future[None] | None = None
        self._arrived = b""
        self._told: dict[str, Any] = {}
        self._reason = ""
        self._exit: Exit | None = None
        self._errors = -1
        self._lifeline, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = self._start(theirs.fileno())
            except BaseException:
                self._close()
                raise
        self._lifeline.setblocking(False)
        self._loop.add_reader(self._lifeline, self._read)

    @property
    def process_pid(self) -> int:
        """The process id of the topmost process: the guardian, or the supervisor where there is none."""
        return self._process.pid

    @property
    def is_killed(self) -> bool:
        """Whether `kill` has ended it; it may not be gone yet."""
        return bool(self._reason)

    @property
    def exit(self) -> Exit:
        """How it ended, as far as it is known."""
        if self._exit is not None:
            return self._exit
        is_out_of_memory = self._group is not None and self._group.killed() > 0
        tail = str(self._told.get("tail", ""))
        return read_exit(self._told.get("exit-code"), tail, self._reason, is_out_of_memory)

    def kill(self, reason: str = "the program is closing") -> None:
        """End the child and everything it started; returns at once, `gone` waits for it."""
        if self.is_alive:
            self.is_alive = False
            self._reason = reason
            self._end()

    async def wait(self) -> Exit:
        """Wait until the child has ended, by itself or by `kill`, and nothing is left of it."""
        await asyncio.shield(self._gone)
        return self.exit

    async def gone(self) -> Exit:
        """Wait until nothing is left of a killed child. Kills whoever of those above it does not answer."""
        for stubborn in ((), (self.supervisor_pid,), (self.process_pid, self.pid)):
            for pid in filter(None, stubborn):
                with suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
            if any(stubborn) or not stubborn:
                await asyncio.wait([self._gone], timeout=GONE_SECONDS)
            if self.is_gone:
                break
        return self.exit

    async def sweep(self) -> None:
        """Kill everything that the child has started, but not the child. Raises `Ended`."""
        self._swept = self._loop.create_future()
        try:
            self._lifeline.send(b"s")
        except OSError:
            raise Ended(self.exit) from None
        await self._swept

    def _start(self, lifeline: int) -> subprocess.Popen[bytes]:
        spec, streams, written = self.spec, [subprocess.DEVNULL] * 3, -1
        if spec.is_supervisor:
            self._errors, streams[2] = os.pipe()
            written = streams[2]
            streams = [spec.descriptors.get(number, stream) for number, stream in enumerate(streams)]
            argv = [str(lifeline) if word == LIFELINE else word for word in spec.argv]
        else:
            argv = [sys.executable, "-E", "-P", "-S", "-c", START, str(lifeline), str(ROOT)]
        try:
            process = subprocess.Popen(
                argv,
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                env=dict(spec.environment),
                cwd=spec.directory,
                pass_fds=[lifeline, *(fd for fd in spec.descriptors.values() if fd not in streams)],
                start_new_session=True,
            )
        finally:
            if written >= 0:
                os.close(written)
        if not spec.is_supervisor:
            self._lifeline.sendall(spec.pack(self._group))
        elif self._group is not None:
            self._group.hold(process.pid)
        return process

    def _end(self) -> None:
        if not self.spec.is_supervisor:
            with suppress(OSError):
                self._lifeline.shutdown(socket.SHUT_WR)
        elif self.pid:  # or half of a sandbox that is being made might stay: `_take` ends it then
            with suppress(OSError):  # only root may: among thousands that fork, its turn to die comes late
                os.setpriority(os.PRIO_PROCESS, self.pid, _HIGHEST_PRIORITY)
            with suppress(OSError):  # its group too: what forks cannot go on while the first awaits its turn
                (os.killpg if os.getpgid(self.pid) == self.pid else os.kill)(self.pid, signal.SIGKILL)

    def _read(self) -> None:
        try:
            data = self._lifeline.recv(_LINE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._arrived = (self._arrived + data)[-_LINE_BYTES:].split(b"\n")
        for line in lines:
            with suppress(ValueError):
                self._take(json.loads(line))
        if not data:
            self._finish()

    def _take(self, told: dict[str, Any]) -> None:
        self._told |= told
        self.is_alive = self.is_alive and "exit-code" not in told
        if "child-pid" in told and not self.pid:
            self.pid = int(told["child-pid"])
            self.supervisor_pid = int(told.get("supervisor-pid", 0))
            if self.spec.is_supervisor and self._group is not None:
                self._group.hold(self.pid)  # it may have been started before its parent was held
            self.known.set_result(None)
            if self._reason:
                self._end()
        if "swept" in told and self._swept is not None and not self._swept.done():
            self._swept.set_result(None)

    def _finish(self) -> None:
        """The lifeline has ended, and with it all that was supervised."""
        self._loop.remove_reader(self._lifeline)
        self._process.wait()  # it closed the lifeline by ending, so this does not wait
        if self._errors >= 0:
            os.set_blocking(self._errors, False)
            with suppress(OSError):
                self._told["tail"] = os.read(self._errors, _LINE_BYTES).decode("utf-8", "replace")
        self.is_alive, self.is_gone = False, True
        self._exit = self.exit  # before the group that knows of memory is removed
        self._close()
        for waiting in (self.known, self._gone):
            if not waiting.done():
                waiting.set_result(None)
        if self._swept is not None and not self._swept.done():
            self._swept.set_exception(Ended(self._exit))
        if self._when_gone is not None:
            self._when_gone()

    def _close(self) -> None:
        self._lifeline.close()
        if self._errors >= 0:
            os.close(self._errors)
        if self._group is not None:
            self._group.remove()
