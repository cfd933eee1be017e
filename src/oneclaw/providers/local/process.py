"""One model process as the program sees it: start it, ask it, stop a request, end it."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from oneclaw.providers.base import ProviderError
from oneclaw.providers.local.engine import not_loadable
from oneclaw.run.process import environment

LINE_BYTES = 16 * 1024 * 1024
STDERR_BYTES = 8_000
_CHILD = Path(__file__).with_name("child.py")

Chunk = dict[str, Any]
Way = Literal["chat", "complete"]


@dataclass(frozen=True, slots=True)
class Load:
    """What a process is to load. Processes that would load the same are one."""

    file: str
    window: int
    threads: int
    idle_seconds: float
    slots: int = 1
    adapter: str = ""


class Idle(Exception):
    """The process has ended because nobody asked for a while: start another one."""


class ModelProcess:
    """A started process. `label` names its model in errors."""

    def __init__(self, load: Load, label: str) -> None:
        self.load = load
        self._label = label
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Queue[Chunk | None]] = {}
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(_look_at)
        self._is_idle = False
        self._is_closed = False
        self._last_words = bytearray()
        self._line, self._process = _start()
        self._running = asyncio.ensure_future(self._run())

    @property
    def is_alive(self) -> bool:
        return not self._running.done()

    @property
    def is_busy(self) -> bool:
        return bool(self._answers)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ready(self) -> None:
        """Wait until the model is loaded; raises `ProviderError` when it cannot be."""
        # Whoever waits may be cancelled; the loading goes on for the others.
        await asyncio.shield(self._ready)

    async def ask(self, way: Way, body: Chunk) -> AsyncGenerator[Chunk]:
        """Yield the chunks of an answer. Closing this stops the model at its next token.

        Raises `ProviderError` when the process dies, and `Idle` when it was about to end.
        """
        number = next(self._numbers)
        answers = self._answers[number] = asyncio.Queue()
        has_ended = False
        try:
            self._send({"id": number, way: body})
            while (chunk := await answers.get()) is not None:
                if "end" in chunk:
                    has_ended = True
                    return
                yield chunk["chunk"]
            has_ended = True
            raise Idle if self._is_idle else self._death()
        finally:
            del self._answers[number]
            if not has_ended:
                self._send({"id": number, "stop": True})

    async def close(self) -> None:
        """End the process, whatever it does."""
        self._is_closed = True
        with suppress(OSError):
            self._process.kill()
        await asyncio.wait([self._running])

    def _send(self, message: Chunk) -> None:
        if self.is_alive and self._writer is not None:
            self._writer.write(json.dumps(message).encode() + b"\n")
        elif message["id"] in self._answers:
            self._answers[message["id"]].put_nowait(None)

    _writer: asyncio.StreamWriter | None = None

    async def _run(self) -> None:
        """Take in what the process says until it ends; then see that nothing is left of it."""
        errors = asyncio.ensure_future(self._read_errors())
        try:
            reader, self._writer = await asyncio.open_connection(sock=self._line, limit=LINE_BYTES)
            self._writer.write(json.dumps({**asdict(self.load), "path": sys.path}).encode() + b"\n")
            with suppress(ConnectionError):
                async for line in reader:
                    self._take(json.loads(line))
        finally:
            with suppress(OSError):
                self._process.kill()
            await asyncio.to_thread(self._process.wait)
            await errors
            if self._writer is not None:
                self._writer.close()
            if not self._ready.done():
                self._ready.set_exception(self._death())
            for answers in self._answers.values():
                answers.put_nowait(None)

    def _take(self, message: Chunk) -> None:
        if "id" in message:
            answers = self._answers.get(message["id"])
            if answers is not None:  # else it was stopped, and is about to end
                answers.put_nowait(message)
        elif "ready" in message:
            self._ready.set_result(None)
        elif "failed" in message:
            self._ready.set_exception(self._failure(str(message["failed"])))
        elif "unloadable" in message:
            self._ready.set_exception(not_loadable(str(message["unloadable"])))
        elif "idle" in message:
            self._is_idle = True

    async def _read_errors(self) -> None:
        """Keep the last words of the process: llama.cpp says there why it gives up."""
        assert self._process.stderr is not None
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: protocol, self._process.stderr)
        while data := await reader.read(65_536):
            self._last_words += data
            del self._last_words[:-STDERR_BYTES]
        transport.close()

    def _failure(self, said: str) -> ProviderError:
        why = self._complaint() or said
        return ProviderError(
            f"The model {self._label} cannot be loaded from {self.load.file}: {why}. Get the file again, or"
            " use another model.",
            "request",
        )

    def _complaint(self) -> str:
        """What llama.cpp complained of first, without its time and place."""
        text = self._last_words.decode("utf-8", "replace")
        for mark in ("error loading model: ", "error: "):
            if mark in text:
                return text.partition(mark)[2].splitlines()[0].strip().rstrip(".")[:200]
        return ""

    def _death(self) -> ProviderError:
        how = "it was closed" if self._is_closed else _name(self._process.returncode)
        return ProviderError(
            f"The process of the model {self._label} ended: {how}. Ask again, and a new one is started.",
            "server",
        )


def _start() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                [sys.executable, "-E", "-P", str(_CHILD), str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(os.environ),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
    ours.setblocking(False)
    return ours, process


def _name(code: int) -> str:
    if code >= 0:
        return f"it left with code {code}"
    if -code == signal.SIGKILL:
        return "it was killed, perhaps for want of memory"
    names = {each.value: each.name for each in signal.Signals}
    return f"it was ended by {names.get(-code, f'signal {-code}')}"


def _look_at(future: "asyncio.Future[None]") -> None:
    """Take note of a failure, so that one nobody waited for is no complaint at exit."""
    if not future.cancelled():
        future.exception()
