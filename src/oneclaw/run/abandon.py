"""Ends the task of a tool that ignores cancellation."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeAlias

Work: TypeAlias = "Coroutine[Any, Any, Any]"
_MOST = 1_000


def close(task: asyncio.Task[Any], work: Work) -> None:
    """Close the coroutine and end its task. A coroutine that refuses to end is kept for ever."""
    chain = _chain(work)
    if _ignores_close(chain[-1]):
        _keep_for_ever(chain[-1])
    with suppress(BaseException):  # nobody waits for what it raises now
        work.close()
    for each in chain:
        if getattr(each, "cr_frame", None) or getattr(each, "gi_frame", None):
            _keep_for_ever(each)
    task.add_done_callback(_forget)
    with suppress(RuntimeError):  # the loop is closed
        task.cancel()


def _chain(work: Any) -> list[Any]:
    """The coroutine, what it awaits, what that awaits and so on."""
    chain = [work]
    while len(chain) < _MOST:
        work = getattr(work, "cr_await", None) or getattr(work, "gi_yieldfrom", None)
        if work is None:
            break
        chain.append(work)
    return chain


def _ignores_close(step: Any) -> bool:
    """Whether the step of an asynchronous generator goes on; before Python 3.13 `close` does not reach it."""
    if type(step).__name__ not in ("async_generator_asend", "async_generator_athrow"):
        return False
    with suppress(BaseException):
        step.throw(GeneratorExit)
        return True
    return False


def _forget(task: asyncio.Task[Any]) -> None:
    """Look at the exception, so that asyncio does not report it."""
    if not task.cancelled():
        task.exception()


def _keep_for_ever(step: Any) -> None:
    # Freeing it would throw GeneratorExit into it again: noise now, and at exit, when no loop runs, a loop
    # around `await` that catches everything would spin for ever. A reference too many prevents both.
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(step))
