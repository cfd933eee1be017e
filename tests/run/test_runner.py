"""The runner chooses by isolation, and is what the engine asks for."""

import os
import threading
from typing import Any, get_args

import pytest

from oneclaw.core import engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context, Isolation, Tool, ToolDefinition
from oneclaw.run.runner import CallRunner


def where(arguments: dict[str, Any], context: Context) -> list[int]:
    return [os.getpid(), threading.get_ident()]


def tool(isolation: Isolation) -> Tool:
    return Tool(ToolDefinition(name="where", isolation=isolation), where)


async def test_each_tool_runs_where_it_wants_to() -> None:
    runner: engine.Runner = CallRunner()
    places = {each: await runner.run(tool(each), {}, Context(), 30) for each in get_args(Isolation)}
    here = [os.getpid(), threading.get_ident()]
    assert places["inline"] == here
    assert places["thread"][0] == here[0]
    assert places["thread"][1] != here[1]
    assert places["process"][0] != here[0]
    assert isinstance(runner, CallRunner)
    await runner.close()


async def test_a_closed_runner_refuses_what_needs_a_pool() -> None:
    runner = CallRunner()
    await runner.close()
    await runner.close()
    for isolation in ("thread", "process"):
        with pytest.raises(ToolError, match="closing") as caught:
            await runner.run(tool(isolation), {}, Context(), 30)
        assert caught.value.kind is Kind.EXECUTION_ERROR


async def test_a_runner_that_was_not_used_has_started_nothing() -> None:
    before = threading.active_count(), os.listdir("/proc/self/fd")
    runner = CallRunner()
    assert (threading.active_count(), os.listdir("/proc/self/fd")) == before
    await runner.close()
