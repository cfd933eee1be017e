"""Worker: a child that runs a OneClaw module and exchanges frames with the program."""

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from oneclaw.child.child import Child
from oneclaw.child.child_spec import ChildSpec
from oneclaw.child.exit_report import Ended, Exit
from oneclaw.child.frames import LINE, FrameReader, Garbled, frame
from oneclaw.child.group import Group

READ_BYTES = 256 * 1024
WAITING = 64
"""How many frames may wait to be received; with more, the line is not read."""
LAST_WORDS_SECONDS = 0.2
"""How long a worker that has closed its line may take to end by itself."""


class Worker:
    """A started worker; used from one event loop.

    holds      the key of what its user has had it load; None for nothing
    is_ready   whether its user has received a first message that says so
    when_gone  is called when nothing is left of it
    """

    def __init__(self, spec: ChildSpec, limit_bytes: int, *, group: Group | None = None) -> None:
        """Start it; its frames may have at most `limit_bytes`. Raises `OSError`."""
        self.holds: object = None
        self.is_ready = False
        self.when_gone: Callable[[Worker], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._frames = FrameReader(limit_bytes)
        self._received: deque[bytes] = deque()
        self._unsent = bytearray()
        self._waiter: asyncio.Future[None] | None = None
        self._is_paused = self._is_writing = False
        self._line, theirs = socket.socketpair()
        with theirs:
            try:
                spec = replace(spec, descriptors={LINE: theirs.fileno()})
                self.child = Child(spec, group=group, when_gone=self._finish)
            except BaseException:
                self._line.close()
                raise
        self._line.setblocking(False)
        self._loop.add_reader(self._line, self._read)

    @property
    def is_alive(self) -> bool:
        return self.child.is_alive

    @property
    def has_unread(self) -> bool:
        """Whether it has sent something that nobody has received."""
        return bool(self._received)

    def send(self, payload: bytes) -> None:
        """Send a frame without waiting; the event loop sends what the socket does not take at once."""
        if self.is_alive:
            self._unsent += frame(payload)
            self._write()

    async def receive(self) -> bytes:
        """The next frame. Raises `Ended` when the worker is killed or has ended."""
        while not self._received:
            if self.child.is_killed or self.child.is_gone:
                raise Ended(self.child.exit)
            if self._is_paused:
                self._is_paused = False
                self._loop.add_reader(self._line, self._read)
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._received.popleft()

    def kill(self, reason: str = "the program is closing") -> None:
        """End it with all it started; returns at once, `gone` waits for it."""
        if self.is_alive:
            self.child.kill(reason)
            self._loop.remove_reader(self._line)
            self._received.clear()
            self._unsent.clear()
            self._wake()

    async def gone(self) -> Exit:
        """Wait until nothing is left of a worker that is killed."""
        return await self.child.gone()

    def _write(self) -> None:
        try:
            del self._unsent[: self._line.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # the lifeline will say why
            self._unsent.clear()
        if self._unsent and not self._is_writing:
            self._loop.add_writer(self._line, self._write)
        elif self._is_writing and not self._unsent:
            self._loop.remove_writer(self._line)
        self._is_writing = bool(self._unsent)

    def _read(self) -> None:
        data = self._arrived()
        if data:
            self._take(data)
            if len(self._received) > WAITING:
                self._is_paused = True
                self._loop.remove_reader(self._line)
        elif data is not None:
            self._loop.remove_reader(self._line)
            self._loop.call_later(LAST_WORDS_SECONDS, self.kill, "it closed its line")

    def _arrived(self) -> bytes | None:
        """A piece of what has arrived; empty at the end of the line, None when there is nothing now."""
        try:
            return self._line.recv(READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _take(self, data: bytes) -> None:
        try:
            self._received += self._frames.feed(data)
        except Garbled as error:
            self.kill(f"it sent {error}")
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _finish(self) -> None:
        """Nothing is left of the worker but what it has sent."""
        self._loop.remove_reader(self._line)
        self._loop.remove_writer(self._line)
        while not self.child.is_killed and (data := self._arrived()):
            self._take(data)
        self._line.close()
        self._wake()
        if self.when_gone is not None:
            self.when_gone(self)
