"""Hooks: the owner's functions that see a call before it runs and its result afterwards.

A hook before a call gets the call, the tool's definition, the checked arguments and the session.
It returns nothing to let the call pass, or one of `Block`, `Rewrite` and `Answer`. A hook after a
call gets the call, its result and the session, and may return another result. Either may be async.
A hook that raises blocks the call.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition


@dataclass(frozen=True, slots=True)
class Block:
    """Refuse the call; the model is told the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Run the call with these arguments instead; they are checked again."""

    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Give this value in place of running the tool."""

    value: Any


HookVerdict = Block | Rewrite | Answer | None
Before = Callable[[ToolCall, ToolDefinition, dict[str, Any], Session], HookVerdict | Awaitable[HookVerdict]]
After = Callable[[ToolCall, ToolResult, Session], ToolResult | Awaitable[ToolResult | None] | None]


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of an engine, run in the order given."""

    before: tuple[Before, ...] = ()
    after: tuple[After, ...] = ()


def ask(
    hook: Before, call: ToolCall, definition: ToolDefinition, arguments: dict[str, Any], session: Session
) -> HookVerdict | Awaitable[HookVerdict]:
    """A hook's verdict before the call; raises `ToolError` when it fails.

    It is given a copy of the arguments: those it would have run are in a `Rewrite`, and checked again.
    """
    try:
        return hook(call, definition, _copy(arguments), session)
    except BaseException as error:  # one that calls sys.exit has failed, as a tool that does
        raise _not_run(error) from error


async def heed(said: Block | Rewrite | Answer | Awaitable[HookVerdict]) -> Rewrite | Answer | None:
    """The verdict of a hook that said something; raises `ToolError` when it blocks or fails."""
    try:
        verdict = await said if isawaitable(said) else said
    except BaseException as error:
        if _is_callers(error):
            raise
        raise _not_run(error) from error
    if isinstance(verdict, Block):
        raise ToolError(f"The call was blocked: {verdict.reason}", Kind.PERMISSION_DENIED)
    if verdict is not None and not isinstance(verdict, Rewrite | Answer):  # pyright: ignore[reportUnnecessaryIsInstance]
        named = type(verdict).__name__
        raise ToolError(f"A hook returned {named} and not a verdict, so the call was not run.")
    return verdict


def _copy(arguments: dict[str, Any]) -> dict[str, Any]:
    for value in arguments.values():
        if type(value) is dict or type(value) is list:
            return deepcopy(arguments)
    return arguments.copy()


def _not_run(error: BaseException) -> ToolError:
    return ToolError(f"A hook failed, so the call was not run: {describe(error)}")


def _is_callers(error: BaseException) -> bool:
    """Whether an exception from an async hook is the cancellation of the call itself."""
    task = asyncio.current_task()
    is_cancelled = task is not None and task.cancelling() > 0
    return isinstance(error, GeneratorExit) or (isinstance(error, asyncio.CancelledError) and is_cancelled)


def show(
    hook: After, call: ToolCall, result: ToolResult, session: Session
) -> ToolResult | Awaitable[ToolResult | None] | None:
    """A hook's version of a result; a failing hook withholds it."""
    try:
        return hook(call, result, session)
    except BaseException as error:
        return _withheld(result, error)


async def take(result: ToolResult, said: ToolResult | Awaitable[ToolResult | None]) -> ToolResult:
    """The result that a hook gave in place of another, or that other one where it gave none."""
    try:
        changed = await said if isawaitable(said) else said
        if changed is None:
            return result
        if not isinstance(changed, ToolResult):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"it returned {type(changed).__name__} and not a result")
        return replace(changed, call_id=result.call_id, tool=result.tool)
    except BaseException as error:
        if _is_callers(error):
            raise
        return _withheld(result, error)


def _withheld(result: ToolResult, error: BaseException) -> ToolResult:
    message = f"A hook failed on the result, which is therefore withheld: {describe(error)}"
    return replace(result, value=None, images=(), details=None, kind=Kind.EXECUTION_ERROR, message=message)
