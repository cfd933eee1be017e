"""The keeper of a shell without a process table of its own: it adopts all that the shell starts, and ends it.

Run as a script: a JSON object that says what the shell may have, then the shell's command line. The keeper
runs no foreign code. On `report` it writes the number of the shell's process. Sent an `s`, it kills all but
the shell and answers `k`; when the other end is closed, as it is when the program ends, it kills the rest.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneclaw.guard.sandbox.syscall_broker import Deputy

SWEEP_SECONDS = 5.0
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


def main() -> None:
    wanted, command = json.loads(sys.argv[1]), sys.argv[2:]
    # Found from here, however the program found it: the package may be in no folder Python knows by itself.
    sys.path.append(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    )
    _prctl(_SET_CHILD_SUBREAPER, 1)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _note)
    report = int(wanted["report"])
    ours, theirs = socket.socketpair()
    shell = os.fork()
    if shell == 0:
        ours.close()
        _become_shell(wanted, command, theirs, (report, wake, woken))
    keep = sorted((report, wake, woken, ours.fileno()))
    for low, high in zip([2, *keep], [*keep, os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(low + 1, high)
    os.write(report, b'{"child-pid":%d}' % shell)
    _watch(shell, report, wake, _deputy(wanted["rules"], ours))
    os._exit(0)


def _deputy(rules: dict[str, Any] | None, line: socket.socket) -> "Deputy | None":
    """Who answers the calls of the shell that wait for it; None if it has not come so far."""
    from oneclaw.guard.sandbox.syscall_broker import Deputy

    given = socket.recv_fds(line, 1, 1)[1]
    line.close()
    return Deputy(given[0], rules["write"]) if rules is not None and given else None


def _become_shell(
    wanted: dict[str, Any], command: list[str], line: socket.socket, unused: tuple[int, ...]
) -> None:
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):  # the last two Python itself ignores
            signal.signal(number, signal.SIG_DFL)
        for descriptor in unused:
            os.close(descriptor)
        os.setsid()
        _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        _die_first()
        os.chdir(str(wanted["directory"]))
        program = _find(command[0])  # before files are out of reach
        rules: dict[str, Any] | None = wanted["rules"]
        if rules is not None:
            from oneclaw.guard.sandbox import landlock, seccomp, syscall_broker

            network, first = rules["network"], os.getpid()
            landlock.restrict(rules["read"], rules["write"], network=network)
            truncates = landlock.version() >= landlock.TRUNCATES
            code = seccomp.landlock_filter(
                first=first, network=network, told=syscall_broker.CALLS, truncates=truncates
            )
            listener = seccomp.restrict(code, listens=True)
            socket.send_fds(line, [b"d"], [listener])
            os.close(listener)
        line.close()
        os.execve(program, command, os.environ)  # noqa: S606
    except BaseException as error:
        os.write(2, f"{error}\n".encode())
        os._exit(126)


def _die_first() -> None:
    """Where memory runs out, have the kernel kill what the shell starts, and not the keeper."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("500")
    except OSError:
        pass  # no Linux


def _find(name: str) -> str:
    folders = os.environ.get("PATH", os.defpath).split(":")
    found = (f"{folder}/{name}" for folder in folders)
    return next((path for path in found if os.access(path, os.X_OK)), name)


def _watch(shell: int, report: int, wake: int, syscall_broker: "Deputy | None") -> None:
    poll = select.poll()
    if syscall_broker is not None:
        poll.register(syscall_broker.listener, select.POLLIN)
    poll.register(report, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if syscall_broker is not None and syscall_broker.listener in ready:
            syscall_broker.answer()
        if wake in ready:
            _empty(wake)
            if _reap(shell):
                break
        if report in ready:
            if not _ask(report):
                break
            is_over = _sweep(shell)
            _answer(report)
            if is_over:
                break
    _sweep(None)


def _sweep(kept: int | None) -> bool:
    """Kill all but one, and again what those leave, until nothing is; whether that one is gone as well."""
    from oneclaw.child.supervisor import descendants

    me, until = os.getpid(), time.monotonic() + SWEEP_SECONDS
    is_over = False
    while time.monotonic() < until:
        is_over = _reap(kept) or is_over
        left = [pid for pid in descendants(me) if pid != kept]
        if not left:
            break
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue  # gone, or of another user and not ours to end
        time.sleep(0.001)
    return is_over


def _reap(shell: int | None) -> bool:
    """Take leave of every child that has ended; whether the shell is one of them."""
    is_over = False
    while True:
        try:
            child, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if child == 0:
            return is_over
        is_over = is_over or child == shell


def _ask(report: int) -> bytes:
    try:
        return os.read(report, 1)
    except OSError:
        return b""


def _answer(report: int) -> None:
    try:  # noqa: SIM105
        os.write(report, b"k")
    except OSError:
        pass  # the program is gone, which shows next


def _empty(wake: int) -> None:
    try:  # noqa: SIM105
        os.read(wake, 4096)
    except BlockingIOError:
        pass


def _note(*_: object) -> None:
    """Having a handler, if an idle one, is what has the signal written to where `_watch` reads it."""


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main()
