"""The cancel scopes (asyncio.timeout, TaskGroup, those of anyio) a suspended coroutine is inside of.

A scope of the tool's own cancels the very task that waits for the tool, so from outside its cancel looks like
the caller's. Which it is can be read from the coroutine: what it is inside of lies on its frames' stacks.
"""

import asyncio
import gc
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import MethodType
from typing import Any, cast

_FRAMES = 1_000
_WAITING = ("cr_await", "gi_yieldfrom", "ag_await")
_MANAGERS = ("_AsyncGeneratorContextManager", "_GeneratorContextManager")
_STACKS = ("AsyncExitStack", "ExitStack")
_STEPS = ("async_generator", "async_generator_asend", "async_generator_athrow", "coroutine_wrapper")


def cancelling_scopes(coroutine: Any) -> list[Any]:
    """The scopes around the coroutine that have cancelled the task."""
    return [scope for scope in scopes_of(frames_of(coroutine)) if _has_cancelled(scope)]


def cancels_again(scope: Any) -> bool:
    """Whether a scope cancels at every wait, as those of anyio do, and not only once."""
    return not isinstance(scope, asyncio.Timeout | asyncio.TaskGroup)


def forgets(scope: Any) -> bool:
    """Whether a scope never takes its cancel back, as a group that is ending before Python 3.13."""
    is_group = isinstance(scope, asyncio.TaskGroup)
    return is_group and getattr(scope, "_exiting", False) and sys.version_info < (3, 13)


def disarm(scopes: Iterable[Any]) -> None:
    """Keep scopes of a coroutine that is given up from cancelling the task when it does other work."""
    for scope in scopes:
        with suppress(Exception):
            if isinstance(scope, asyncio.Timeout):
                scope.reschedule(None)
            elif isinstance(scope, asyncio.TaskGroup):
                cast(Any, scope)._abort()  # cancels its children as well, which nobody waits for any more
            else:
                scope.deadline = math.inf


def _has_cancelled(scope: Any) -> bool:
    # The states are private, but nothing public tells an expired scope from one that has ended.
    if isinstance(scope, asyncio.Timeout):
        return getattr(getattr(scope, "_state", None), "name", "") == "EXPIRING"
    if isinstance(scope, asyncio.TaskGroup):
        return getattr(scope, "_parent_cancel_requested", False)
    return bool(scope.cancel_called and getattr(scope, "_active", True))


def frames_of(coroutine: Any) -> list[Any]:
    """The coroutine, what it waits for, what that waits for, and the generators their blocks are made of."""
    frames = [coroutine]
    for frame in frames:  # which grows meanwhile
        frames.extend(filter(None, (getattr(frame, name, None) for name in _WAITING)))
        for held in _held_by(frame):
            name = type(held).__name__
            if name in _MANAGERS:
                frames.append(held.gen)
            elif name in _STEPS:
                frames.append(held)
        if len(frames) > _FRAMES:
            break
    return frames


def scopes_of(frames: Iterable[Any]) -> list[Any]:
    """The scopes the frames are inside of."""
    found: dict[int, Any] = {}
    for frame in frames:
        for held in _held_by(frame):
            if _is_scope(cast(type[Any], type(held))):
                found[id(held)] = held
    return list(found.values())


def _held_by(frame: Any) -> Iterator[Any]:
    """What a frame holds: variables, and for each block it is in the method that ends it."""
    for each in gc.get_referents(frame):
        held: Any = each.__self__ if type(each) is MethodType else each
        yield held
        if type(held).__name__ in _STACKS:
            for _, leave in getattr(held, "_exit_callbacks", ()):
                yield getattr(leave, "__self__", None)


def _is_scope(kind: type[Any]) -> bool:
    # By the class as it is: isinstance may run code of the object.
    if issubclass(kind, asyncio.Timeout | asyncio.TaskGroup):
        return True
    return kind.__name__ == "CancelScope" and kind.__module__.startswith("anyio.")
