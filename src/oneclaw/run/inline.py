"""Runs a coroutine tool in its own task with a time limit.

Theory of operation. A coroutine without any `await` cannot wait: it runs where it stands, as a plain function
does. Any other runs in a task. From Python 3.12 the task starts eagerly: if it never waits, it ends at once,
without a turn of the event loop. On Python 3.11 the task starts with the next turn.

The tool's own `asyncio.timeout`, `TaskGroup` and anyio scopes cancel the tool's task; the caller's cancel
reaches the caller's task. A tool that must stop is stopped in steps, until its task has ended:

    deadline, caller's cancel    context.cancel(), then task.cancel()
    + grace                      task.cancel() again: a TaskGroup that waits for its children cancels them
    + 0.1 s                      the coroutine is closed
    + 0.1 s                      the task is abandoned: it waits for another task, which ignores cancels
"""

import asyncio
import dis
import sys
from contextvars import copy_context
from functools import lru_cache
from inspect import CORO_CREATED, getcoroutinestate, isawaitable, iscoroutine
from time import monotonic
from types import CodeType, CoroutineType
from typing import Any

from oneclaw.core.tool import Context, Execute
from oneclaw.run.abandon import Work, close
from oneclaw.run.deadline import Deadline
from oneclaw.run.failure import cancel, failed, out_of_time

_IS_EAGER = sys.version_info >= (3, 12)
_LAST_SECONDS = 0.1
_YIELD = dis.opmap["YIELD_VALUE"]


class _Ending(BaseException):
    """Carries SystemExit or KeyboardInterrupt out of the tool's task, where either would end the loop."""


async def run_inline(
    execute: Execute, arguments: dict[str, Any], context: Context, seconds: float, grace_seconds: float
) -> Any:
    """Runs `execute` and awaits its value. Raises `ToolError` when it takes too long."""
    started = monotonic()
    try:
        given = execute(arguments, context)
        if type(given) is CoroutineType:
            if not can_wait(given.cr_code):
                return copy_context().run(_finish, given)
        elif not isawaitable(given):
            return given
    except Exception:
        raise
    except BaseException as error:
        raise failed(error) from error
    work = _carry(given)
    task = _start(work)
    if not task.done():
        await _ToolWait(given, work, task, context, seconds, grace_seconds).wait(started)
    try:
        return task.result()
    except Exception:
        raise
    except BaseException as error:
        ended = _unpack(error)
        raise failed(ended) from ended
    finally:
        del task  # it holds the error, whose traceback holds this frame


@lru_cache(4096)
def can_wait(code: CodeType) -> bool:
    """Whether a coroutine of this code has an `await`, an `async with` or an `async for`."""
    return _YIELD in code.co_code[::2]


def _finish(given: Any) -> Any:
    """The value of a coroutine that cannot wait."""
    try:
        given.send(None)
    except StopIteration as end:
        return end.value


async def _carry(given: Any) -> Any:
    try:
        return await given
    except (KeyboardInterrupt, SystemExit) as error:
        raise _Ending from error


def _unpack(error: BaseException) -> BaseException:
    return error.__cause__ or error if isinstance(error, _Ending) else error


def _start(work: Work) -> asyncio.Task[Any]:
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12):
        return asyncio.Task(work, loop=loop, eager_start=True)
    return asyncio.Task(work, loop=loop)


class _ToolWait:
    """The caller's wait for the tool's task."""

    __slots__ = ("_context", "_given", "_grace_seconds", "_is_late", "_seconds", "_task", "_woken", "_work")

    def __init__(
        self,
        given: Any,
        work: Work,
        task: asyncio.Task[Any],
        context: Context,
        seconds: float,
        grace_seconds: float,
    ) -> None:
        self._given = given
        self._work = work
        self._task = task
        self._context = context
        self._seconds = seconds
        self._grace_seconds = grace_seconds
        self._is_late = False

    async def wait(self, started: float) -> None:
        """Return when the tool has ended in time; else stop it and raise."""
        callers: asyncio.CancelledError | None = None
        try:
            if not _IS_EAGER:
                await asyncio.sleep(0)  # the first step: most tools need no more, and no timer
            if not self._task.done():
                await self._end_or_deadline(started)
        except asyncio.CancelledError as error:
            callers = error
        except GeneratorExit:  # the caller itself is being closed
            self._close()
            raise
        if callers is None and not self._is_late:
            return
        cancel(self._context)
        callers = await self._stop() or callers
        try:
            if callers is not None:
                raise callers
            # What a stopped tool still has to say, it says with the error that stopped it.
            error = self._error()
            raise out_of_time(self._seconds, details=getattr(error, "details", None)) from error
        finally:
            del callers  # its traceback holds this frame

    async def _end_or_deadline(self, started: float) -> None:
        self._woken = asyncio.get_running_loop().create_future()
        self._task.add_done_callback(self._wake)
        deadline = Deadline(self._context, self._seconds, started, self._expire)
        try:
            await self._woken
        finally:
            deadline.cancel()

    def _expire(self) -> None:
        self._is_late = not self._task.done()
        self._wake()

    def _wake(self, _: Any = None) -> None:
        if not self._woken.done():
            self._woken.set_result(None)

    async def _stop(self) -> asyncio.CancelledError | None:
        """Stop the task step by step; return the caller's cancel if one arrives meanwhile."""
        task, callers = self._task, None
        for stop, seconds in (
            (task.cancel, self._grace_seconds),
            (task.cancel, _LAST_SECONDS),
            (self._close, _LAST_SECONDS),
        ):
            if task.done():
                break
            stop()
            until = monotonic() + seconds
            while not task.done() and (left := until - monotonic()) > 0:
                try:
                    await asyncio.wait((task,), timeout=left)
                except asyncio.CancelledError as error:
                    callers = error
                except GeneratorExit:  # as above
                    self._close()
                    raise
        return callers

    def _close(self) -> None:
        close(self._task, self._work)
        if iscoroutine(self._given) and getcoroutinestate(self._given) == CORO_CREATED:
            self._given.close()  # or Python warns that nobody awaited it

    def _error(self) -> BaseException | None:
        """How the task ended; of one that was cancelled, the very error that left the tool."""
        if not self._task.done():
            return None
        try:
            error = self._task.exception()
        except asyncio.CancelledError as cancelled:
            return cancelled
        return error and _unpack(error)
