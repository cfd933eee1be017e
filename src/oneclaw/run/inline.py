"""A coroutine run by hand inside the caller's task: free until it waits, stopped when its time is up.

Theory of operation. The first step is taken with `send(None)`: a coroutine that never waits ends there,
without task, timer or handle. One that waits is driven on by `_Suspended`, which passes each future it yields
up to the caller's task and each wake-up down to it, so `asyncio.current_task()` is the same all along and the
tool's own `asyncio.timeout` and `TaskGroup` work as everywhere.

    deadline    context.cancel(), then task.cancel(): CancelledError is thrown into the coroutine
    + grace     task.cancel() once more: the coroutine is closed; if it ignores even that, it is given up
    caller's    task.cancel() from outside: thrown into the coroutine; after the grace it is closed

Each task.cancel() of ours is taken back with task.uncancel(), as `asyncio.timeout` does. The caller's own
cancel, told from those of the tool's scopes by `Cancels`, is the only reason to raise CancelledError.
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
from oneclaw.run.cancels import Cancels
from oneclaw.run.deadline import Deadline
from oneclaw.run.failure import cancel, failed, out_of_time
from oneclaw.run.scope import disarm, frames_of, scopes_of

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
        "_context",
        "_grace_seconds",
        "_is_closing",
        "_is_late",
        "_is_left",
        "_loop",
        "_seconds",
        "_started",
        "_step",
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
        self._is_late = False
        self._is_left = False
        self._is_closing = False
        self._watch: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        task = asyncio.current_task()
        if task is None:
            self._work.close()
            raise RuntimeError("A tool that waits must be run inside an asyncio task.")
        self._cancels = Cancels(task)
        self._loop = asyncio.get_running_loop()
        deadline = Deadline(self._context, self._seconds, self._started, self._expire)
        value = failure = None
        try:
            value = yield from self._drive()
        except BaseException as error:
            if self._is_left:
                close(self._work)
                raise
            failure = error
        finally:
            deadline.cancel()
            if self._watch is not None:
                self._watch.cancel()
        try:
            yield from self._settle(failure)
        finally:
            del failure  # its traceback holds this frame
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
            if isinstance(thrown, asyncio.CancelledError):
                self._cancels.arrive(work)
            if self._is_closing:
                close(work)
                return None
            try:
                self._step = work.send(sent) if thrown is None else work.throw(thrown)
            except StopIteration as done:
                return done.value
            self._cancels.wait()
            if self._watch is None and self._cancels.is_callers:
                self._watch = self._loop.call_later(self._grace_seconds, self._look)
            thrown = None  # as above

    def _expire(self) -> None:
        """The time is up: cancel the coroutine, and close it after the grace."""
        self._is_late = True
        cancel(self._context)
        self._cancels.cancel()
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self._loop.call_later(self._grace_seconds, self._close)

    def _look(self) -> None:
        """The coroutine goes on though the caller has cancelled it: close it."""
        self._watch = None
        if self._cancels.is_callers:
            self._close()

    def _close(self) -> None:
        self._is_closing = True
        self._cancels.cancel()

    def _settle(self, error: BaseException | None) -> Generator[Any, Any, None]:
        """Raise what the call ends with, if it is not the value."""
        if self._cancels.settle():
            cancel(self._context)
            with suppress(asyncio.CancelledError):
                # From Python 3.13 a TaskGroup asks for the cancel anew; it comes now or at some later wait.
                yield
            if isinstance(error, asyncio.CancelledError):
                raise error
            raise asyncio.CancelledError from error
        if self._is_late:
            # What a stopped tool still has to say, it says with the error that stopped it.
            raise out_of_time(self._seconds, details=getattr(error, "details", None)) from error
        if self._is_closing:
            raise ToolError("The tool was stopped: it went on after it had been cancelled.", Kind.CANCELLED)
        if isinstance(error, Exception):
            raise error
        if error is not None:
            raise failed(error) from error


def close(work: _Work) -> None:
    """End a coroutine and disarm the scopes it was in. What refuses to end is kept for ever."""
    frames = frames_of(work)
    scopes = scopes_of(frames)
    with suppress(BaseException):  # nobody waits for what it raises now
        work.close()
    disarm([*scopes, *scopes_of(frames_of(work))])
    for frame in frames:  # one that waits on while it is closed is cut off from those that waited for it
        if _is_unfinished(frame):
            _keep_for_ever(frame)


def _is_unfinished(frame: Any) -> bool:
    return any(getattr(frame, name, None) is not None for name in ("cr_frame", "gi_frame", "ag_frame"))


def _keep_for_ever(frame: Any) -> None:
    # Freeing it would throw GeneratorExit into it again: noise now, and at exit, when no loop runs, a loop
    # around `await` that catches everything would spin for ever. A reference too many prevents both.
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(frame))
