"""The processes of a JavaScript worker: a keeper, the holder of one source, and a caller for each call."""

import gc
import os
import resource
import sys

from oneclaw.js.border import GONE, Border, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import NoReturn
else:
    import _signal

IMPURE, DROPPED = 4, 5
"""How a process of ours ends when its source cannot be held, or is wanted no longer."""

FILES = 16
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


class Keeper:
    """Serves the line: forks the holder of a source, or the caller of one that cannot be held."""

    def __init__(self, line: Line, border: Border, memory_bytes: int) -> None:
        self._line = line
        self._border = border
        self._memory_bytes = memory_bytes
        self._group = 0
        gc.disable()
        gc.freeze()  # what is collected is written to, and what is written to is shared no longer
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, 0)
        _limit(resource.RLIMIT_NOFILE, FILES)
        _signal.signal(_signal.SIGTERM, self._end)

    def serve(self) -> "NoReturn":
        self._line.tell("ready")
        while True:
            kind, body = self._line.read()
            source = body.decode()
            if kind == b"L":
                status = self._run(lambda source=source: self._hold(source))
                if status == IMPURE << 8:
                    self._line.tell("impure")
                    kind = b"F"
                elif status:
                    self._line.tell("died", str(status))
            if kind == b"F":
                status = self._run(lambda source=source: self._call(source))
                if status:
                    self._line.tell("died", str(status))

    def _hold(self, source: str) -> "NoReturn":
        """Load the source, and have it called until it is dropped."""
        border = self._border
        failure = border.load(source)
        if border.is_touched:
            os._exit(IMPURE)
        if failure is not None:
            border.read_request()
            border.end("fail", *failure)
        self._line.tell("held")
        while True:
            holder = os.getpid()
            child = os.fork()
            if child == 0:
                prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
                if os.getppid() == holder:
                    self._call()
                os._exit(GONE)
            status = os.waitpid(child, 0)[1]
            if status in (GONE << 8, DROPPED << 8):
                os._exit(0 if status == DROPPED << 8 else GONE)
            if status:
                self._line.tell("died", str(status))

    def _call(self, source: str | None = None) -> "NoReturn":
        """Wait for a request, load the source it is for if that is not done, and run it."""
        border = self._border
        seconds, request = border.read_request()
        if request is None:
            os._exit(DROPPED)
        _limit(resource.RLIMIT_CPU, seconds)
        _limit(resource.RLIMIT_NPROC, 0)
        border.begin()
        failure = None if source is None else border.load(source)
        if failure is not None:
            border.end("fail", *failure)
        border.run(request)

    def _run(self, work: "Callable[[], NoReturn]") -> int:
        """Do the work in a process and group of its own; how that ended."""
        keeper = os.getpid()
        _signal.pthread_sigmask(_signal.SIG_BLOCK, {_signal.SIGTERM})
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
            _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
            _signal.pthread_sigmask(_signal.SIG_UNBLOCK, {_signal.SIGTERM})
            # Above what the engine may use, for the copies made of what crosses the border.
            _limit(resource.RLIMIT_AS, 4 * self._memory_bytes + 512 * 1024 * 1024)
            if os.getppid() == keeper:
                work()
            os._exit(GONE)
        self._group = child
        try:  # noqa: SIM105
            os.setpgid(child, child)
        except OSError:
            pass  # it has done so itself, or is gone
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, {_signal.SIGTERM})
        ended, status = os.waitpid(-1, 0)
        while ended != child:
            ended, status = os.waitpid(-1, 0)
        self._sweep()
        if status == GONE << 8:
            os._exit(GONE)
        return status

    def _sweep(self) -> None:
        """Kill all that is left of the group, and take leave of it."""
        try:  # noqa: SIM105
            os.killpg(self._group, _signal.SIGKILL)
        except OSError:
            pass  # nothing is left
        self._group = 0
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            pass

    def _end(self, *_: object) -> "NoReturn":
        if self._group:
            self._sweep()
        os._exit(0)


def follow(program: int) -> None:
    """End when the program does, however it ends; only Linux sees to it while a tool is running."""
    prctl(PR_SET_PDEATHSIG, _signal.SIGTERM)
    if os.getppid() != program:
        os._exit(GONE)


def _limit(what: int, most: int) -> None:
    """Set a limit for good; one that is lower already stays."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:  # noqa: SIM105
        resource.setrlimit(what, (most, most))
    except (OSError, ValueError):
        pass  # not every system has every limit; the engine's own hold all the same


def prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        from _ctypes import call_function, dlopen, dlsym  # pyright: ignore

        call_function(dlsym(dlopen(None, 0), "prctl"), (option, value, 0, 0, 0))  # pyright: ignore
