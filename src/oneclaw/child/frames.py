"""Frames: messages between the program and a child over a socket, prefixed with their length in four bytes.

Children load this file: it imports nothing that takes long.
"""

import os
from _thread import allocate_lock
from select import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEADER_BYTES = 4
LINE = 3
"""The descriptor of the socket in the child."""
GONE = 3
"""The exit code of a child whose program has closed the line."""


class Garbled(Exception):
    """The other side has broken the format."""


def frame(payload: bytes) -> bytes:
    """The payload with its length in front."""
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


def encode(message: "dict[str, Any]") -> bytes:
    import json

    return json.dumps(message, separators=(",", ":")).encode()


def decode(payload: bytes) -> "dict[str, Any]":
    """The JSON object that a frame holds. Raises `Garbled`."""
    import json

    try:
        message = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise Garbled("a message that is not JSON") from error
    if not isinstance(message, dict):
        raise Garbled("a message that is not an object")
    return message  # pyright: ignore[reportUnknownVariableType]


class FrameReader:
    """Joins the pieces that arrive to frames of at most `limit_bytes`."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._arrived = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are complete now. Raises `Garbled` as soon as a length is too large."""
        arrived = self._arrived
        arrived += data
        frames: list[bytes] = []
        start = 0
        while len(arrived) - start >= HEADER_BYTES:
            size = int.from_bytes(arrived[start : start + HEADER_BYTES], "big")
            if size > self._limit_bytes:
                raise Garbled(f"a message of {size:,} bytes, more than {self._limit_bytes:,}")
            end = start + HEADER_BYTES + size
            if len(arrived) < end:
                break
            frames.append(bytes(arrived[start + HEADER_BYTES : end]))
            start = end
        del arrived[:start]
        return frames


class Line:
    """The child's end of the socket: reads one whole frame at a time, and writes from any thread.

    When the program has closed its end, this process exits.
    """

    def __init__(self, descriptor: int = LINE) -> None:
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._writing = allocate_lock()

    def read(self) -> bytes:
        return self._read(int.from_bytes(self._read(HEADER_BYTES), "big"))

    def write(self, payload: bytes) -> None:
        data = memoryview(frame(payload))
        try:
            with self._writing:
                while data:
                    data = data[os.write(self._descriptor, data) :]
        except OSError:
            os._exit(GONE)

    def is_ready(self, seconds: float | None) -> bool:
        """Whether there is something to read, now or within some time."""
        return bool(select([self._descriptor], [], [], seconds)[0])

    def _read(self, size: int) -> bytes:
        pieces: list[bytes] = []
        while size:
            piece = os.read(self._descriptor, min(size, 1 << 20))
            if not piece:
                os._exit(GONE)
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)
