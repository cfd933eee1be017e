"""One JavaScript worker as the program sees it: start it, speak with it, end it with all it has forked."""

import asyncio
import importlib.util
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from oneclaw.core.errors import ToolError, describe
from oneclaw.run.wire import FrameReader, Garbled, Message, decode, frame

FRAME_BYTES = 8 * 1024 * 1024 + 1024
START_SECONDS = 30.0
GONE_SECONDS = 1.0
"""How long a keeper is given to end what it keeps, before it is killed itself."""

_READ_BYTES = 64 * 1024
_WAITING = 64
"""The most messages that wait to be heard before the line is read no further."""
_WORKER = Path(__file__).with_name("worker.py")


class Ended(Exception):
    """The worker has ended, or is being ended; the text says why."""


class Given(NamedTuple):
    """The result of a call: its text, and whether that is the JSON of a value that was none."""

    text: str
    is_json: bool


class WorkerProcess:
    """A started worker. `holds` is the digest of the source it has loaded."""

    def __init__(
        self, memory_bytes: int, stack_bytes: int, when_gone: Callable[["WorkerProcess"], None]
    ) -> None:
        self.holds = ""
        self._when_gone = when_gone
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._frames = FrameReader(FRAME_BYTES)
        self._arrived: deque[bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._unsent = bytearray()
        self._is_busy = True
        self._is_killed = False
        self._reason = "it ended by itself"
        self._last_resort: asyncio.TimerHandle | None = None
        self._line, self._process = _start(memory_bytes, stack_bytes)
        self._loop.add_reader(self._line, self._read)

    @property
    def is_alive(self) -> bool:
        return not self._is_killed and not self._ended.done()

    @property
    def pid(self) -> int:
        return self._process.pid

    async def get_ready(self) -> None:
        """Wait until it can be asked. Raises `Ended`."""
        try:
            async with asyncio.timeout(START_SECONDS):
                message = await self.hear()
        except TimeoutError:
            self.kill(f"it did not start within {START_SECONDS:g}s")
            raise Ended(self._reason) from None
        if message != {"ready": []}:
            self.kill(f"it could not start: {message}"[:400])
            raise Ended(self._reason)

    def take(self) -> None:
        """It is asked something from now on."""
        self._is_busy = True

    def leave(self) -> None:
        """It is asked nothing any more, and has nothing to say."""
        self._is_busy = False
        if self._arrived:
            self.kill("it spoke though nobody had asked")

    def tell(self, payload: bytes) -> None:
        """Send without waiting; what the socket does not take at once follows when it does."""
        if self.is_alive:
            self._unsent += frame(payload)
            self._write()

    async def hear(self) -> Message | Given:
        """The next message, or the result of a call. Raises `Ended`."""
        while not self._arrived:
            if not self.is_alive:
                raise Ended(self._reason)
            self._loop.add_reader(self._line, self._read)
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        payload = self._arrived.popleft()
        try:
            if payload[:1] in (b"d", b"v"):
                return Given(payload[1:].decode(), payload[:1] == b"v")
            return decode(payload[1:])
        except (UnicodeDecodeError, Garbled) as error:
            self.kill(f"it sent {describe(error)}")
            raise Ended(self._reason) from None

    def kill(self, reason: str = "the program is closing") -> None:
        """End the process and all it has forked; returns at once, `gone` waits for it."""
        if self.is_alive:
            self._is_killed = True
            self._reason = reason
            self._unsent.clear()
            self._arrived.clear()
            self._loop.add_reader(self._line, self._read)  # the end of the line is how we learn it is gone
            with suppress(OSError):
                self._process.send_signal(signal.SIGTERM)
            self._last_resort = self._loop.call_later(GONE_SECONDS, self._process.kill)
            self._wake()

    async def gone(self) -> None:
        """Wait until nothing is left of a killed worker."""
        await asyncio.wait([self._ended])

    def _write(self) -> None:
        try:
            del self._unsent[: self._line.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # the end of the line says the rest
            self._unsent.clear()
        if self._unsent:
            self._loop.add_writer(self._line, self._write)
        else:
            self._loop.remove_writer(self._line)

    def _read(self) -> None:
        try:
            data = self._line.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._finish()
        elif not self._is_killed:
            self._take(data)
        self._wake()

    def _take(self, data: bytes) -> None:
        try:
            self._arrived += self._frames.feed(data)
        except Garbled as error:
            self.kill(f"it sent {error}")
        if self._arrived and not self._is_busy:
            self.kill("it spoke though nobody had asked")
        elif len(self._arrived) > _WAITING:
            self._loop.remove_reader(self._line)  # whoever says more than is heard, waits

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _finish(self) -> None:
        """No process has the other end of the line any more."""
        if self._last_resort is not None:
            self._last_resort.cancel()
        self._loop.remove_reader(self._line)
        self._loop.remove_writer(self._line)
        self._line.close()
        self._process.wait()  # it has closed the line by ending, so this does not wait
        self._ended.set_result(None)
        self._when_gone(self)


def _start(memory_bytes: int, stack_bytes: int) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start a worker with nothing of ours but its end of the line."""
    found = importlib.util.find_spec("_quickjs")
    if found is None or found.origin is None:
        raise ToolError(
            "JavaScript tools need the package quickjs-ng: install it with `pip install quickjs-ng`."
        )
    line, theirs = socket.socketpair()
    numbers = (theirs.fileno(), memory_bytes, stack_bytes)
    command = [sys.executable, "-I", "-S", str(_WORKER), *map(str, numbers)]
    with theirs:
        try:
            process = subprocess.Popen(
                [*command, os.path.dirname(found.origin), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except BaseException:
            line.close()
            raise
    line.setblocking(False)
    return line, process
