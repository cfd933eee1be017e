"""Starting bash in an enclosure, with a socket to speak on and pipes for what its commands write."""

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from oneclaw.core.errors import ToolError
from oneclaw.guard.sandbox.enclosure import Enclosure, Limits
from oneclaw.run.shell.script import shell_script

NICE = ("nice", "-n", "10")
"""Commands stand behind the program when there is not time enough for both."""

_USER_PROCESSES = 4096
"""The kernel's own limit for all of a user's processes, where it holds one: ours is found earlier."""


@dataclass(slots=True)
class Started:
    """Our ends.

    line    to the first bash: what to start from, and what came of it
    go      to the bash of a command: it begins. It can only be read there, so nothing is faked by it
    report  to the keeper of the shell
    out, err, input  of commands;  errors  of starting
    """

    process: subprocess.Popen[bytes]
    line: socket.socket
    report: socket.socket
    go: int
    out: int
    err: int
    errors: int
    input: int | None

    def close(self) -> None:
        self.line.close()
        self.report.close()
        for fd in (self.go, self.out, self.err, self.errors, self.input):
            if fd is not None:
                os.close(fd)
        self.input = None


def start(enclosure: Enclosure, folder: Path, limits: Limits, *, has_input: bool) -> Started:
    """Start it; `folder` is its own folder on this side. Raises `ToolError`."""
    line, their_line = socket.socketpair()
    report, their_report = socket.socketpair()
    go, out, err, errors = os.pipe(), os.pipe(), os.pipe(), os.pipe()
    given = os.pipe() if has_input else None
    theirs = (their_line.fileno(), out[1], err[1], their_report.fileno(), go[0])
    most = (limits.memory_bytes >> 10, limits.file_bytes >> 10, max(_USER_PROCESSES, 8 * limits.processes))
    script = shell_script(enclosure.folder, has_own_pids=enclosure.has_own_pids, has_input=has_input)
    bash = ("bash", "--noprofile", "--norc", "-c", script, "bash", *map(str, (*theirs, *most)))
    try:
        process = subprocess.Popen(
            [
                *(NICE if shutil.which(NICE[0]) else ()),
                *enclosure.start_command(their_report.fileno()),
                *bash,
            ],
            stdin=subprocess.DEVNULL if given is None else given[0],
            stdout=subprocess.DEVNULL,
            stderr=errors[1],
            env=dict(enclosure.environment),
            pass_fds=theirs,
            start_new_session=True,
            cwd=folder,
        )
    except OSError as error:
        line.close()
        report.close()
        for fd in (go[1], out[0], err[0], errors[0], *((given[1],) if given else ())):
            os.close(fd)
        raise ToolError(f"The shell could not be started: {error.strerror or error}.") from None
    finally:
        their_line.close()
        their_report.close()
        for fd in (go[0], out[1], err[1], errors[1], *((given[0],) if given else ())):
            os.close(fd)
    ours = Started(process, line, report, go[1], out[0], err[0], errors[0], given[1] if given else None)
    for fd in (ours.go, ours.out, ours.err, ours.errors, ours.input):
        if fd is not None:
            os.set_blocking(fd, False)
    line.setblocking(False)
    report.setblocking(False)
    return ours
