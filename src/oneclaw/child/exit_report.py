"""Exit: how a child process ended."""

import signal
from dataclasses import dataclass

_LIMITS: dict[int | None, str] = {signal.SIGXCPU: "processor time", signal.SIGXFSZ: "size of files"}
_LINE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended, as far as it is known. `str` gives words that follow the name of the child.

    code    its exit code; None when a signal ended it, and when nobody knows
    signal  the number of the signal that ended it
    limit   the limit it reached: "memory", "processor time" or "size of files"; or empty
    reason  why the program stopped it; empty when it ended by itself
    tail    the last of what it wrote to stderr, and to stdout where that is connected to nothing
    """

    code: int | None = None
    signal: int | None = None
    limit: str = ""
    reason: str = ""
    tail: str = ""

    @property
    def last_line(self) -> str:
        lines = (line.strip() for line in reversed(self.tail.splitlines()))
        return next((line for line in lines if line), "")[:_LINE_CHARS]

    def __str__(self) -> str:
        if self.reason:
            return f"was stopped: {self.reason}"
        if self.limit:
            how = f"it reached its limit of {self.limit}"
        elif self.signal is not None:
            names = {each.value: f" ({each.name})" for each in signal.Signals}
            perhaps = ", perhaps for want of memory" if self.signal == signal.SIGKILL else ""
            how = f"killed by signal {self.signal}{names.get(self.signal, '')}{perhaps}"
        else:
            how = "nobody knows how" if self.code is None else f"exit code {self.code}"
        said = f"; its last output was {self.last_line!r}" if self.last_line else ""
        return f"ended: {how}{said}"


class Ended(Exception):
    """The child has ended, or is being ended."""

    def __init__(self, exit: Exit) -> None:
        super().__init__(str(exit))
        self.exit = exit


def read_exit(code: int | None, tail: str, reason: str, is_out_of_memory: bool) -> Exit:
    """The exit from what a supervisor reports; a negative code is the number of a signal."""
    number = -code if code is not None and code < 0 else None
    limit = "memory" if is_out_of_memory else _LIMITS.get(number, "")
    return Exit(None if number else code, number, limit, reason, tail)
