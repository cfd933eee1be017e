"""Starts bash in a sandbox with a control socket and output pipes."""

import fcntl
import os
import platform
import re
import shutil
import socket
from contextlib import ExitStack
from dataclasses import dataclass

from oneclaw.child.child import Child
from oneclaw.child.group import Group, make_group
from oneclaw.core.errors import ToolError
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.run.shell.folder import SCRIPT, ShellFolder
from oneclaw.run.shell.script import GO, RUN, shell_script

NICE = ("nice", "-n", "5")
"""Commands stand behind the program when there is not time enough for both; not so far that they miss their
own limits of time on a busy machine."""

_USER_PROCESSES = 4096
"""The kernel's own limit for all of a user's processes, where it holds one: ours is found earlier."""
_THREADS = 4
"""How many threads each of them may have at the least, where the kernel counts those of a sandbox alone."""


@dataclass(slots=True)
class StartedShell:
    """A started bash, and our ends of its sockets and pipes.

    group    the control group that holds its memory and its tasks, where one can be made
    line     to the first bash: what to start from, and what came of it
    go       to the bash of a command: it begins. A socket, for what is none can be opened through /proc
    out, err, input  of commands
    written  the ends that commands write to, which share with ours whether writing waits
    """

    child: Child
    group: Group | None
    line: socket.socket
    go: socket.socket
    out: int
    err: int
    input: int | None
    written: tuple[int, int]

    def let_wait(self) -> None:
        """Have writing wait for room, whatever the last command set: node that was killed has it fail."""
        for fd in self.written:
            os.set_blocking(fd, True)

    def close(self) -> None:
        self.line.close()
        self.go.close()
        for fd in (self.out, self.err, *self.written, self.input):
            if fd is not None:
                os.close(fd)
        self.input = None


def start(
    sandbox: SandboxSpec,
    folder: ShellFolder,
    limits: SandboxLimits,
    *,
    has_input: bool,
    shared: Group | None = None,
) -> StartedShell:
    """Start it, in a control group of its own or inside of a shared one. Raises `ToolError`."""
    script = shell_script(
        sandbox.folder,
        has_own_pids=sandbox.has_own_pids,
        has_input=has_input,
        given=sandbox.environment,
    )
    folder.write_script(script)
    try:
        with ExitStack() as theirs, ExitStack() as ours:
            started = _start(sandbox, limits, has_input, shared, theirs, ours)
            ours.pop_all()
    except OSError as error:
        reason = ": ".join(filter(None, (error.strerror or str(error), error.filename)))
        raise ToolError(f"The shell could not be started: {reason}.", effects="none") from None
    return started


def _start(
    sandbox: SandboxSpec,
    limits: SandboxLimits,
    has_input: bool,
    shared: Group | None,
    theirs: ExitStack,
    ours: ExitStack,
) -> StartedShell:
    """The child and our ends; `theirs` and `ours` are what closes the ends of each."""
    line, their_line = _sockets(ours, theirs)
    go, their_go = _sockets(ours, theirs)
    out, their_out = _pipe(ours, theirs)
    err, their_err = _pipe(ours, theirs)
    their_input, given = _pipe(theirs, ours) if has_input else (None, None)
    for fd in (line.fileno(), go.fileno(), out, err, given):
        if fd is not None:
            os.set_blocking(fd, False)
    written = _closed_by(ours, os.dup(their_out)), _closed_by(ours, os.dup(their_err))
    # Above the numbers that bash gives them: one of these would be overwritten by another of them.
    passed = [
        _closed_by(theirs, fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, GO + 1))
        for fd in (their_line.fileno(), their_out, their_err, their_go.fileno())
    ]
    most = (limits.memory_bytes >> 10, limits.file_bytes >> 10, _most_tasks(sandbox, limits))
    words = *passed, *most, f"{sandbox.folder}/{SCRIPT}"
    nice = NICE if shutil.which(NICE[0]) else ()
    bash = (*nice, "bash", "--noprofile", "--norc", "-c", RUN, "bash", *map(str, words))
    filtered = [_closed_by(theirs, _filter_file(sandbox.filter))] if sandbox.filter else []
    descriptors = {fd: fd for fd in (*passed, *filtered)} | ({} if their_input is None else {0: their_input})
    spec = sandbox.child_spec(bash, descriptors, *filtered)
    tasks = _THREADS * limits.processes
    group = make_group(limits.memory_bytes, tasks) if shared is None else shared.inner(tasks)
    return StartedShell(Child(spec, group=group), group, line, go, out, err, given, written)


def _sockets(one: ExitStack, other: ExitStack) -> tuple[socket.socket, socket.socket]:
    pair = socket.socketpair()
    return one.enter_context(pair[0]), other.enter_context(pair[1])


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    return _closed_by(reader, read), _closed_by(writer, write)


def _closed_by(closer: ExitStack, fd: int) -> int:
    closer.callback(os.close, fd)
    return fd


def _most_tasks(sandbox: SandboxSpec, limits: SandboxLimits) -> int:
    """Processes and threads that the kernel allows a user who is not root.

    Since Linux 5.14 it counts those of each user namespace apart.
    """
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    is_apart = sandbox.kind == "bubblewrap" and found and (int(found[1]), int(found[2])) >= (5, 14)
    return _THREADS * limits.processes if is_apart else max(_USER_PROCESSES, 8 * limits.processes)


def _filter_file(code: bytes) -> int:
    """A filter of system calls as a file to read from its beginning."""
    file = os.memfd_create("filter", os.MFD_CLOEXEC)
    os.pwrite(file, code, 0)
    return file
