"""The keeper of one worker process: starts it, drains its output, and ends all of it.

Run as a script with three numbers: the line to serve calls on, the lifeline to the program, the memory limit;
then the files by which it joins a control group, where there is one.

Theory of operation. The keeper forks the worker and then runs no foreign code at all, so it always answers.
It ends the worker when the lifeline ends, be it that the program shuts it down (a call out of time), ends, or
is killed with -9. To end the worker is to kill its process group, and on Linux, where the keeper adopts what
the worker leaves behind, every process the tool ever started, also those that left the group. When the worker
has ended, by itself or by force, the keeper writes to the lifeline how, with its last output, and ends too.

A tool can kill the keeper, as every process of its user. What it had started would then go on, a daemon
above all. So the keeper has a parent that does nothing but wait for it, and ends what is left when it is
killed; and the keeper ends everything when that parent is killed. The lifeline ends with the last of the two.
If a tool kills both, the program ends the control group.

Nothing is imported here that is not needed: what the keeper holds, every worker costs.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable

TAIL_BYTES = 2_000
LAST_WORDS_SECONDS = 0.2
SWEEP_SECONDS = 1.0

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_Prctl = Callable[[int, int], object]


def main() -> None:
    line, lifeline, memory_bytes = (int(number) for number in sys.argv[1:4])
    for file in sys.argv[4:]:
        _join(file)
    prctl = _prctl_of_linux()
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getpid()
    child = os.fork()
    if child != 0:
        os.close(line)
        os.waitpid(child, 0)
        _sweep(None, None)
        os._exit(0)
    output, worker_output = os.pipe()
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _note)
    signal.signal(signal.SIGTERM, _note)
    os.setpgid(0, 0)
    prctl(_PR_SET_CHILD_SUBREAPER, 1)  # a fork does not inherit it
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        for unused in (lifeline, output, wake, woken):
            os.close(unused)
        _become_worker(line, worker_output, memory_bytes, keeper, prctl)
    os.close(line)
    os.close(worker_output)
    os.write(lifeline, b'{"pid":%d,"keeper":%d}\n' % (worker, keeper))
    status, tail = None, b""
    prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == parent:
        status, tail = _watch(worker, lifeline, output, wake)
    status = _sweep(worker, status)
    _report(lifeline, status, tail + _drain(output))
    os._exit(0)


def _join(file: str) -> None:
    try:
        with open(file, "r+") as opened:
            opened.write("0")
    except OSError:
        pass  # then it is not held


def _become_worker(line: int, output: int, memory_bytes: int, keeper: int, prctl: _Prctl) -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setpgid(0, 0)
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    # Found from here, however the program found it: the package may be in no folder Python knows by itself.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from oneclaw.run.worker import serve

    serve(line, memory_bytes)
    os._exit(0)


def _watch(worker: int, lifeline: int, output: int, wake: int) -> tuple[int | None, bytes]:
    """Wait until the worker ends (its status) or is to be ended (None); its last output."""
    poll = select.poll()
    for descriptor in (lifeline, output, wake):
        poll.register(descriptor, select.POLLIN)
    tail, until = b"", None
    while until is None or time.monotonic() < until:
        ready = {descriptor for descriptor, _ in poll.poll(None if until is None else 10)}
        if output in ready:
            data = os.read(output, 65536)
            tail = (tail + data)[-TAIL_BYTES:]
            if not data:
                poll.unregister(output)
        if lifeline in ready:
            if not os.read(lifeline, 16):
                return None, tail
            # The line to the worker has ended: if the worker is about to as well, how is worth knowing.
            until = time.monotonic() + LAST_WORDS_SECONDS
        if wake in ready:
            if signal.SIGTERM in os.read(wake, 64):  # our parent is gone, or somebody wants us to go
                return None, tail
            status = _reap(worker)
            if status is not None:
                return status, tail
    return None, tail


def _reap(worker: int) -> int | None:
    """Take leave of every child that has ended; the status of the worker if it is one of them."""
    found = None
    while True:
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if child == 0:
            return found
        if child == worker:
            found = status


def _sweep(worker: int | None, status: int | None) -> int | None:
    """Kill all that is left, and again what those leave, until nothing is."""
    until = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < until:
        if worker is not None:
            _kill(os.killpg, worker)
        for child in _children():
            _kill(os.kill, child)
        try:
            child, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if child == worker:
            status = ended
        if child == 0:
            time.sleep(0.001)
    return status


def _kill(kill: Callable[[int, int], None], target: int) -> None:
    try:  # noqa: SIM105
        kill(target, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # gone, or of another user and not ours to end


def _children() -> list[int]:
    """Our children, adopted ones too; only Linux adopts, so elsewhere the worker's group is all there is."""
    me = os.getpid()
    try:
        with open(f"/proc/self/task/{me}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def _drain(output: int) -> bytes:
    os.set_blocking(output, False)
    try:
        return os.read(output, 1 << 20)
    except OSError:
        return b""


def _report(lifeline: int, status: int | None, tail: bytes) -> None:
    import json

    text = tail[-TAIL_BYTES:].decode("utf-8", "replace")
    try:  # noqa: SIM105
        os.write(lifeline, json.dumps({"status": status, "tail": text}).encode() + b"\n")
    except OSError:
        pass  # the program is gone


def _note(*_: object) -> None:
    """Having a handler, if an idle one, is what has the signal written to where `_watch` reads it."""


def _prctl_of_linux() -> _Prctl:
    if sys.platform != "linux":
        return lambda option, value: None
    import ctypes

    return ctypes.CDLL(None).prctl


if __name__ == "__main__":
    main()
