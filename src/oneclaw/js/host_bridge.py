"""The worker's side of the connection to the program, and the context a tool sees.

Everything the context has to say arrives in `Border.post`, which never raises: the engine could not carry it.
Nothing of the context is ever turned into text or a value here; it arrives as JSON the prelude made.
"""

import os
import resource
import sys
from _json import encode_basestring_ascii, scanstring
from time import monotonic

from oneclaw.child.frames import Line
from oneclaw.js.local import PURE, answer_here
from oneclaw.js.prelude import BORDER_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from heapq import heappop, heappush
    from typing import Any, NoReturn

    Context: Any

    class JSException(Exception): ...

    class StackOverflow(Exception): ...
else:
    from _collections import deque
    from _heapq import heappop, heappush

    from _quickjs import Context, JSException, StackOverflow

FRAME_BYTES = 8 * 1024 * 1024
ARGUMENT_BYTES = 4 * 1024 * 1024
"""The most a tool may pass to the host at once; of this only text may be longer than the next."""
PLAIN_BYTES = 256 * 1024
LOG_BYTES = 64 * 1024
LOG_LINES = 2_000
TIMERS = 10_000
WORDS_CHARS = 4_000
_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024
_NOTHING = '"thrown: null"'


class HostLine:
    """The line to the program: a letter and the rest come in, results and JSON go out."""

    def __init__(self) -> None:
        line = Line()
        self._read = line.read
        self.write = line.write
        self.is_ready = line.is_ready

    def read(self) -> tuple[bytes, bytes]:
        """The letter and the rest of the next frame."""
        payload = self._read()
        return payload[:1], payload[1:]

    def tell(self, name: str, *values: str) -> None:
        """Send `{name: [values]}`; the values are JSON already."""
        self.write(f'j{{"{name}":[{",".join(values)}]}}'.encode())


class Border:
    """A context with the prelude in it, and what a running call has under way."""

    def __init__(self, line: HostLine, memory_bytes: int, stack_bytes: int, prelude: str) -> None:
        self._line = line
        self._memory_bytes = memory_bytes
        self._has_begun = False
        self.is_touched = False
        self._under_way = 0
        self._early: deque[tuple[int, str]] = deque()
        self._timers: list[tuple[float, int]] = []
        self._running: set[int] = set()
        self._log_bytes = LOG_BYTES
        self._log_lines = LOG_LINES
        self._unsaid = 0
        self._takers = {
            "call": self._ask,
            "checked": self._checked,
            "done": self._done,
            "fail": self._fail,
            "local": answer_here,
            "log": self._log,
            "missing": self._missing,
            "spent": self._spent,
            "sync": self._ask_and_wait,
            "timer": self._set_timer,
            "touch": lambda: None,
            "untimer": self._running.discard,
            "value": self._value,
        }
        self._context: Any = Context()
        self._context.set_memory_limit(memory_bytes)
        self._context.set_max_stack_size(stack_bytes)
        self._context.add_callable("__post__", self.post)
        opening, closing = "(() => {'use strict';\n", "\nreturn finish();\n})()"
        self._enter: Any = self._context.eval("\n" * BORDER_LINE + opening + prelude + closing)
        self.is_touched = False

    def post(self, kind: str, *values: "Any") -> "Any":
        """Handle one message of the context; returns the answer as JSON, if it has one."""
        try:
            if not self._has_begun and not (kind == "local" and values[0] in PURE):
                self.is_touched = True
                return '[false,"This cannot be done while the file is loaded."]'
            return self._takers[kind](*values)
        except BaseException:
            self._spent()

    def read_request(self) -> "tuple[int, bytes | None]":
        """The most seconds of processor time a call may use, and its request; None to be gone."""
        while True:
            kind, body = self._line.read()
            if kind == b"D":
                return 0, None
            if kind == b"C":  # answers to questions of a call that has ended are not for us
                return int.from_bytes(body[:4], "big"), body[4:]

    def load(self, source: str) -> tuple[str, str, str] | None:
        """Evaluate the source; what it threw and where, as JSON, if it did."""
        try:
            self._context.eval(source)
        except (JSException, StackOverflow) as error:
            words, _, stack = str(error).partition("\n    at ")
            return quote(words), quote(f"    at {stack}"), '""'
        except (TypeError, ValueError, MemoryError):
            pass  # the value of the last line, which nobody wants, is none that Python knows
        return None

    def begin(self) -> None:
        """From here on the context is that of a call, and may ask for time, chance and the host."""
        self._has_begun = True
        seed = ",".join([str(int.from_bytes(os.urandom(4), "big")) for _ in range(3)])
        self._enter("seed", f"[{seed}]", None)

    def run(self, request: bytes) -> "NoReturn":
        """Do what the request asks for, until it has ended or nothing is left to wait for."""
        try:
            self._enter("check" if request[:1] == b"?" else "begin", request[1:].decode(), None)
            while True:
                self._step()
        except (JSException, StackOverflow):
            self._spent()

    def _step(self) -> None:
        """Run all that can run, then wait for what comes first: an answer or a timer."""
        execute = self._context.execute_pending_job
        while execute():
            pass
        if self._early:
            return self._settle(*self._early.popleft())
        seconds = self._seconds_to_timer()
        if seconds is not None and (seconds <= 0 or not self._line.is_ready(seconds)):
            number = heappop(self._timers)[1]
            self._running.discard(number)
            self._enter("fire", number, None)
        elif self._under_way or seconds is not None:
            self._settle(*self._read_answer())
        else:
            self._fail('"the promise never settles: nothing is left to wait for"')
        return None

    def _settle(self, number: int, answer: str) -> None:
        self._under_way -= 1
        self._enter("settle", number, answer)

    def _read_answer(self) -> tuple[int, str]:
        _, body = self._line.read()
        return int.from_bytes(body[:4], "big"), body[4:].decode()

    def _seconds_to_timer(self) -> float | None:
        while self._timers:
            when, number = self._timers[0]
            if number in self._running:
                return when - monotonic()
            heappop(self._timers)
        return None

    def end(self, name: str, *values: str) -> "NoReturn":
        """Say how the call ended, and be gone: nothing of the tool runs after it."""
        if self._unsaid:
            self._line.tell("unsaid", str(self._unsaid))
        self._line.tell(name, *values)
        os._exit(0)

    def _done(self, text: str, letter: bytes = b"d") -> "NoReturn":
        result = _encode(scanstring(text, 1)[0])
        if len(result) > FRAME_BYTES:
            self._fail(f'"the result is longer than {FRAME_BYTES // 2**20} MB: return less"')
        if self._unsaid:
            self._line.tell("unsaid", str(self._unsaid))
        self._line.write(letter + result)
        os._exit(0)

    def _value(self, text: str) -> "NoReturn":
        self._done(text, b"v")

    def _fail(self, words: str, stack: str = '""', made: str = '""') -> "NoReturn":
        most_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MEMORY_UNIT
        if words == _NOTHING and most_memory > self._memory_bytes:
            self._spent()  # the engine throws null where it has no memory left for an error
        self.end("fail", words, stack, made)

    def _missing(self, reason: str) -> "NoReturn":
        self.end("missing", reason)

    def _checked(self, reasons: str) -> "NoReturn":
        self.end("checked", reasons)

    def _spent(self) -> "NoReturn":
        self.end("spent")

    def _log(self, level: str, text: str) -> None:
        if len(text) > self._log_bytes or not self._log_lines:
            self._unsaid += 1
            self._log_bytes = 0
            return
        self._log_bytes -= len(text)
        self._log_lines -= 1
        self._line.tell("log", f'"{level}"', text)

    def _ask(self, number: int, op: str, arguments: str) -> str | None:
        refusal = _refuse(arguments)
        if refusal is None:
            self._under_way += 1
            self._line.tell("call", str(number), f'"{op}"', arguments)
        return refusal

    def _ask_and_wait(self, op: str, arguments: str) -> str:
        refusal = _refuse(arguments)
        if refusal is not None:
            return refusal
        self._line.tell("call", "0", f'"{op}"', arguments)
        while True:
            number, answer = self._read_answer()
            if number == 0:
                return answer
            self._early.append((number, answer))

    def _set_timer(self, number: int, milliseconds: float) -> bool:
        if len(self._running) >= TIMERS:
            return False
        self._running.add(number)
        heappush(self._timers, (monotonic() + milliseconds / 1000, number))
        return True


def quote(text: str) -> str:
    return encode_basestring_ascii(text[:WORDS_CHARS])


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a pair of surrogates, which no text outside JavaScript may have
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _refuse(arguments: str) -> str | None:
    """Why the program is not to be given this; it would read a great many values for a long time."""
    if len(arguments) > ARGUMENT_BYTES:
        return f'[false,"More than {ARGUMENT_BYTES // 2**20} MB cannot be passed to the host at once."]'
    if len(arguments) > PLAIN_BYTES and _chars_outside_text(arguments) > PLAIN_BYTES:
        return '[false,"So many values cannot be passed to the host at once: pass text."]'
    return None


def _chars_outside_text(written: str) -> int:
    """How much of JSON is not inside its texts."""
    at, outside = 0, 0
    while True:
        opening = written.find('"', at)
        if opening < 0:
            return outside + len(written) - at
        outside += opening - at + 2
        _, at = scanstring(written, opening + 1)
