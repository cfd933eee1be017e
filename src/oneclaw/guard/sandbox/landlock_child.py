"""Child process that restricts itself with Landlock and seccomp, then becomes a program.

It sends its supervisor the descriptor on which the kernel reports calls that wait for an answer.
"""

import os
import socket
from collections.abc import Sequence

from oneclaw.child.own_process import execute
from oneclaw.child.supervisor import LINK
from oneclaw.guard.sandbox import landlock, seccomp
from oneclaw.guard.sandbox.syscall_broker import CALLS, SyscallBroker


def main(argv: list[str], read: Sequence[str], write: Sequence[str], network: bool) -> None:
    landlock.restrict(read, write, network=network)
    truncates = landlock.version() >= landlock.TRUNCATES
    code = seccomp.landlock_filter(first=os.getpid(), network=network, told=CALLS, truncates=truncates)
    listener = seccomp.restrict(code, listens=True)
    with socket.socket(fileno=LINK) as link:
        socket.send_fds(link, [b"d"], [listener])
    os.close(listener)
    execute(argv)


def watch(
    link: int, argv: list[str], read: Sequence[str], write: Sequence[str], network: bool
) -> SyscallBroker | None:
    """The broker of the child's calls, in the supervisor; None if the child has failed before."""
    with socket.socket(fileno=link) as line:
        given = socket.recv_fds(line, 1, 1)[1]
    return SyscallBroker(given[0], write) if given else None
