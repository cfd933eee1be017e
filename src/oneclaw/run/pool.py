"""Runs tools in worker processes: warm ones are used again, killed ones replaced, further calls wait.

A worker serves the tool it first loaded and no other: what one tool does to its process, be it to spy on
calls or to leave a mess, never reaches another.
"""

import asyncio
import os
import pickle
import resource
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, get_args

from oneclaw.child.child_spec import ChildSpec, environment
from oneclaw.child.exit_report import Ended
from oneclaw.child.frames import Garbled, decode
from oneclaw.child.group import make_group
from oneclaw.child.pool import Pool
from oneclaw.child.worker import Worker
from oneclaw.core.call import Effects
from oneclaw.core.errors import ForeignError, Kind, ToolError, describe
from oneclaw.core.tool import Context, Tool
from oneclaw.run.deadline import Deadline
from oneclaw.run.failure import effects_of_stopped, out_of_time
from oneclaw.run.packed_tool import PackedTool, pack
from oneclaw.run.value_message import REPLY_BYTES, Message, read_value

LOAD_SECONDS = 60.0
"""How long a process may take to start and import a tool; the limit of the call starts after that."""

MESSAGES = 100_000
"""The most messages of one call, its reports of progress above all."""
TASKS = 1 << 22
"""As many as there can be: a control group of the older kind is made by giving it a limit."""
OUT_OF_TIME = "its time was up"
MESSAGE_CHARS = 5_000
PARCELS = 256
_KINDS = frozenset(Kind)


class ProcessPool:
    """At most `size` workers, started when first needed; all calls from one event loop."""

    def __init__(self, size: int, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._workers = Pool(size, partial(_start, memory_bytes), has_spare=True)
        self._parcels: dict[int, tuple[Tool, PackedTool]] = {}

    async def run(self, tool: Tool, arguments: dict[str, Any], context: Context, seconds: float) -> Any:
        """Runs the tool. Raises `ToolError` when its process is stopped or ends."""
        request = _request(tool, arguments, context)
        try:
            worker = await self._workers.take(tool.execute)
        except Ended as ended:
            raise ToolError(f"The call was not run: {ended.exit.reason}.", effects="none") from None
        except OSError as error:
            raise ToolError(f"No process could be started: {describe(error)}.", effects="none") from error
        is_fit = False
        try:
            if worker.holds is None:
                await self._load(worker, tool)
            reply = await _call(worker, tool, request, context, seconds)
            is_fit = not reply.get("is_worn")
        finally:
            await self._workers.leave(worker, is_fit=is_fit)
        return self._read(reply)

    async def close(self) -> None:
        """Kill every worker, and wait until they are gone."""
        await self._workers.close()

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
        worker.holds = tool.execute
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


def _start(memory_bytes: int) -> Worker:
    limits = {resource.RLIMIT_AS: memory_bytes} if memory_bytes else {}
    spec = ChildSpec(module="oneclaw.run.worker", environment=environment(), limits=limits)
    return Worker(spec, REPLY_BYTES, group=make_group(tasks=TASKS))


async def _ask(worker: Worker, request: bytes, heed: Callable[[Message], bool]) -> Message:
    """Send a request and wait for its reply; `heed` takes other messages. Raises `Ended`."""
    worker.send(request)
    try:
        for _ in range(MESSAGES):
            message = decode(await worker.receive())
            if not heed(message):
                return message
        worker.kill(f"it sent more than {MESSAGES:,} messages")
    except Garbled as error:
        worker.kill(f"it sent {error}")
    raise Ended(worker.child.exit)


async def _load(worker: Worker, tool: Tool, parcel: PackedTool) -> Message:
    path = [os.path.abspath(folder) for folder in sys.path]  # noqa: ASYNC240 - touches no file
    try:
        async with asyncio.timeout(LOAD_SECONDS):
            return await _ask(worker, pickle.dumps(("load", parcel, path)), lambda message: False)
    except TimeoutError:
        raise _not_loaded(tool, f"within {LOAD_SECONDS:g}s.", Kind.TIMEOUT) from None
    except Ended as ended:
        raise _not_loaded(tool, f"in its process, which {ended}") from None


def _not_loaded(tool: Tool, reason: str, kind: Kind = Kind.EXECUTION_ERROR) -> ToolError:
    return ToolError(f"Tool {tool.name!r} could not be loaded {reason}", kind, "none")


async def _call(worker: Worker, tool: Tool, request: bytes, context: Context, seconds: float) -> Message:
    effects = effects_of_stopped(tool.definition.effect)
    asked: set[asyncio.Task[None]] = set()
    deadline = Deadline(context, seconds, monotonic(), partial(worker.kill, OUT_OF_TIME))
    try:
        return await _ask(worker, request, partial(_handle_message, worker, context, asked))
    except Ended as ended:
        if ended.exit.reason == OUT_OF_TIME:
            raise out_of_time(seconds, effects=effects) from None
        raise ToolError(f"The tool's process {ended}", effects=effects) from None
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


def _handle_message(
    worker: Worker, context: Context, asked: set[asyncio.Task[None]], message: Message
) -> bool:
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
    worker.send(pickle.dumps((refusal, value)))
