"""Runs plain functions in threads; a thread past its limit is abandoned and replaced.

A thread cannot be stopped. What can be done: the call ends on time, its thread leaves the pool and a new one
takes its place, the tool is told through its context, the result says that effects may still land, and as the
threads are daemons, the program does not wait for them at exit. When too many are stuck, calls are refused.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from oneclaw.core.errors import ToolError, describe
from oneclaw.core.tool import Context, Execute, Tool
from oneclaw.run.deadline import Deadline
from oneclaw.run.failure import cancel, effects_of_stopped, failed, out_of_time

_ThreadOutcome = tuple[Any, BaseException | None]
_Inbox = SimpleQueue[Callable[[], bool] | None]


@dataclass(slots=True, eq=False)
class _ThreadCall:
    """One call in one thread."""

    inbox: _Inbox
    ended: asyncio.Future[_ThreadOutcome]
    is_given_up: bool = False


class ThreadPool:
    """At most `size` threads at work and `stuck_limit` given up; all calls from one event loop."""

    def __init__(self, size: int, stuck_limit: int) -> None:
        self._size = size
        self._stuck_limit = stuck_limit
        self._slots = asyncio.Semaphore(size)
        self._idle: list[_Inbox] = []
        self._is_closed = False
        self.stuck = 0
        """How many threads are given up and still running."""

    async def run(self, tool: Tool, arguments: dict[str, Any], context: Context, seconds: float) -> Any:
        """Runs the tool. Raises `ToolError` when it does not end in time."""
        async with self._slots:
            if self._is_closed:
                raise ToolError("The call was not run: the program is closing.")
            if self.stuck >= self._stuck_limit:
                raise ToolError(
                    f"The call was not run: {self.stuck} threads are stuck in tools that did not end in time."
                    ' Restart the program, and give such tools isolation="process": a process can be stopped.'
                )
            return await self._run(tool, arguments, context, seconds)

    async def _run(self, tool: Tool, arguments: dict[str, Any], context: Context, seconds: float) -> Any:
        loop = asyncio.get_running_loop()
        work = _ThreadCall(self._idle.pop() if self._idle else _start_thread(), loop.create_future())
        call = partial(_execute, tool.execute, arguments, for_thread(context, loop))

        def end(outcome: _ThreadOutcome) -> None:
            loop.call_soon_threadsafe(self._end, work, outcome)

        work.inbox.put(partial(_do, partial(copy_context().run, call), end))

        def expire() -> None:
            if not work.ended.done():
                work.ended.set_exception(TimeoutError())

        deadline = Deadline(context, seconds, monotonic(), expire)
        try:
            value, error = await work.ended
        except TimeoutError:
            self._give_up(work, context)
            effects = effects_of_stopped(tool.definition.effect)
            note = "; it could not be stopped, so its effects may still land" if effects != "none" else ""
            raise out_of_time(seconds, note, effects) from None
        except asyncio.CancelledError:
            self._give_up(work, context)
            raise
        finally:
            deadline.cancel()
        try:
            if error is None:
                return value
            if isinstance(error, Exception):
                raise error
            raise failed(error) from error
        finally:
            del error  # its traceback holds this frame

    def close(self) -> None:
        """Let idle threads end; busy ones end after their call."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _give_up(self, work: _ThreadCall, context: Context) -> None:
        work.is_given_up = True
        self.stuck += 1
        cancel(context)

    def _end(self, work: _ThreadCall, outcome: _ThreadOutcome) -> None:
        """The thread has come back, in time or not."""
        if work.is_given_up:
            self.stuck -= 1
        if self._is_closed or len(self._idle) >= self._size:
            work.inbox.put(None)
        else:
            self._idle.append(work.inbox)
        if not work.ended.done():
            work.ended.set_result(outcome)


def _start_thread() -> _Inbox:
    inbox: _Inbox = SimpleQueue()
    try:
        Thread(target=_serve, args=(inbox,), name="oneclaw-tool", daemon=True).start()
    except RuntimeError as error:
        raise ToolError(f"No thread could be started for the call: {describe(error)}.") from error
    return inbox


def _serve(inbox: _Inbox) -> None:
    """The life of a thread: one call after the other, until there is nobody to hear of it."""
    is_wanted = True
    while is_wanted:
        work = inbox.get()
        is_wanted = work is not None and work()
        del work  # a waiting thread keeps nothing of its last call alive


def _do(call: Callable[[], Any], end: Callable[[_ThreadOutcome], None]) -> bool:
    outcome: _ThreadOutcome
    try:
        outcome = (call(), None)
    except BaseException as error:
        outcome = (None, error)
    try:
        end(outcome)
    except RuntimeError:  # the loop has been closed meanwhile
        return False
    return True


def _execute(execute: Execute, arguments: dict[str, Any], context: Context) -> Any:
    value = execute(arguments, context)
    return asyncio.run(_wait_for(value, context)) if isawaitable(value) else value


async def _wait_for(awaitable: Any, context: Context) -> Any:
    """Await in the thread's own loop; there the end of the call can cancel the work after all."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def stop() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(task.cancel)

    context.on_cancel(stop)
    return await awaitable


def for_thread(context: Context, home: asyncio.AbstractEventLoop) -> Context:
    """The context as a thread may use it: a question to a person is asked in the loop of the caller."""

    async def require(need: str, reason: str) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_ask(context, need, reason), home))

    async def ask(text: str, options: Any, schema: Any, seconds: float | None) -> Any:
        asked = _put(context, text, options, schema, seconds)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked, home))

    inner = Context(
        call_id=context.call_id,
        session=context.session,
        secrets=context.secrets,
        progress=context.progress,
        require=require,
        tool=context.tool,
        seconds=context.seconds,
        redact=context.redact,
        ask=ask,
    )
    context.on_cancel(inner.cancel)
    return inner


async def _ask(context: Context, need: str, reason: str) -> None:
    await context.require(need, reason)


async def _put(context: Context, text: str, options: Any, schema: Any, seconds: float | None) -> Any:
    return await context.ask(text, options=options, schema=schema, seconds=seconds)
