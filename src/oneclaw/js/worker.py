"""The child side of a JavaScript worker: keeps a tool loaded, and forks for each call.

Run as a script: the descriptor of its line, the folder of `_quickjs`, and the limits (see `main`).

Theory of operation. There are three processes, each a fork of the one before:

    keeper   has the prelude evaluated and never runs anything of a tool, so it always answers
    holder   has also evaluated one source; ends when another is asked for
    caller   runs one call in that context, says how it ended, and is gone

So each call starts from the same state, at the price of a fork. The line is one socket that all three read,
exactly as much as is theirs: a frame is four bytes of length, one byte that says what it is, and the rest.

    to us     L source, C request     hold this source, then call        answers   A id text
              F source, C request     load it in the caller itself, then call
              C request               call in what is held
              D                       drop what is held
    from us   d text: done; anything else j and JSON

A source that asked for chance, time or the host while it was loaded cannot be held: what it learned would be
the same in every call. The program is told (`impure`), and from then on sends it with F.

On SIGTERM, which it is also sent when the program ends, the keeper kills the group of the other two, waits
until they are gone (it adopts what they leave), and ends. Nothing is imported here that is not needed.
"""

import os
import signal
import sys
from _json import encode_basestring_ascii, scanstring  # the rest of json would double the time to start
from collections import deque
from heapq import heappop, heappush
from select import select
from time import monotonic
from typing import Any, NoReturn

FRAME_BYTES = 8 * 1024 * 1024
ARGUMENT_BYTES = 4 * 1024 * 1024
ARGUMENT_VALUES = 50_000
LOG_BYTES = 64 * 1024
LOG_LINES = 2_000
TIMERS = 10_000
BORDER_LINE = 1_000_000
"""The prelude stands this many lines down, so that its lines in a stack are told from those of a tool."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_IMPURE = 4


class Limits:
    """What a process may use, as the program said."""

    def __init__(self, memory_bytes: int, stack_bytes: int) -> None:
        self.memory_bytes = memory_bytes
        self.stack_bytes = stack_bytes


class Line:
    """The socket to the program: frames in, frames out, nothing read ahead."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self) -> tuple[bytes, bytes]:
        """What the next frame is, and its rest. Ends the process when the program has gone."""
        size = int.from_bytes(self._exactly(4), "big")
        payload = self._exactly(size)
        return payload[:1], payload[1:]

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = os.read(self._descriptor, min(size, 1 << 20))
            if not part:
                os._exit(0)
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def write(self, kind: bytes, text: str) -> None:
        payload = kind + text.encode("utf-8", "replace")
        data = memoryview(len(payload).to_bytes(4, "big") + payload)
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            os._exit(0)

    def tell(self, name: str, *values: str) -> None:
        """Send `{name: [values]}`; each value is JSON already."""
        self.write(b"j", f'{{"{name}":[{",".join(values)}]}}')

    def is_ready(self, seconds: float | None) -> bool:
        return bool(select([self._descriptor], [], [], seconds)[0])


class Border:
    """The host's end of a context: everything JavaScript says arrives in `post`, which never raises."""

    def __init__(self, line: Line, limits: Limits, prelude: str) -> None:
        from _quickjs import Context  # pyright: ignore

        self.line = line
        self.limits = limits
        self.is_loading = True
        self.is_touched = False
        self.is_done = False
        self.under_way = 0
        self.early: deque[tuple[int, str]] = deque()
        self.timers: list[tuple[float, int]] = []
        self.running: set[int] = set()
        self.log_left = LOG_BYTES
        self.lines_left = LOG_LINES
        self.unsaid = 0
        self.context: Any = Context()
        self.context.set_memory_limit(limits.memory_bytes)
        self.context.set_max_stack_size(limits.stack_bytes)
        self.context.add_callable("__post__", self.post)
        self.enter: Any = self.context.eval(
            "\n" * BORDER_LINE + "(() => {'use strict';\n" + prelude + "\nreturn finish();\n})()"
        )

    def post(self, kind: str, *values: Any) -> Any:
        try:
            if self.is_loading:
                self.is_touched = True
                return '{"error":"not while the file is loaded"}'
            return getattr(self, f"_take_{kind}")(*values)
        except BaseException:
            self.end("broken", '"the border failed"')

    def end(self, name: str, *values: str) -> NoReturn:
        """Say how the call ended, and be gone: nothing of the tool runs after it."""
        self.line.tell(name, *values, str(self.unsaid))
        os._exit(0)

    def _take_touch(self) -> None:
        pass

    def _take_done(self, text: str) -> NoReturn:
        value = scanstring(text, 1)[0]
        if len(text) > FRAME_BYTES - 1024:
            self.end("fail", f'"the result is longer than {FRAME_BYTES // 2**20} MB: return less"', '""')
        if self.unsaid:
            self.line.tell("unsaid", str(self.unsaid))
        self.line.write(b"d", value)
        os._exit(0)

    def _take_fail(self, words: str, stack: str) -> NoReturn:
        self.end("fail", words, stack)

    def _take_missing(self, reason: str) -> NoReturn:
        self.end("missing", reason)

    def _take_checked(self, reasons: str) -> NoReturn:
        self.end("checked", reasons)

    def _take_log(self, level: str, text: str) -> None:
        if self.log_left < len(text) or not self.lines_left:
            self.log_left = 0
            self.unsaid += 1
            return
        self.log_left -= len(text)
        self.lines_left -= 1
        self.line.tell("log", f'"{level}"', text)

    def _take_call(self, number: int, op: str, arguments: str) -> str | None:
        refused = _refuse(arguments)
        if refused is None:
            self.under_way += 1
            self.line.tell("call", str(number), f'"{op}"', arguments)
        return refused

    def _take_sync(self, op: str, arguments: str) -> str:
        refused = _refuse(arguments)
        if refused is not None:
            return refused
        self.line.tell("call", "0", f'"{op}"', arguments)
        while True:
            number, text = self.answer()
            if number == 0:
                return text
            self.early.append((number, text))

    def _take_local(self, op: str, arguments: str) -> str:
        return answer_here(op, arguments)

    def _take_timer(self, number: int, milliseconds: float) -> bool:
        if len(self.running) >= TIMERS:
            return False
        self.running.add(number)
        heappush(self.timers, (monotonic() + milliseconds / 1000, number))
        return True

    def _take_untimer(self, number: int) -> None:
        self.running.discard(number)

    def answer(self) -> tuple[int, str]:
        kind, body = self.line.read()
        if kind != b"A":
            os._exit(1)
        return int.from_bytes(body[:4], "big"), body[4:].decode()

    def load(self, source: str) -> bool:
        """Evaluate the source; False when that failed, which the program has then been told."""
        from _quickjs import JSException, StackOverflow  # pyright: ignore

        try:
            self.context.eval(source)
        except (JSException, StackOverflow) as error:
            if self.is_touched and self.is_loading:
                return True
            words, _, stack = str(error).partition("\n    at ")
            self.line.tell("fail", _quoted(words), _quoted(f"    at {stack}"), "0")
            return False
        except (TypeError, ValueError, MemoryError):
            pass  # the value of its last line, which nobody wants, is not one for Python
        return True

    def run(self, request: bytes) -> NoReturn:
        """Make the call the request asks for, until it has ended or nothing is left to wait for."""
        self.is_loading = False
        seed = ",".join(str(int.from_bytes(os.urandom(4), "big")) for _ in range(3))
        self.enter("seed", f"[{seed}]", None)
        self.enter("check" if request[:1] == b"?" else "begin", request[1:].decode(), None)
        self.pump()

    def pump(self) -> NoReturn:
        execute, enter = self.context.execute_pending_job, self.enter
        while True:
            while execute():
                pass
            if self.early:
                self.settle(*self.early.popleft())
                continue
            seconds = self.seconds_to_timer()
            if seconds is not None and (seconds <= 0 or not self.line.is_ready(seconds)):
                enter("fire", self.take_timer(), None)
            elif self.under_way:
                self.settle(*self.answer())
            else:
                words = '"the promise never settles: nothing is left to wait for"'
                self.end("fail", words, '""')

    def settle(self, number: int, text: str) -> None:
        self.under_way -= 1
        self.enter("settle", number, text)

    def seconds_to_timer(self) -> float | None:
        while self.timers:
            when, number = self.timers[0]
            if number in self.running:
                return when - monotonic()
            heappop(self.timers)
        return None

    def take_timer(self) -> int:
        number = heappop(self.timers)[1]
        self.running.discard(number)
        return number


def _quoted(text: str) -> str:
    return encode_basestring_ascii(text[:4000])


def _refuse(arguments: str) -> str | None:
    if len(arguments) > ARGUMENT_BYTES:
        return f'{{"error":"more than {ARGUMENT_BYTES // 2**20} MB cannot be passed to the host at once"}}'
    return None


def answer_here(op: str, arguments: str) -> str:
    return '{"error":"unknown"}'


class Keeper:
    """Serves the line; forks the holder and, for sources that cannot be held, the caller."""

    def __init__(self, line: Line, border: Border) -> None:
        self._line = line
        self._border = border
        self._group = 0
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        signal.signal(signal.SIGTERM, self._end)

    def serve(self) -> NoReturn:
        while True:
            kind, body = self._line.read()
            if kind not in (b"L", b"F"):
                continue  # dropping nothing
            _, request = self._line.read()
            source = body.decode()
            if kind == b"L":
                status = self._fork(lambda: self._hold(source, request))
                if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _IMPURE:
                    self._line.tell("impure")
                    kind = b"F"
                else:
                    _report(self._line, status)
            if kind == b"F":
                _report(self._line, self._fork(lambda: self._call_fresh(source, request)))

    def _hold(self, source: str, request: bytes) -> NoReturn:
        _confine(self._border.limits)
        is_loaded = self._border.load(source)
        if not is_loaded:
            os._exit(0)
        if self._border.is_touched:
            os._exit(_IMPURE)
        self._line.tell("held")
        while True:
            child = os.fork()
            if child == 0:
                _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
                self._border.run(request)
            _report(self._line, os.waitpid(child, 0)[1])
            kind, request = self._line.read()
            if kind != b"C":
                os._exit(0)

    def _call_fresh(self, source: str, request: bytes) -> NoReturn:
        _confine(self._border.limits)
        border = self._border
        border.is_loading = False
        if not border.load(source):
            os._exit(0)
        border.run(request)

    def _fork(self, work: Any) -> int:
        """Run `work` in a process and group of its own; how it ended."""
        ours = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
            if os.getppid() == ours:
                work()
            os._exit(1)
        self._group = child
        try:
            os.setpgid(child, child)
        except OSError:
            pass  # it has done so itself
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        while True:
            ended, status = os.waitpid(-1, 0)
            if ended == child:
                self._sweep()
                return status

    def _sweep(self) -> None:
        """Kill and take leave of all that is left of the group."""
        try:
            os.killpg(self._group, signal.SIGKILL)
        except OSError:
            pass
        self._group = 0
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            pass

    def _end(self, *_: object) -> NoReturn:
        if self._group:
            self._sweep()
        os._exit(0)


def _report(line: Line, status: int) -> None:
    if status:
        line.tell("died", str(status))


def _confine(limits: Limits) -> None:
    pass


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        from _ctypes import call_function, dlopen, dlsym  # pyright: ignore

        call_function(dlsym(dlopen(None, 0), "prctl"), (option, value, 0, 0, 0))


def main() -> NoReturn:
    descriptor, memory_bytes, stack_bytes = (int(number) for number in sys.argv[1:4])
    sys.path.append(sys.argv[4])
    program = int(sys.argv[5])
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != program:
        os._exit(1)
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prelude")
    prelude = ""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".js"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                prelude += file.read() + "\n"
    line = Line(descriptor)
    border = Border(line, Limits(memory_bytes, stack_bytes), prelude)
    Keeper(line, border).serve()


if __name__ == "__main__":
    main()
