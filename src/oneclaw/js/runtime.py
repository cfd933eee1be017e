"""JavaScript run in worker processes: a source, a function and arguments in; text and a log out."""

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.tool import Context
from oneclaw.js.worker_process import Ended, WorkerProcess

LOG_CHARS = 64 * 1024
_PLACE = re.compile(r"^ {4}at (?:.{0,200} \()?<input>:(\d+):(\d+)\)?$", re.MULTILINE)
_BORDER_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one JavaScript file; `file` is its name as errors show it."""

    file: str
    text: str
    digest: str

    @classmethod
    def of(cls, file: str, text: str) -> "Source":
        return cls(file, text, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


class Answers(Protocol):
    """What the host does for a running tool."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        """A JSON value. Raises `ToolError`, which the tool sees as an Error."""
        ...


@dataclass(frozen=True, slots=True)
class Ran:
    """What a call gave: a string as it is, nothing as "", anything else as JSON; and what it logged."""

    text: str
    log: str


class Runtime:
    """Workers, kept warm. Starts nothing until the first call; used from one event loop."""

    def __init__(
        self,
        *,
        size: int = 4,
        memory_bytes: int = 64 << 20,
        stack_bytes: int = 1 << 20,
        idle_seconds: float = 60.0,
    ) -> None:
        self._size = size
        self._memory_bytes = memory_bytes
        self._stack_bytes = stack_bytes
        self._idle_seconds = idle_seconds
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()
        self._turns: asyncio.Semaphore | None = None
        self._impure: set[str] = set()

    async def call(
        self,
        source: Source,
        function: str,
        arguments: Mapping[str, Any],
        answers: Answers,
        context: Context,
        *,
        tools: Sequence[str] = (),
    ) -> Ran:
        """Call a function of the source. Raises `ToolError` with what the tool threw and where."""
        request = {"function": function, "arguments": dict(arguments), "tools": list(tools)}
        body = b"!" + json.dumps(request).encode()
        if self._turns is None:
            self._turns = asyncio.Semaphore(self._size)
        if self._turns.locked():
            with context.paused():
                await self._turns.acquire()
        else:
            await self._turns.acquire()
        try:
            worker = self._worker(source)
            is_clean = False
            try:
                ran = await self._talk(worker, source, body, answers)
                is_clean = True
                return ran
            except ToolError:
                is_clean = worker.is_alive
                raise
            except Ended:
                raise ToolError("The process that ran the tool ended.") from None
            finally:
                if is_clean:
                    self._idle.append(worker)
                else:
                    worker.kill()
                    await worker.gone()
                    self._all.discard(worker)
        finally:
            self._turns.release()

    def _worker(self, source: Source) -> WorkerProcess:
        for worker in self._idle:
            if worker.holds == source.digest:
                self._idle.remove(worker)
                return worker
        if self._idle:
            return self._idle.pop()
        worker = WorkerProcess(self._memory_bytes, self._stack_bytes)
        self._all.add(worker)
        return worker

    async def _talk(self, worker: WorkerProcess, source: Source, body: bytes, answers: Answers) -> Ran:
        if worker.holds == source.digest:
            worker.tell(b"C" + body)
        else:
            if worker.holds:
                worker.tell(b"D")
                worker.holds = ""
            kind = b"F" if source.digest in self._impure else b"L"
            worker.tell(kind + source.text.encode())
            worker.tell(b"C" + body)
        log: list[str] = []
        tasks: set[asyncio.Task[None]] = set()

        async def answer(number: int, op: str, values: list[Any]) -> None:
            try:
                said: dict[str, Any] = {"value": await answers.answer(op, values)}
            except ToolError as error:
                said = {"error": error.message, "kind": error.kind.value}
            except Exception as error:
                said = {"error": describe(error)}
            worker.tell(b"A" + number.to_bytes(4, "big") + json.dumps(said).encode())

        try:
            while True:
                message = await worker.next()
                if isinstance(message, str):
                    return Ran(message, "\n".join(log))
                match message:
                    case {"log": [str(level), str(text)]}:
                        log.append(text if level == "log" else f"{level}: {text}")
                    case {"call": [int(number), str(op), list(values)]}:
                        task = asyncio.ensure_future(answer(number, op, values))
                        tasks.add(task)
                        task.add_done_callback(tasks.discard)
                    case {"held": []}:
                        worker.holds = source.digest
                    case {"impure": []}:
                        self._impure.add(source.digest)
                    case {"fail": [str(words), str(stack), int()]}:
                        raise ToolError(
                            words + _place(source.file, stack),
                            Kind.EXECUTION_ERROR,
                            details={"log": "\n".join(log)},
                        )
                    case {"missing": [str(reason), int()]}:
                        raise ToolError(f"{source.file}: {reason}.")
                    case _:
                        worker.kill()
                        raise ToolError(f"The process that ran the tool ended: {message}.")
        finally:
            for task in tasks:
                task.cancel()

    async def check(self, source: Source, functions: Sequence[str]) -> dict[str, str]:
        raise NotImplementedError

    async def close(self) -> None:
        for worker in list(self._all):
            worker.kill()
        for worker in list(self._all):
            with suppress(Exception):
                await worker.gone()
        self._all.clear()
        self._idle.clear()


def _place(file: str, stack: str) -> str:
    for line, column in _PLACE.findall(stack):
        if int(line) < _BORDER_LINE:
            return f" ({file}:{line}:{column})"
    return ""
