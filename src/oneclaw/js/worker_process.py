"""One JavaScript worker as the program sees it: start it, speak with it, and end it with all it has forked."""

import asyncio
import importlib.util
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from oneclaw.core.errors import ToolError
from oneclaw.run.wire import FrameReader, Garbled, Message, decode, frame

FRAME_BYTES = 8 * 1024 * 1024
_READ_BYTES = 256 * 1024
_GONE_SECONDS = 2.0
_WORKER = Path(__file__).with_name("worker.py")


class Ended(Exception):
    """The worker ended instead of answering."""


class WorkerProcess:
    """A started worker. `holds` is the digest of the source it has loaded."""

    def __init__(self, memory_bytes: int, stack_bytes: int) -> None:
        self.holds = ""
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._frames = FrameReader(FRAME_BYTES)
        self._arrived: list[bytes] = []
        self._waiter: asyncio.Future[None] | None = None
        self._unsent = bytearray()
        self._is_killed = False
        self._line, self._process = _start(memory_bytes, stack_bytes)
        self._loop.add_reader(self._line, self._read)

    @property
    def is_alive(self) -> bool:
        return not self._is_killed and not self._ended.done()

    def tell(self, payload: bytes) -> None:
        """Send without waiting; what the socket does not take at once follows when it does."""
        if self.is_alive:
            self._unsent += frame(payload)
            self._write()

    async def next(self) -> Message | str:
        """The next message; text is the result of the call. Raises `Ended`."""
        while not self._arrived:
            if not self.is_alive:
                raise Ended
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        payload = self._arrived.pop(0)
        return payload[1:].decode() if payload[:1] == b"d" else decode(payload[1:])

    def kill(self) -> None:
        """End the process and all it has forked; returns at once, `gone` waits for it."""
        if self.is_alive:
            self._is_killed = True
            with suppress(OSError):
                self._process.send_signal(signal.SIGTERM)

    async def gone(self) -> None:
        """Wait until nothing is left of a killed worker."""
        await asyncio.wait([self._ended], timeout=_GONE_SECONDS)
        if not self._ended.done():
            self._process.kill()
            await asyncio.wait([self._ended], timeout=_GONE_SECONDS)

    def _write(self) -> None:
        try:
            del self._unsent[: self._line.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
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
            try:
                self._arrived += self._frames.feed(data)
            except Garbled:
                self.kill()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _finish(self) -> None:
        """No process holds the other end any more."""
        self._loop.remove_reader(self._line)
        self._loop.remove_writer(self._line)
        self._line.close()
        self._process.wait()
        self._ended.set_result(None)


def _start(memory_bytes: int, stack_bytes: int) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    found = importlib.util.find_spec("_quickjs")
    if found is None or found.origin is None:
        raise ToolError("JavaScript needs the package quickjs-ng: pip install quickjs-ng.")
    line, theirs = socket.socketpair()
    descriptor = theirs.fileno()
    numbers = map(str, (descriptor, memory_bytes, stack_bytes))
    with theirs:
        try:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-S",
                    str(_WORKER),
                    *numbers,
                    str(Path(found.origin).parent),
                    str(os.getpid()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None if os.environ.get("JSDEBUG") else subprocess.DEVNULL,
                env={},
                pass_fds=(descriptor,),
                start_new_session=True,
            )
        except BaseException:
            line.close()
            raise
    line.setblocking(False)
    return line, process
