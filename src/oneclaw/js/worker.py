"""The child side of a JavaScript worker: keeps a tool loaded, and forks for each call.

Theory of operation. There are three processes, each a fork of the one before:

    template  has the prelude evaluated and never runs anything of a tool, so it always answers
    holder    has also evaluated one source; ends when another is asked for
    caller    waits for a request, runs it in that context, says how it ended, and is gone

So each call starts from the same state, and its fork was made while nobody waited for it. The line is one
socket that all three read, each exactly what is its own: a frame with a letter and the rest.

    L source    template: have a holder load it             C request   caller: run it
    F source    template: have a caller load and run it     A answer    caller: what it had asked the host
                                                            D           caller: the source is wanted no longer

Back come `d` with the text of a result, `v` with a result that is no text as JSON, and `j` with anything else
as JSON. A source that asked for chance, time or the host while it was loaded cannot be held, since what it
learned would be the same in every call. The program is told that it is impure, and sends it with F from then
on.

The supervisor ends all three. Should somebody kill it, they end when they next read the line, or by the limit
of processor time. What is imported is paid at every start, so the inner modules of json and collections stand
in for them: a worker starts in half the time.
"""

import gc
import os
import resource

from oneclaw.child.frames import GONE
from oneclaw.child.own_process import SET_NO_NEW_PRIVILEGES, prctl, set_limit
from oneclaw.js.host_bridge import Border, HostLine, quote
from oneclaw.js.local import url_class
from oneclaw.js.prelude import read_prelude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

IMPURE, DROPPED = 4, 5
"""The exit codes of a process whose source cannot be held, or is wanted no longer."""
FILES = 16


def main(memory_bytes: int, stack_bytes: int) -> None:
    """Be the template: have a source held, or called once if it cannot be."""
    line = HostLine()
    try:
        prelude = read_prelude(os.path.dirname(os.path.abspath(__file__)))
        border = Border(line, memory_bytes, stack_bytes, prelude)
    except Exception as error:
        line.tell("unfit", quote(f"{type(error).__name__}: {error}"))
        os._exit(1)
    gc.disable()
    gc.freeze()  # what is collected is written to, and what is written to is shared no longer
    prctl(SET_NO_NEW_PRIVILEGES, 1)
    set_limit(resource.RLIMIT_FSIZE, 0)
    set_limit(resource.RLIMIT_NOFILE, FILES)
    # Above what the engine may use, for the copies made of what crosses the border.
    set_limit(resource.RLIMIT_AS, 4 * memory_bytes + 512 * 1024 * 1024)
    line.tell("ready")
    while True:
        kind, body = line.read()
        source = body.decode()
        if "URL" in source:
            url_class()  # imported here and not in each call; most sources need none of it
        if kind == b"L":
            code = _fork(lambda source=source: _hold(line, border, source))
            if code == IMPURE:
                line.tell("impure")
                kind = b"F"
            elif code:
                line.tell("died", str(code))
        if kind == b"F" and (code := _fork(lambda source=source: _call(border, source))):
            line.tell("died", str(code))


def _hold(line: HostLine, border: Border, source: str) -> "NoReturn":
    """Load the source, and have it called until it is dropped."""
    failure = border.load(source)
    if border.is_touched:
        os._exit(IMPURE)
    if failure is not None:
        border.read_request()
        border.end("fail", *failure)
    line.tell("held")
    while True:
        code = _fork(lambda: _call(border))
        if code == DROPPED:
            os._exit(0)
        if code:
            line.tell("died", str(code))


def _call(border: Border, source: str | None = None) -> "NoReturn":
    """Wait for a request, load the source it is for if that is not done, and run it."""
    seconds, request = border.read_request()
    if request is None:
        os._exit(DROPPED)
    set_limit(resource.RLIMIT_CPU, seconds)
    set_limit(resource.RLIMIT_NPROC, 0)
    border.begin()
    failure = None if source is None else border.load(source)
    if failure is not None:
        border.end("fail", *failure)
    border.run(request)


def _fork(work: "Callable[[], NoReturn]") -> int:
    """Do the work in a process of its own; its exit code. Ends when that ended because the program has."""
    child = os.fork()
    if child == 0:
        work()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == GONE:
        os._exit(GONE)
    return code
