"""The runner chooses by isolation, and a call is the same in the loop, in a thread and in a process."""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, get_args

import pytest
import pytest_asyncio

from oneclaw.core import engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Isolation, Tool, ToolDefinition
from oneclaw.run.runner import CallRunner

LONG = 30.0
LIMITS = {"inline": 0.3, "thread": 0.5, "process": 1.5}
"""Limits that are long enough to start a call, in seconds."""
each_isolation = pytest.mark.parametrize("isolation", get_args(Isolation))


@pytest_asyncio.fixture
async def runner() -> AsyncGenerator[engine.Runner]:
    runner = CallRunner(threads=1, processes=1)
    yield runner
    await runner.close()


def tool(isolation: Isolation, execute: Callable[[dict[str, Any], Context], Any]) -> Tool:
    return Tool(ToolDefinition(name="work", isolation=isolation), execute)


def where(arguments: dict[str, Any], context: Context) -> list[int]:
    return [os.getpid(), threading.get_ident()]


async def test_each_tool_runs_where_it_wants_to(runner: engine.Runner) -> None:
    places = {each: await runner.run(tool(each, where), {}, Context(), LONG) for each in get_args(Isolation)}
    here = [os.getpid(), threading.get_ident()]
    assert places["inline"] == here
    assert places["thread"][0] == here[0]
    assert places["thread"][1] != here[1]
    assert places["process"][0] != here[0]


@each_isolation
async def test_the_context_is_there_and_progress_is_passed_on(
    runner: engine.Runner, isolation: Isolation, tmp_path: Path
) -> None:
    told: list[tuple[str, float | None]] = []
    session = Session("s1", "agent", Workspace(tmp_path))
    context = Context(
        "c1", session, {"key": "value"}, lambda text, part: told.append((text, part)), tool="work"
    )

    def work(arguments: dict[str, Any], context: Context) -> Any:
        context.progress("half", 0.5)
        context.progress("done", 1)
        known = [context.call_id, context.tool, context.agent, str(context.workspace.folder)]
        return [*known, dict(context.secrets), context.cancelled]

    expected = ["c1", "work", "agent", str(tmp_path), {"key": "value"}, False]
    assert await runner.run(tool(isolation, work), {}, context, LONG) == expected
    assert told == [("half", 0.5), ("done", 1)]


@each_isolation
async def test_a_person_is_asked_in_the_loop_of_the_caller(
    runner: engine.Runner, isolation: Isolation
) -> None:
    home, asked = asyncio.get_running_loop(), list[tuple[str, str]]()

    async def require(need: str, reason: str) -> None:
        assert asyncio.get_running_loop() is home
        asked.append((need, reason))
        if need == "shell":
            raise ToolError("No shell.", Kind.PERMISSION_DENIED)

    async def work(arguments: dict[str, Any], context: Context) -> None:
        await asyncio.gather(context.require("network", "a"), context.require("mail", "b"))
        await context.require("shell", "c")

    with pytest.raises(ToolError, match="No shell") as caught:
        await runner.run(tool(isolation, work), {}, Context(require=require), LONG)
    assert caught.value.kind is Kind.PERMISSION_DENIED
    assert sorted(asked) == [("mail", "b"), ("network", "a"), ("shell", "c")]


@each_isolation
async def test_the_clock_stands_still_while_a_person_is_asked(
    runner: engine.Runner, isolation: Isolation
) -> None:
    limit = LIMITS[isolation]

    async def require(need: str, reason: str) -> None:
        await asyncio.sleep(limit + 0.1)

    async def work(arguments: dict[str, Any], context: Context) -> str:
        await context.require("network", "To look.")
        return "granted"

    context = Context(require=require)
    assert await runner.run(tool(isolation, work), {}, context, limit) == "granted"
    assert context.waited_seconds >= limit + 0.1


@pytest.mark.covers("FEAT004-ER-03", "FEAT004-FT-08")
@each_isolation
@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
async def test_an_exception_meant_to_end_the_program_is_a_failed_call(
    runner: engine.Runner, isolation: Isolation, error: type[BaseException]
) -> None:
    def fail(arguments: dict[str, Any], context: Context) -> None:
        raise error

    with pytest.raises(ToolError, match=f"Tool execution failed: {error.__name__}") as caught:
        await runner.run(tool(isolation, fail), {}, Context(), LONG)
    assert caught.value.kind is Kind.EXECUTION_ERROR
    assert await runner.run(tool(isolation, where), {}, Context(), LONG)


@pytest.mark.parametrize("isolation", ["thread", "process"])
async def test_a_call_cancelled_while_it_waits_for_its_turn_never_runs(
    runner: engine.Runner, isolation: Isolation, tmp_path: Path
) -> None:
    go, ran = tmp_path / "go", tmp_path / "ran"

    def wait(arguments: dict[str, Any], context: Context) -> str:
        while not go.exists():
            pass
        return "went"

    def mark(arguments: dict[str, Any], context: Context) -> None:
        ran.touch()

    first, second, third = (
        asyncio.ensure_future(runner.run(tool(isolation, each), {}, Context(), LONG))
        for each in (wait, mark, where)
    )
    await asyncio.sleep(0)
    second.cancel()
    go.touch()
    assert await first == "went"
    assert await third
    with pytest.raises(asyncio.CancelledError):
        await second
    assert not ran.exists()


async def test_a_closed_runner_refuses_what_needs_a_pool() -> None:
    runner = CallRunner()
    await runner.close()
    await runner.close()
    for isolation in ("thread", "process"):
        with pytest.raises(ToolError, match="closing") as caught:
            await runner.run(tool(isolation, where), {}, Context(), LONG)
        assert caught.value.kind is Kind.EXECUTION_ERROR


async def test_a_runner_that_was_not_used_has_started_nothing() -> None:
    before = threading.active_count(), os.listdir("/proc/self/fd")
    runner = CallRunner()
    assert (threading.active_count(), os.listdir("/proc/self/fd")) == before
    await runner.close()
