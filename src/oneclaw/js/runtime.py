"""JavaScript run in worker processes: a source, a function and arguments in; text and a log out."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.core.tool import Context
from oneclaw.js.conversation import Answers, Conversation, Ran, encode
from oneclaw.js.source import Source
from oneclaw.js.worker_process import WorkerProcess
from oneclaw.js.workers import Workers

JAVASCRIPT = DEFAULTS.javascript

__all__ = ["Answers", "Ran", "Runtime", "Source"]

CHECK_SECONDS = 10.0
KNOWN_IMPURE = 1_000
FUNCTION = re.compile(r"[a-zA-Z_$][a-zA-Z0-9_$]*")


class Runtime:
    """Calls functions of JavaScript files. Starts nothing until the first call; used from one event loop.

    Scripts that call other tools have workers of their own: those they call may need one as well, and would
    wait for ever where each worker is held by a script that waits.
    """

    def __init__(
        self,
        *,
        size: int = JAVASCRIPT.workers,
        memory_bytes: int = JAVASCRIPT.memory_mb << 20,
        stack_bytes: int = 1 << 20,
        idle_seconds: float = 60.0,
    ) -> None:
        self._memory_bytes = memory_bytes
        self._make_workers = partial(Workers, size, memory_bytes, stack_bytes, idle_seconds)
        self._impure: dict[str, None] = {}
        self._is_open = False
        self.open()

    def open(self) -> None:
        """Take calls again after a `close`, from whatever event loop runs then."""
        if not self._is_open:
            self._workers, self._script_workers = self._make_workers(), self._make_workers()
            self._is_open = True

    @property
    def pids(self) -> list[int]:
        """The workers that run."""
        return [*self._workers.pids, *self._script_workers.pids]

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
        """Call a function of the source; `tools` become functions of the global `tools`.

        Raises `ToolError` with what the tool threw and where. When the call is cancelled, the process that
        runs it is gone before this returns.
        """
        if not FUNCTION.fullmatch(function):
            raise ToolError(f"{source.file}: {_no_name(function)}.", effects="none")
        try:
            request = b"!" + encode(
                {"function": function, "arguments": dict(arguments), "tools": list(tools)}
            )
        except (TypeError, ValueError, RecursionError) as error:
            reason = f"The arguments are not JSON: {describe(error)}."
            raise ToolError(reason, Kind.VALIDATION_ERROR, effects="none") from error
        workers = self._script_workers if tools else self._workers
        # Above the limit of the call: this is for a worker whose program cannot stop it any more.
        seconds = int(2 * context.seconds) + 10
        async with workers.borrow(source.digest, context) as worker:
            ended = await self._talk(worker, source, request, seconds, answers, is_kept=not tools)
            assert isinstance(ended, Ran)
            return ended

    async def check(self, source: Source, functions: Sequence[str]) -> dict[str, str]:
        """Why each of the functions cannot be called, "" if it can.

        Raises `ToolError` when the source does not load.
        """
        named = [function for function in functions if FUNCTION.fullmatch(function)]
        request = b"?" + encode({"functions": named})
        seconds = int(2 * CHECK_SECONDS)
        async with self._workers.borrow(source.digest, None) as worker:
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    reasons = await self._talk(worker, source, request, seconds, _Nobody(), is_kept=True)
            except TimeoutError:
                worker.kill("it took too long to load")
                reason = f"{source.file} did not load within {CHECK_SECONDS:g}s."
                raise ToolError(reason, Kind.TIMEOUT) from None
        assert isinstance(reasons, list)
        found = dict(zip(named, reasons, strict=True))
        return {function: found.get(function, _no_name(function)) for function in functions}

    async def close(self) -> None:
        """End all workers; nothing of them is left when this returns."""
        await self._workers.close()
        await self._script_workers.close()
        self._is_open = False

    async def _talk(
        self,
        worker: WorkerProcess,
        source: Source,
        request: bytes,
        seconds: int,
        answers: Answers,
        is_kept: bool,
    ) -> Ran | list[str]:
        if worker.holds != source.digest:
            text = source.encode()
            if worker.holds:
                worker.tell(b"D")
                worker.holds = ""
            is_held = is_kept and source.digest not in self._impure
            worker.tell((b"L" if is_held else b"F") + text)
        worker.tell(b"C" + seconds.to_bytes(4, "big") + request)
        conversation = Conversation(worker, source, answers, self._memory_bytes)
        try:
            return await conversation.listen()
        finally:
            if conversation.is_impure:
                if len(self._impure) >= KNOWN_IMPURE:
                    self._impure.clear()
                self._impure[source.digest] = None


def _no_name(function: str) -> str:
    return f"{function[:100]!r} is not the name of a function"


class _Nobody:
    """The host while a file is only looked at."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        raise ToolError(f"{op} is not there while the file is checked: call it in a function.")
