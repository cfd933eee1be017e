"""The cancel scopes (asyncio.timeout, TaskGroup, those of anyio) a suspended coroutine is inside of.

A scope of the tool's own cancels the very task that waits for the tool, so from outside its cancel looks like
the caller's. Which it is can be read from the coroutine: what it is inside of lies on its frames' stacks.
"""

import asyncio
import gc
import math
from collections.abc import Iterator
from contextlib import suppress
from types import MethodType
from typing import Any, cast

_FRAMES = 1_000
_WAITING = ("cr_await", "gi_yieldfrom", "ag_await")
_MANAGERS = ("_AsyncGeneratorContextManager", "_GeneratorContextManager")
_STEPS = ("async_generator", "async_generator_asend", "async_generator_athrow", "coroutine_wrapper")


def has_cancelled(coroutine: Any) -> bool:
    """Whether a scope the coroutine is inside of has cancelled the task and not yet taken it back."""
    return any(_asked(scope) for scope in _scopes(coroutine))


def disarm(coroutine: Any) -> None:
    """Keep the scopes of a coroutine that is given up from cancelling the task when it does other work."""
    for scope in _scopes(coroutine):
        with suppress(Exception):
            if isinstance(scope, asyncio.Timeout):
                scope.reschedule(None)
            elif isinstance(scope, asyncio.TaskGroup):
                cast(Any, scope)._abort()  # cancels its children as well, which nobody waits for any more
            else:
                scope.deadline = math.inf


def _asked(scope: Any) -> bool:
    # The states are private, but nothing public tells an expired scope from one that has ended.
    if isinstance(scope, asyncio.Timeout):
        return getattr(getattr(scope, "_state", None), "name", "") == "EXPIRING"
    if isinstance(scope, asyncio.TaskGroup):
        return getattr(scope, "_parent_cancel_requested", False) and not getattr(scope, "_exiting", False)
    return bool(scope.cancel_called and getattr(scope, "_active", True))


def _scopes(coroutine: Any) -> Iterator[Any]:
    frames = [coroutine]
    for _ in range(_FRAMES):
        if not frames:
            return
        frame = frames.pop()
        frames.extend(filter(None, (getattr(frame, name, None) for name in _WAITING)))
        for each in gc.get_referents(frame):
            held: Any = each.__self__ if type(each) is MethodType else each  # the __aexit__ that ends a block
            kind = cast(type[Any], type(held))  # the class as it is: isinstance may run code of the object
            if _is_scope(kind):
                yield held
            elif kind.__name__ in _MANAGERS:
                frames.append(held.gen)
            elif kind.__name__ in _STEPS:
                frames.append(held)


def _is_scope(kind: type[Any]) -> bool:
    if issubclass(kind, asyncio.Timeout | asyncio.TaskGroup):
        return True
    return kind.__name__ == "CancelScope" and kind.__module__.startswith("anyio.")
