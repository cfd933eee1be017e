"""ProcessTree: a child and everything it started, and how all of it is killed.

Supervisors load this file: it imports nothing that takes long.
"""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIGKILL
else:
    from _signal import SIGKILL

SWEEP_SECONDS = 5.0


class ProcessTree:
    """All processes below this one. `child` is the first of them, and `status` its status once it has ended.

    A `child` of 0 stands for whatever was adopted from a supervisor that is dead.
    """

    def __init__(self, child: int) -> None:
        self.child = child
        self.status: int | None = None

    def reap(self) -> bool:
        """Collect every process that has ended; whether any other is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                self.status = status

    def kill(self, kept: int = 0) -> None:
        """Kill all but one, and again what those leave, until nothing else is left."""
        me, until = os.getpid(), time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < until:
            if self.child and not kept:
                send_signal(-self.child)
            if not self.reap():
                return
            left = [pid for pid in descendants(me) if pid != kept]
            for pid in left:
                send_signal(pid)
            if not left and kept:
                return
            time.sleep(0.001)


def send_signal(pid: int, number: int = SIGKILL) -> None:
    """Send a signal to a process, or to a process group if the number is negative."""
    try:  # noqa: SIM105
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # gone, or of another user and not ours to end


def children(pid: int) -> list[int]:
    """The children of a process, whichever of its threads started them. Only Linux lists them."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
        except OSError:
            continue
    return found


def descendants(pid: int, enough: int = 1 << 30) -> list[int]:
    """All processes below one, parents before their children; it may stop when there are more than enough."""
    found = children(pid)
    for parent in found:  # grows meanwhile
        if len(found) > enough:
            break
        found += children(parent)
    return found
