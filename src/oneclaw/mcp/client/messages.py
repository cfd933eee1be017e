"""Lines of a local server's output as protocol messages: bounded, and what is none is counted."""

from collections.abc import Iterator
from time import monotonic

LINE_BYTES = 32 << 20
"""The longest line; a server that writes a longer one is ended."""
PER_SECOND = 5_000
"""How many lines of one server are read in a second, in the long run."""
BURST = 10_000
_SHOWN_CHARS = 200


class LineTooLong(Exception):
    """A line that is longer than `LINE_BYTES`."""

    def __init__(self) -> None:
        super().__init__(f"it sent a line of more than {LINE_BYTES >> 20} MB")


class LineReader:
    """Takes bytes, gives whole lines; holds at most one line that is not whole."""

    def __init__(self, limit_bytes: int = LINE_BYTES) -> None:
        self._limit = limit_bytes
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are whole now. Raises `LineTooLong`."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            if len(self._held) + len(line) > self._limit:
                raise LineTooLong
            whole = bytes(self._held) + line if self._held else line
            self._held.clear()
            yield whole
        if len(self._held) + len(rest) > self._limit:
            raise LineTooLong
        self._held += rest


class Pace:
    """How fast lines may come: after a burst, `PER_SECOND`."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._seen = monotonic()

    def wait_seconds(self) -> float:
        """How long to wait before the next line; 0 for one that comes in time."""
        self._left -= 1
        if self._left >= 0:
            return 0.0
        now = monotonic()
        self._left = min(BURST, self._left + (now - self._seen) * PER_SECOND)
        self._seen = now
        return max(0.0, -self._left / PER_SECOND)


class Noise:
    """Lines on the output of a server that are no messages: how many, and the first."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def add(self, line: bytes) -> None:
        if line.strip():
            self.count += 1
            self.first = self.first or line[:_SHOWN_CHARS].decode("utf-8", "replace").strip()
