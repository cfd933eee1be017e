"""A limit is a limit: calls out of time are stopped as far as can be, and say what may still happen."""

import asyncio
import time
from pathlib import Path

import pytest

from oneclaw import App, Config, Context, Kind, ToolCall, tool
from oneclaw.core.tool import Isolation, Tool

PATIENCE_SECONDS = 20.0


def wait_and_touch(folder: Path) -> None:
    """Wait until told to go, then have an effect."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (folder / "go").exists() and time.monotonic() < until:
        time.sleep(0.002)
    (folder / "landed").touch()


def slow(isolation: Isolation) -> Tool:
    @tool(name="slow", effect="write", isolation=isolation, seconds=0.3)
    def slow(context: Context) -> str:
        """Take too long, then change something."""
        wait_and_touch(context.workspace.folder)
        return "done"

    return slow


@tool(effect="write", seconds=0.3)
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


@pytest.mark.parametrize(
    ("tool", "note", "lands"),
    [
        (dawdle, "", False),
        # Nobody can kill a thread: what the result says is what happens.
        (slow("thread"), "its effects may still land", True),
        (slow("process"), "", False),
    ],
    ids=["inline", "thread", "process"],
)
async def test_a_call_out_of_time_says_what_may_still_happen(
    tmp_path: Path, tool: Tool, note: str, lands: bool
) -> None:
    async with App(Config(home=tmp_path), tools=[tool, quick]) as app:
        result = await app.engine.call(ToolCall(tool.name))
        assert (result.kind, result.effects) == (Kind.TIMEOUT, "possible")
        assert result.message.startswith("Tool execution timed out after 0.3s")
        assert note in result.message
        assert (await app.engine.call(ToolCall("quick"))).value == "here"
        assert landed(app, PATIENCE_SECONDS if lands else 0.2) == lands
        (row,) = await app.store.calls.history(tool=tool.name)
        assert (row.status, row.kind, row.effects) == ("error", "timeout", "possible")
        assert row.seconds is not None
        assert row.seconds >= 0.3


async def test_the_owner_sets_another_limit(tmp_path: Path) -> None:
    config = Config(home=tmp_path, values={"limits.tools.slow.seconds": 0.05})
    async with App(config, tools=[slow("thread")]) as app:
        result = await app.engine.call(ToolCall("slow"))
        assert result.message.startswith("Tool execution timed out after 0.05s")
        assert landed(app, PATIENCE_SECONDS)
