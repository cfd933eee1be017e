"""The pool of worker processes: warm ones are used again, killed ones replaced, further calls wait.

A worker serves the tool it first loaded and no other: what one tool does to its process, be it to spy on
calls or to leave a mess, never reaches another.
"""

import asyncio
import os
import pickle
import sys
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, get_args

from oneclaw.core.call import Effects
from oneclaw.core.errors import ForeignError, Kind, ToolError, describe
from oneclaw.core.tool import Context, Tool
from oneclaw.run.deadline import Deadline
from oneclaw.run.failure import effects_of_stopped, out_of_time
from oneclaw.run.parcel import Parcel, pack
from oneclaw.run.process import Ended, Worker
from oneclaw.run.wire import Garbled, Message, read_value

LOAD_SECONDS = 60.0
"""How long a process may take to start and import a tool; the limit of the call starts after that."""

MESSAGE_CHARS = 5_000
PARCELS = 256
_KINDS = frozenset(Kind)


class ProcessPool:
    """At most `size` workers, started when first needed; all calls from one event loop."""

    def __init__(self, size: int, memory_bytes: int) -> None:
        self._size = size
        self._memory_bytes = memory_bytes
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._started: set[Worker] = set()  # and not gone, though perhaps killed
        self._parcels: dict[int, tuple[Tool, Parcel]] = {}
        self._is_closed = False

    async def run(self, tool: Tool, arguments: dict[str, Any], context: Context, seconds: float) -> Any:
        """What the tool gives. Raises `ToolError` when its process is stopped or ends."""
        request = _request(tool, arguments, context)
        async with self._slots:
            if self._is_closed:
                raise ToolError("The call was not run: the program is closing.", effects="none")
            worker = self._take(tool)
            self._busy.add(worker)
            is_fit = False
            try:
                if worker.tool is None:
                    await self._load(worker, tool)
                reply = await _call(worker, tool, request, context, seconds)
                is_fit = not reply.get("is_worn")
            finally:
                await self._leave(worker, is_fit)
        return self._read(reply)

    async def close(self) -> None:
        """Kill every worker, and wait until they are gone."""
        self._is_closed = True
        self._idle.clear()
        for worker in self._started:
            worker.kill()
        for worker in list(self._started):
            await worker.gone()

    def _take(self, tool: Tool) -> Worker:
        """A worker for this tool: one that has it, a fresh one, or a new one in the place of the oldest."""
        self._idle = [worker for worker in self._idle if worker.is_alive]
        for wanted in (tool.execute, None):
            for worker in self._idle:
                if worker.tool is wanted:
                    self._idle.remove(worker)
                    return worker
        if self._idle and len(self._idle) + len(self._busy) >= self._size:
            self._idle.pop(0).kill()
        try:
            return self._start()
        except OSError as error:
            raise ToolError(f"No process could be started: {describe(error)}.", effects="none") from error

    def _start(self) -> Worker:
        worker = Worker(self._memory_bytes, self._started.discard)
        self._started.add(worker)
        return worker

    async def _leave(self, worker: Worker, is_fit: bool) -> None:
        """Put a worker back, or kill it and start another in its place."""
        try:
            if not is_fit:
                worker.kill()
                await worker.gone()
        finally:
            self._busy.discard(worker)
            if worker.is_alive:
                self._idle.append(worker)
            elif not self._is_closed and len(self._idle) + len(self._busy) < self._size:
                with suppress(OSError):  # the next call tries again, and says so
                    self._idle.insert(0, self._start())

    async def _load(self, worker: Worker, tool: Tool) -> None:
        """Have the worker load the tool; modules it cannot import there are sent as code."""
        key = id(tool.execute)
        _, parcel = self._parcels.get(key) or (tool, pack(tool))
        sent: set[str] = set()
        while True:
            reply = await _load(worker, tool, parcel)
            if reply.get("loaded") is True:
                break
            missing = reply.get("missing")
            if not isinstance(missing, str) or missing in sent or missing not in sys.modules:
                reason = str(reply.get("error"))[:MESSAGE_CHARS]
                raise _not_loaded(tool, f"in its process: {reason}.")
            sent.add(missing)
            parcel = pack(tool, sent)
        worker.tool = tool.execute
        if len(self._parcels) >= PARCELS:
            self._parcels.clear()
        self._parcels[key] = (tool, parcel)  # with the tool, so that its id stays its own

    def _read(self, reply: Message) -> Any:
        if "value" in reply:
            try:
                return read_value(reply)
            except Garbled as error:
                raise ToolError(f"The tool's process sent {error}.") from error
        message = str(reply.get("error"))[:MESSAGE_CHARS]
        if reply.get("is_worn"):
            message += f" (the limit is {self._memory_bytes // 2**20:,} MB)."
        if reply.get("is_foreign"):
            raise ForeignError(message)
        kind, effects = reply.get("kind"), reply.get("effects")
        raise ToolError(
            message,
            Kind(kind) if isinstance(kind, str) and kind in _KINDS else Kind.EXECUTION_ERROR,
            effects if effects in get_args(Effects) else None,
        )


async def _load(worker: Worker, tool: Tool, parcel: Parcel) -> Message:
    path = [os.path.abspath(folder) for folder in sys.path]  # noqa: ASYNC240 - touches no file
    try:
        async with asyncio.timeout(LOAD_SECONDS):
            return await worker.ask(pickle.dumps(("load", parcel, path)))
    except TimeoutError:
        raise _not_loaded(tool, f"within {LOAD_SECONDS:g}s.", Kind.TIMEOUT) from None
    except Ended as error:
        raise _not_loaded(tool, f"in its process. {error}") from None


def _not_loaded(tool: Tool, reason: str, kind: Kind = Kind.EXECUTION_ERROR) -> ToolError:
    return ToolError(f"Tool {tool.name!r} could not be loaded {reason}", kind, "none")


async def _call(worker: Worker, tool: Tool, request: bytes, context: Context, seconds: float) -> Message:
    effects = effects_of_stopped(tool.definition.effect)
    asked: set[asyncio.Task[None]] = set()
    deadline = Deadline(context, seconds, monotonic(), worker.give_up)
    try:
        return await worker.ask(request, partial(_heed, worker, context, asked))
    except TimeoutError:
        raise out_of_time(seconds, effects=effects) from None
    except Ended as error:
        raise ToolError(str(error), effects=effects) from None
    finally:
        deadline.cancel()
        for question in asked:
            question.cancel()


def _request(tool: Tool, arguments: dict[str, Any], context: Context) -> bytes:
    about = {
        "call_id": context.call_id,
        "session": context.session,
        "secrets": dict(context.secrets),
        "tool": context.tool,
    }
    try:
        return pickle.dumps(("call", arguments, about))
    except Exception as error:
        message = f"The arguments of tool {tool.name!r} cannot be sent to a process: {describe(error)}."
        raise ToolError(message, effects="none") from error


def _heed(worker: Worker, context: Context, asked: set[asyncio.Task[None]], message: Message) -> bool:
    """Take what a running tool says on the way: how far it is, and what it asks for."""
    match message:
        case {"progress": [str(text), float() | int() | None as fraction]}:
            with suppress(Exception):
                context.progress(text, fraction)
        case {"require": [str(need), str(reason)]}:
            _answer_later(worker, asked, context.require(need, reason))
        case {"ask": [str(text), list(), dict() | None, float() | int() | None as seconds]}:
            _, options, schema, _ = message["ask"]
            texts = [str(option) for option in options]
            _answer_later(worker, asked, context.ask(text, options=texts, schema=schema, seconds=seconds))
        case _:
            return False
    return True


def _answer_later(worker: Worker, asked: set[asyncio.Task[None]], asking: Awaitable[Any]) -> None:
    question = asyncio.ensure_future(_answer(worker, asking))
    asked.add(question)
    question.add_done_callback(asked.discard)


async def _answer(worker: Worker, asking: Awaitable[Any]) -> None:
    refusal = value = None
    try:
        value = await asking
    except ToolError as error:
        refusal = (error.message, error.kind)
    except Exception as error:
        refusal = (f"The person could not be asked: {describe(error)}.", Kind.PERMISSION_DENIED)
    worker.tell(pickle.dumps((refusal, value)))
