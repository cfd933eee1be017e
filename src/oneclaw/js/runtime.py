"""Runs JavaScript functions in worker processes."""

import asyncio
import importlib.util
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from oneclaw.child.child_spec import ChildSpec
from oneclaw.child.exit_report import Ended
from oneclaw.child.pool import Pool
from oneclaw.child.worker import Worker
from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.core.tool import Context
from oneclaw.js.call_exchange import FRAME_BYTES, Answers, CallExchange, Ran, encode
from oneclaw.js.source import JavaScriptSource

JAVASCRIPT = DEFAULTS.javascript

__all__ = ["Answers", "JavaScriptSource", "Ran", "Runtime"]

START_SECONDS = 30.0
CHECK_SECONDS = 10.0
KNOWN_IMPURE = 1_000
Paused = Callable[[], AbstractContextManager[None]]
"""Stops the clock of a call while something else is waited for."""
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
        start = partial(_start, memory_bytes, stack_bytes)
        self._make_workers = partial(Pool, size, start, idle_seconds=idle_seconds, can_switch=True)
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
        source: JavaScriptSource,
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
        ended = await self._run(workers, source, request, seconds, answers, context.paused)
        assert isinstance(ended, Ran)
        return ended

    async def check(self, source: JavaScriptSource, functions: Sequence[str]) -> dict[str, str]:
        """Why each of the functions cannot be called, "" if it can.

        Raises `ToolError` when the source does not load.
        """
        named = [function for function in functions if FUNCTION.fullmatch(function)]
        request = b"?" + encode({"functions": named})
        seconds = int(2 * CHECK_SECONDS)
        try:
            reasons = await self._run(
                self._workers, source, request, seconds, _Nobody(), nullcontext, CHECK_SECONDS
            )
        except TimeoutError:
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

    async def _run(
        self,
        workers: Pool,
        source: JavaScriptSource,
        request: bytes,
        seconds: int,
        answers: Answers,
        paused: Paused,
        most_seconds: float | None = None,
    ) -> Ran | list[str]:
        """Have a worker do what is requested; one that is not done with it is gone when this returns.

        Raises `TimeoutError` after `most_seconds` with the worker.
        """
        worker = await _borrow(workers, source.digest, paused)
        is_fit = False
        try:
            talk = self._talk(worker, source, request, seconds, answers, workers is self._workers)
            ended = await (talk if most_seconds is None else asyncio.wait_for(talk, most_seconds))
            is_fit = True
            return ended
        except ToolError:
            is_fit = True
            raise
        finally:
            await workers.leave(worker, is_fit=is_fit)

    async def _talk(
        self,
        worker: Worker,
        source: JavaScriptSource,
        request: bytes,
        seconds: int,
        answers: Answers,
        is_kept: bool,
    ) -> Ran | list[str]:
        if worker.holds != source.digest:
            text = source.encode()
            if worker.holds:
                worker.send(b"D")
                worker.holds = None
            is_held = is_kept and source.digest not in self._impure
            worker.send((b"L" if is_held else b"F") + text)
        worker.send(b"C" + seconds.to_bytes(4, "big") + request)
        conversation = CallExchange(worker, source, answers, self._memory_bytes)
        try:
            return await conversation.listen()
        finally:
            if conversation.is_impure:
                if len(self._impure) >= KNOWN_IMPURE:
                    self._impure.clear()
                self._impure[source.digest] = None


def _start(memory_bytes: int, stack_bytes: int) -> Worker:
    """Start a worker that has nothing of ours but its end of the line."""
    found = importlib.util.find_spec("_quickjs")
    if found is None or found.origin is None:
        raise ToolError(
            "JavaScript tools need the package quickjs-ng: install it with `pip install quickjs-ng`."
        )
    path, arguments = [os.path.dirname(found.origin)], (memory_bytes, stack_bytes)
    module = "oneclaw.js.worker"
    spec = ChildSpec(module=module, arguments=arguments, path=path, directory="/", is_guarded=False)
    return Worker(spec, FRAME_BYTES)


async def _borrow(workers: Pool, digest: str, paused: Paused) -> Worker:
    """A worker, one that holds the source if there is one; `paused` while it is waited for."""
    try:
        worker = await workers.take(digest, paused)
    except Ended as ended:
        raise ToolError(f"JavaScript cannot be run: {ended.exit.reason}.", effects="none") from None
    except OSError as error:
        reason = f"No process could be started for JavaScript: {describe(error)}."
        raise ToolError(reason, effects="none") from error
    if not worker.is_ready:
        try:
            with paused():
                await _get_ready(worker)
        except BaseException:
            await workers.leave(worker, is_fit=False)
            raise
    return worker


async def _get_ready(worker: Worker) -> None:
    """Wait until a new worker can be asked. Raises `ToolError`."""
    try:
        async with asyncio.timeout(START_SECONDS):
            said = (await worker.receive()).decode(errors="replace")
    except TimeoutError:
        said = f"it did not start within {START_SECONDS:g}s"
    except Ended as ended:
        said = f"its process {ended}"
    worker.is_ready = said == 'j{"ready":[]}'
    if not worker.is_ready:
        raise ToolError(f"JavaScript cannot be run: no worker is ready, {said[:400]}.", effects="none")


def _no_name(function: str) -> str:
    return f"{function[:100]!r} is not the name of a function"


class _Nobody:
    """The host while a file is only looked at."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        raise ToolError(f"{op} is not there while the file is checked: call it in a function.")
