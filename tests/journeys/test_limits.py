"""A limit is a limit: calls out of time are stopped as far as can be, and say what may still happen."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.processes import is_gone

from oneclaw import App, Config, Context, Kind, ToolCall, tool
from oneclaw.child.child import Child
from oneclaw.core.tool import Isolation, Tool

PATIENCE_SECONDS = 20.0


def wait_and_touch(folder: Path) -> None:
    """Say who we are, wait until told to go, then have an effect."""
    (folder / "pid").write_text(str(os.getpid()))
    until = time.monotonic() + PATIENCE_SECONDS
    while not (folder / "go").exists() and time.monotonic() < until:
        time.sleep(0.002)
    (folder / "landed").touch()


def slow(isolation: Isolation, effect: str = "write") -> Tool:
    @tool(name="slow", effect=effect, isolation=isolation, seconds=0.3)  # pyright: ignore[reportArgumentType]
    def slow(context: Context) -> str:
        """Take too long, then change something."""
        wait_and_touch(context.workspace.folder)
        return "done"

    return slow


@tool(effect="write", seconds=0.2)
async def dawdle(context: Context) -> str:
    """Wait in the loop for what never comes, then change something."""
    await asyncio.Event().wait()
    (context.workspace.folder / "landed").touch()
    return "done"


@tool(effect="read")
async def quick() -> str:
    """Answer at once."""
    return "here"


def landed(app: App, seconds: float) -> bool:
    """Let the effect happen if it can, and say whether it did."""
    folder = app.config.workspace_folder
    (folder / "go").touch()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (folder / "landed").exists():
            return True
        time.sleep(0.005)
    return False


async def test_a_coroutine_out_of_time_is_cancelled_and_never_lands(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[dawdle, quick]) as app:
        result = await app.engine.call(ToolCall("dawdle"))
        assert (result.kind, result.effects) == (Kind.TIMEOUT, "possible")
        assert result.message == "Tool execution timed out after 0.2s"
        assert (await app.engine.call(ToolCall("quick"))).value == "here"
        assert not landed(app, 0.1)
        (row,) = await app.store.calls.history(tool="dawdle")
        assert (row.status, row.kind, row.effects) == ("error", "timeout", "possible")
        assert row.seconds is not None
        assert 0.2 <= row.seconds < PATIENCE_SECONDS


async def test_a_thread_out_of_time_is_given_up_and_said_to_land_later(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[slow("thread"), quick]) as app:
        result = await app.engine.call(ToolCall("slow"))
        assert (result.kind, result.effects) == (Kind.TIMEOUT, "possible")
        assert "its effects may still land" in result.message
        assert (await app.engine.call(ToolCall("quick"))).value == "here"
        # Nobody can kill a thread: what the result says is what happens.
        assert landed(app, PATIENCE_SECONDS)


async def test_a_process_out_of_time_is_killed_and_never_lands(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[slow("process"), quick]) as app:
        result = await app.engine.call(ToolCall("slow"))
        assert (result.kind, result.effects) == (Kind.TIMEOUT, "possible")
        assert is_gone(int((app.config.workspace_folder / "pid").read_text()))
        assert (await app.engine.call(ToolCall("quick"))).value == "here"
        assert not landed(app, 0.2)
        again = await app.engine.call(ToolCall("slow"))
        assert again.value == "done", "a worker in its place serves the next call"


async def test_without_the_kill_it_would_land(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stay(self: Child) -> None: ...

    async with App(Config(home=tmp_path), tools=[slow("process")]) as app:
        with monkeypatch.context() as patched:
            patched.setattr(Child, "_end", lambda self: None)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
            patched.setattr(Child, "gone", stay)
            result = await app.engine.call(ToolCall("slow"))
        assert result.kind is Kind.TIMEOUT
        assert landed(app, PATIENCE_SECONDS)


@pytest.mark.parametrize("isolation", ["thread", "process"])
async def test_what_only_reads_has_changed_nothing_when_it_is_stopped(
    tmp_path: Path, isolation: Isolation
) -> None:
    async with App(Config(home=tmp_path), tools=[slow(isolation, "read")]) as app:
        result = await app.engine.call(ToolCall("slow"))
        assert (result.kind, result.effects) == (Kind.TIMEOUT, "none")
        assert "land" not in result.message
        if isolation == "process":
            assert not landed(app, 0.2)
        else:  # the tool said that it only reads, and does not
            assert landed(app, PATIENCE_SECONDS)


async def test_a_call_that_is_cancelled_is_killed_and_has_its_result_in_the_journal(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[replace_seconds(slow("process")), quick]) as app:
        folder = app.config.workspace_folder
        calls = [ToolCall("slow", {}, "slow"), ToolCall("quick", {}, "quick")]
        task = asyncio.ensure_future(app.engine.call_all(calls))
        while not (folder / "pid").exists() or not (folder / "pid").read_text():
            await asyncio.sleep(0.002)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert is_gone(int((folder / "pid").read_text()))
        rows = {row.call_id: row for row in await app.store.calls.history()}
        assert (rows["slow"].kind, rows["slow"].effects) == ("cancelled", "possible")
        assert rows["quick"].status == "success"
        assert not landed(app, 0.1)


def replace_seconds(tool: Tool) -> Tool:
    """The same tool with all the time it wants."""
    return replace(tool, definition=replace(tool.definition, seconds=60.0))


async def test_the_owner_sets_another_limit(tmp_path: Path) -> None:
    config = Config(home=tmp_path, values={"limits.tools.slow.seconds": 0.05})
    async with App(config, tools=[slow("thread")]) as app:
        result = await app.engine.call(ToolCall("slow"))
        assert result.message.startswith("Tool execution timed out after 0.05s")
        assert landed(app, PATIENCE_SECONDS)


STUCK = """
import asyncio, sys, threading
from pathlib import Path
from tests.processes import is_gone

from oneclaw import App, Config, ToolCall, tool

@tool(effect="write", seconds=0.2)
def stick() -> None:
    "Never end."
    threading.Event().wait()

@tool(effect="read", seconds=0.2)
async def stubborn() -> None:
    "Never end either."
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

@tool(effect="write", isolation="process", seconds=0.2)
def spin() -> None:
    "Spin."
    while True:
        pass

async def main():
    async with App(Config(home=Path(sys.argv[1])), tools=[stick, stubborn, spin]) as app:
        calls = [ToolCall(name) for name in ("stick", "stick", "stubborn", "spin")]
        print([str(result.kind) for result in await app.engine.call_all(calls)], flush=True)
        last = asyncio.ensure_future(app.engine.call(ToolCall("spin", {}, "last")))
        while not await app.store.calls.find("last"):
            await asyncio.sleep(0.001)
    print("closed", flush=True)

asyncio.run(main())
print("end", flush=True)
"""


async def test_the_end_of_the_program_waits_for_nothing_that_is_stuck(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", STUCK, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        assert program.stdout.readline() == f"{['timeout'] * 4}\n"
        assert program.stdout.readline() == "closed\n"
        started = time.monotonic()
        try:
            assert program.stdout.readline() == "end\n"
            assert program.wait(PATIENCE_SECONDS) == 0
        finally:
            program.kill()
        assert time.monotonic() - started < 5
    async with App(Config(home=tmp_path)).looking() as app:
        rows = await app.store.calls.history()
        assert len(rows) == 5
        assert all(row.status == "error" for row in rows)


async def test_stuck_threads_of_one_app_do_not_hold_up_another(tmp_path: Path) -> None:
    let_go = threading.Event()

    @tool(effect="write", seconds=0.05)
    def stick() -> None:
        """Stick."""
        let_go.wait(PATIENCE_SECONDS)

    config = Config(home=tmp_path, values={"limits.threads": 2})
    try:
        async with App(config, tools=[stick]) as one, App(config) as other:
            results = await one.engine.call_all([ToolCall("stick")] * 8)
            assert {result.kind for result in results} == {Kind.TIMEOUT}
            write = ToolCall("write_file", {"path": "a", "content": "b"})
            for app in (one, other):
                assert (await app.engine.call(write)).ok, "threads given up leave their places"
    finally:
        let_go.set()
