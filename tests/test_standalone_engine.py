"""An engine on its own, without an app, a store or settings."""

import os

from oneclaw import Engine, Kind, Registry, ToolCall, tool
from oneclaw.permissions import Policy, Rules


@tool
def plus(a: int, b: int) -> int:
    """Add."""
    return a + b


@tool(isolation="process")
def where() -> int:
    """Give the number of the process."""
    return os.getpid()


async def test_an_engine_needs_a_registry_only() -> None:
    async with Engine(Registry([plus, where])) as engine:
        assert (await engine.call(ToolCall("plus", {"a": 1, "b": 2}))).value == 3
        assert (await engine.call(ToolCall("where"))).value != os.getpid()
        assert (await engine.call(ToolCall("plus", {"a": "x"}))).kind is Kind.VALIDATION_ERROR


async def test_an_engine_says_why_a_tool_is_not_there() -> None:
    async with Engine(Registry([plus]), policy=Policy(Rules(deny=("plus",)))) as engine:
        assert engine.why("plus").text == 'plus is not available to agent default: tools.deny has "plus".'
        assert (await engine.call(ToolCall("plus", {"a": 1, "b": 2}))).kind is Kind.TOOL_NOT_AVAILABLE
