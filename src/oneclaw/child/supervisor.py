"""The supervisor of one child process: starts it, keeps its last output, and ends it with all it started.

`main` runs in a Python process of its own. Its first argument is the number of the lifeline, a socket whose
other end the program holds.

Theory of operation. Each process is the parent of the next:

    guardian    waits for the supervisor and does nothing else; only children that run code of others have one
    supervisor  starts the child, reports on the lifeline, and ends everything
    child       runs a program, or a module of ours in this same interpreter

First the program writes what to start, as one frame. Later it may write `s`, which kills everything but the
child, and `t`, which sends SIGTERM to the child's process group. The supervisor writes lines of JSON:
`{"child-pid": 7, "supervisor-pid": 6}`, `{"swept": true}` for each `s`, and at the end
`{"exit-code": 0, "tail": "last output"}`, with a negative code for a signal. bubblewrap writes such lines too
(--json-status-fd), so it can take the place of this process.

The child ends when the lifeline does: the program has shut it down, has ended, or was killed with -9. The
supervisor then kills the child's process group and, on Linux, every process below itself until none is left.
It is a child subreaper: a process that loses its parent, as a daemon does by forking twice, becomes its own.

Code of others can kill its supervisor, since both have the same user. The guardian then adopts what is left,
and kills it. If the guardian is killed, the kernel sends the supervisor SIGTERM, and it ends everything. The
lifeline is open until both have ended, so its end proves that nothing is left. If a child kills both, the
program ends its control group, where one can be made.

Guardian and supervisor run no code of others. They load as few modules as possible, written in C where there
is a choice: starting takes less than half of the processor time, and each child costs the memory of both.
"""

import marshal
import os
import select
import sys
from _json import encode_basestring_ascii

from oneclaw.child.frames import Line
from oneclaw.child.own_process import (
    SET_CHILD_SUBREAPER,
    SET_PARENT_DEATH_SIGNAL,
    close_all_but,
    execute,
    prctl,
    set_descriptors,
    set_limit,
)
from oneclaw.child.process_tree import ProcessTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from typing import Any, NoReturn, Protocol

    class Watcher(Protocol):
        """Serves the child from inside the supervisor: `answer` is called when its descriptor is readable."""

        def fileno(self) -> int: ...
        def answer(self) -> None: ...
else:
    import _signal

TAIL_BYTES = 8_000
LINK = 4
"""The child's end of its socket to the `watch` function of its module."""


def main() -> None:
    lifeline = int(sys.argv[1])
    spec = marshal.loads(Line(lifeline).read())  # noqa: S302 - written by the program
    for file in spec["groups"]:
        _write(file, "0")
    if spec["is_guarded"]:
        _guard(lifeline)
    _supervise(spec, lifeline)


def _guard(lifeline: int) -> None:
    """Be the guardian, and return in a fork, which is to be the supervisor."""
    prctl(SET_CHILD_SUBREAPER, 1)
    guardian = os.getpid()
    supervisor = os.fork()
    if supervisor:
        close_all_but(lifeline)
        os.waitpid(supervisor, 0)
        ProcessTree(0).kill()
        os._exit(0)
    os.setpgid(0, 0)
    prctl(SET_PARENT_DEATH_SIGNAL, _signal.SIGTERM)
    if os.getppid() != guardian:
        os._exit(0)


def _supervise(spec: "dict[str, Any]", lifeline: int) -> "NoReturn":
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    _signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for number in (_signal.SIGCHLD, _signal.SIGTERM):
        _signal.signal(number, _note)
    prctl(SET_CHILD_SUBREAPER, 1)
    sys.path += spec["path"]
    descriptors, link, module = dict(spec["descriptors"]), -1, None
    output, written = os.pipe()
    if spec["is_watched"]:
        from _socket import socketpair

        module = _load(spec["module"])  # before the fork: the child needs it too
        ours, theirs = socketpair()
        link, descriptors[LINK] = ours.detach(), theirs.detach()
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        _become(spec, {1: written, 2: written, **descriptors}, supervisor)
    close_all_but(lifeline, output, wake, woken, link)
    _tell(lifeline, f'{{"child-pid":{child},"supervisor-pid":{supervisor}}}\n')
    tree = ProcessTree(child)
    watcher = None if module is None else module.watch(link, *spec["arguments"])
    tail = _watch(tree, lifeline, output, wake, watcher)
    tree.kill()
    os.set_blocking(output, False)
    tail = (tail + _read(output, 1 << 20))[-TAIL_BYTES:]
    code = "null" if tree.status is None else os.waitstatus_to_exitcode(tree.status)
    text = encode_basestring_ascii(tail.decode("utf-8", "replace"))
    _tell(lifeline, f'{{"exit-code":{code},"tail":{text}}}\n')
    os._exit(0)


def _become(spec: "dict[str, Any]", descriptors: dict[int, int], supervisor: int) -> "NoReturn":
    """Be the child."""
    code = 1
    try:
        _signal.set_wakeup_fd(-1)
        for number in (_signal.SIGCHLD, _signal.SIGTERM):
            _signal.signal(number, _signal.SIG_DFL)
        os.setpgid(0, 0)
        prctl(SET_PARENT_DEATH_SIGNAL, _signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(code)
        _write("/proc/self/oom_score_adj", "500")  # where memory runs out, the kernel kills this and not us
        set_descriptors(descriptors)
        for limit, most in spec["limits"]:
            set_limit(limit, most)
        if spec["module"]:
            _load(spec["module"]).main(*spec["arguments"])
            code = 0
        else:
            execute(spec["argv"])
    except BaseException as error:
        name = spec["module"] or spec["argv"][0]
        os.write(2, f"{name}: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def _watch(tree: ProcessTree, lifeline: int, output: int, wake: int, watcher: "Watcher | None") -> bytes:
    """Wait until the child ends or is to be ended; its last output."""
    poll, tail = select.poll(), b""
    for descriptor in (lifeline, output, wake):
        poll.register(descriptor, select.POLLIN)
    if watcher is not None:
        poll.register(watcher.fileno(), select.POLLIN)
    while tree.status is None:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if watcher is not None and watcher.fileno() in ready:
            watcher.answer()
        if output in ready:
            data = _read(output, 1 << 16)
            tail = (tail + data)[-TAIL_BYTES:]
            if not data:
                poll.unregister(output)
        if wake in ready:
            if _signal.SIGTERM in _read(wake, 64):  # the guardian is gone, or somebody wants us to end
                break
            tree.reap()
        if lifeline in ready:
            order = _read(lifeline, 1)
            if order == b"s":
                tree.kill(tree.child)
                _tell(lifeline, '{"swept":true}\n')
            else:
                break
    return tail


def _load(module: str) -> "Any":
    return __import__(module, fromlist=["main"])


def _read(descriptor: int, most: int) -> bytes:
    try:
        return os.read(descriptor, most)
    except OSError:
        return b""


def _tell(lifeline: int, line: str) -> None:
    try:  # noqa: SIM105
        os.write(lifeline, line.encode())
    except OSError:
        pass  # the program is gone, which shows next


def _write(file: str, text: str) -> None:
    try:
        with open(file, "r+") as opened:
            opened.write(text)
    except OSError:
        pass  # then the kernel does not hold it


def _note(*_: object) -> None:
    """Having a handler, if an idle one, is what has the signal written to where `_watch` reads it."""
