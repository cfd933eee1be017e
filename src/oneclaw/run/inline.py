"""A coroutine run by hand inside the caller's task: free until it waits, stopped when its time is up.

Theory of operation. The first step is taken with `send(None)`: a coroutine that never waits ends there,
without task, timer or handle. One that waits is driven on by `_Suspended`, which passes each future it yields
up to the caller's task and each wake-up down to it, so `asyncio.current_task()` is the same all along and the
tool's own `asyncio.timeout` and `TaskGroup` work as everywhere.

    deadline    context.cancel(), then task.cancel(): CancelledError is thrown into the coroutine
    + grace     task.cancel() once more: the coroutine is closed; if it ignores even that, it is given up
    caller's    task.cancel() from outside: thrown into the coroutine; after the grace it is closed

Each task.cancel() of ours is taken back with task.uncancel(), as `asyncio.timeout` does. What is left over
then is the caller's cancel, and the only reason to raise CancelledError.
"""

import asyncio
from collections.abc import Generator
from contextlib import suppress
from inspect import isawaitable
from time import monotonic
from types import CoroutineType
from typing import Any, TypeAlias, cast

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context, Execute
from oneclaw.run.deadline import Deadline
from oneclaw.run.failure import cancel, failed, out_of_time
from oneclaw.run.scope import disarm, has_cancelled

_Work: TypeAlias = "CoroutineType[Any, Any, Any]"


async def run_inline(
    execute: Execute, arguments: dict[str, Any], context: Context, seconds: float, grace_seconds: float
) -> Any:
    """What `execute` gives, awaited where it is awaitable. Raises `ToolError` when it takes too long."""
    started = monotonic()
    try:
        given = execute(arguments, context)
        is_coroutine = type(given) is CoroutineType
        if not is_coroutine and not isawaitable(given):
            return given
    except Exception:
        raise
    except BaseException as error:
        raise failed(error) from error
    work = cast(_Work, given) if is_coroutine else _wait_for(given)
    try:
        step = work.send(None)
    except StopIteration as done:
        return done.value
    except Exception:
        raise
    except BaseException as error:
        raise failed(error) from error
    return await _Suspended(work, step, context, seconds, started, grace_seconds)


async def _wait_for(awaitable: Any) -> Any:
    return await awaitable


class _Suspended:
    """A coroutine that waits, and the timers that end it."""

    __slots__ = (
        "_cancels",
        "_cancels_before",
        "_context",
        "_grace_seconds",
        "_is_closing",
        "_is_late",
        "_is_left",
        "_loop",
        "_seconds",
        "_started",
        "_step",
        "_task",
        "_watch",
        "_work",
    )

    def __init__(
        self, work: _Work, step: Any, context: Context, seconds: float, started: float, grace_seconds: float
    ) -> None:
        self._work = work
        self._step = step
        self._context = context
        self._seconds = seconds
        self._started = started
        self._grace_seconds = grace_seconds
        self._cancels = 0
        self._is_late = False
        self._is_left = False
        self._is_closing = False
        self._watch: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        task = asyncio.current_task()
        if task is None:
            self._work.close()
            raise RuntimeError("A tool that waits must be run inside an asyncio task.")
        self._task: asyncio.Task[Any] = task
        self._cancels_before = task.cancelling()
        self._loop = asyncio.get_running_loop()
        deadline = Deadline(self._context, self._seconds, self._started, self._expire)
        try:
            value = yield from self._drive()
        except BaseException as error:
            if self._is_left:
                close(self._work)
            else:
                self._settle(error)
            raise
        finally:
            deadline.cancel()
            if self._watch is not None:
                self._watch.cancel()
        self._settle(None)
        return value

    def _drive(self) -> Generator[Any, Any, Any]:
        """Pass what the coroutine yields up and what comes back down, until it ends."""
        work = self._work
        while True:
            thrown = sent = None
            try:
                sent = yield self._step
            except GeneratorExit:  # the caller itself is being closed
                self._is_left = True
                raise
            except BaseException as error:
                thrown = error
            if self._is_closing:
                close(work)
                return None
            try:
                self._step = work.send(sent) if thrown is None else work.throw(thrown)
            except StopIteration as done:
                return done.value
            if self._watch is None and isinstance(thrown, asyncio.CancelledError):
                self._watch = self._loop.call_later(self._grace_seconds, self._look)
            thrown = None  # its traceback holds this frame

    def _expire(self) -> None:
        """The time is up: cancel the coroutine, and close it after the grace."""
        self._is_late = True
        cancel(self._context)
        self._cancel()
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self._loop.call_later(self._grace_seconds, self._close)

    def _look(self) -> None:
        """The coroutine goes on after a cancel: close it, unless one of its own scopes asked for that."""
        self._watch = None
        if self._task.cancelling() > self._cancels_before:
            if has_cancelled(self._work):
                self._watch = self._loop.call_later(self._grace_seconds, self._look)
            else:
                self._close()

    def _close(self) -> None:
        self._is_closing = True
        self._cancel()

    def _cancel(self) -> None:
        self._cancels += 1
        self._task.cancel()

    def _settle(self, error: BaseException | None) -> None:
        """Raise what the call ends with, if it is not the value."""
        for _ in range(self._cancels):
            self._task.uncancel()
        if self._task.cancelling() > self._cancels_before:
            cancel(self._context)
            if isinstance(error, asyncio.CancelledError):
                raise error
            raise asyncio.CancelledError from error
        if self._is_late:
            raise out_of_time(self._seconds) from error
        if self._is_closing:
            raise ToolError("The tool was stopped: it went on after it had been cancelled.", Kind.CANCELLED)
        if error is not None and not isinstance(error, Exception):
            raise failed(error) from error


def close(work: _Work) -> None:
    """End a coroutine; one that refuses to end is disarmed and kept for ever."""
    with suppress(BaseException):  # nobody waits for what it raises now
        work.close()
    if work.cr_frame is not None:
        disarm(work)
        _keep_for_ever(work)


def _keep_for_ever(work: _Work) -> None:
    # Freeing it would throw GeneratorExit into it again: noise now, and at exit, when no loop runs, a loop
    # around `await` that catches everything would spin for ever. A reference too many prevents both.
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(work))
