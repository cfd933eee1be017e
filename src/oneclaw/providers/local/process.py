"""The process of one local model: starts it, sends requests, stops them, ends it."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, Literal

from oneclaw.child.child_spec import ChildSpec, environment
from oneclaw.child.exit_report import Ended
from oneclaw.child.frames import Garbled, decode, encode
from oneclaw.child.worker import Worker
from oneclaw.providers.base import ProviderError
from oneclaw.providers.local.engine import not_loadable

CHUNK_BYTES = 16 * 1024 * 1024

Chunk = dict[str, Any]
RequestKind = Literal["chat", "complete"]


@dataclass(frozen=True, slots=True)
class Load:
    """A model file with its settings. Equal loads share one process."""

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
        self._failure: Chunk = {}
        spec = ChildSpec(
            module="oneclaw.providers.local.child",
            arguments=[asdict(load)],
            path=sys.path,
            environment=environment(),
            is_guarded=False,
        )
        self._worker = Worker(spec, CHUNK_BYTES)
        self._running = asyncio.ensure_future(self._run())

    @property
    def is_alive(self) -> bool:
        return not self._running.done()

    @property
    def is_busy(self) -> bool:
        return bool(self._answers)

    @property
    def pid(self) -> int:
        """The number of the process; 0 until it is known."""
        return self._worker.child.pid

    async def ready(self) -> None:
        """Wait until the model is loaded; raises `ProviderError` when it cannot be."""
        # Whoever waits may be cancelled; the loading goes on for the others.
        await asyncio.shield(self._ready)

    async def ask(self, way: RequestKind, body: Chunk) -> AsyncGenerator[Chunk]:
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
        self._worker.kill("it was closed")
        await asyncio.wait([self._running])

    def _send(self, message: Chunk) -> None:
        if self.is_alive:
            self._worker.send(encode(message))
        elif message["id"] in self._answers:
            self._answers[message["id"]].put_nowait(None)

    async def _run(self) -> None:
        """Take in what the process says until it ends; then see that nothing is left of it."""
        try:
            while True:
                self._take(decode(await self._worker.receive()))
        except Ended:
            pass  # which is told below
        except Garbled as error:
            self._worker.kill(f"it sent {error}")
        finally:
            self._worker.kill()
            await self._worker.gone()
            if not self._ready.done():
                self._ready.set_exception(self._why_not_ready())
            for answers in self._answers.values():
                answers.put_nowait(None)

    def _take(self, message: Chunk) -> None:
        if "id" in message:
            answers = self._answers.get(message["id"])
            if answers is not None:  # else it was stopped, and is about to end
                answers.put_nowait(message)
        elif "ready" in message:
            self._ready.set_result(None)
        elif "idle" in message:
            self._is_idle = True
        else:
            self._failure = message

    def _why_not_ready(self) -> ProviderError:
        if "unloadable" in self._failure:
            return not_loadable(str(self._failure["unloadable"]))
        if "failed" not in self._failure:
            return self._death()
        why, tail = self._failure["failed"], self._worker.child.exit.tail
        for mark in ("error: ", "error loading model: "):  # the first error that llama.cpp printed
            if mark in tail:
                why = tail.partition(mark)[2].splitlines()[0].strip().rstrip(".")[:200] or why
        return ProviderError(
            f"The model {self._label} cannot be loaded from {self.load.file}: {why}. Get the file again, or"
            " use another model.",
            "request",
        )

    def _death(self) -> ProviderError:
        how = self._worker.child.exit
        return ProviderError(
            f"The process of the model {self._label} {how}. Ask again, and a new one is started.", "server"
        )


def _look_at(future: "asyncio.Future[None]") -> None:
    """Take note of a failure, so that one nobody waited for is no complaint at exit."""
    if not future.cancelled():
        future.exception()
