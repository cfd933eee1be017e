"""The terminal and the page in step: a run of one is watched in the other, and messages reach it."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import ONECLAW
from tests.web.conftest import Serve
from tests.web.test_api import events_until, open_socket, watch

from oneclaw import tool
from oneclaw.testing import Call

pytestmark = pytest.mark.slow

PROGRAM = """
import asyncio, sys
from pathlib import Path
from oneclaw import App, Config, Scripted, tool
from oneclaw.testing import Call

home = Path(sys.argv[1])

@tool(effect="read")
async def hold() -> str:
    "Wait for a file."
    (home / "held").touch()
    while not (home / "go").exists():
        await asyncio.sleep(0.02)
    return "held"

async def main():
    config = Config(home=home, values={"models.default": "scripted/demo"})
    turns = [[Call("hold")], "Said in the terminal."]
    async with App(config, providers={"scripted": Scripted(turns)}, tools=[hold]) as app:
        handle = await app.runs.start("default", "From the terminal")
        print(handle.id, handle.session.id, flush=True)
        await handle.wait()

asyncio.run(main())
"""


async def test_a_run_of_the_page_is_watched_in_the_terminal(serve: Serve, tmp_path: Path) -> None:
    going = asyncio.Event()

    @tool(effect="read")
    async def hold() -> str:
        """Wait."""
        await going.wait()
        return "held"

    async with serve([[Call("hold")], "Said in the page."], tools=[hold]) as served:
        sent = await served.post("/messages", text="From the page")
        environment = {**os.environ, "ONECLAW_HOME": str(tmp_path)}
        watching = await asyncio.create_subprocess_exec(
            *ONECLAW, "watch", sent["run"], env=environment, stdout=subprocess.PIPE
        )
        assert watching.stdout is not None
        async with asyncio.timeout(60):
            shown = b""
            while b"From the page" not in shown:
                shown += await watching.stdout.readline()
            going.set()
            shown += await watching.stdout.read()
        assert b"Said in the page." in shown
        assert await watching.wait() == 0


async def start_elsewhere(home: Path) -> tuple[asyncio.subprocess.Process, str, str]:
    """A run in another program, which waits in a call."""
    begun = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, str(home), stdout=subprocess.PIPE
    )
    assert begun.stdout is not None
    run, session = (await begun.stdout.readline()).decode().split()
    async with asyncio.timeout(60):
        while not (home / "held").exists():
            await asyncio.sleep(0.02)
    return begun, run, session


async def test_a_run_of_the_terminal_is_watched_in_the_page(serve: Serve, tmp_path: Path) -> None:
    async with serve() as served, open_socket(served) as socket:
        begun, run, session = await start_elsewhere(tmp_path)
        await watch(socket, session)
        started = await events_until(socket, "tool_started")
        assert (started[0]["run"], started[0]["text"]) == (run, "From the terminal")
        marks: list[Any] = [one["mark"] for one in await served.get("/sessions")]
        assert marks == ["running"]
        (tmp_path / "go").touch()
        found = await events_until(socket, "run_finished")
        assert found[-1]["text"] == "Said in the terminal."
        assert await begun.wait() == 0


async def test_a_message_of_the_page_is_read_by_a_run_of_the_terminal(serve: Serve, tmp_path: Path) -> None:
    async with serve() as served, open_socket(served) as socket:
        begun, run, session = await start_elsewhere(tmp_path)
        sent = await served.post("/messages", text="And this", session=session)
        assert (sent["run"], bool(sent["queued"])) == (run, True)
        gone = await served.post("/messages", text="Not this", session=session)
        assert await served.post(f"/runs/{run}/withdraw", message=gone["queued"]) == {"withdrawn": True}
        await watch(socket, session)
        found = await events_until(socket, "message_queued")
        (tmp_path / "go").touch()
        found += await events_until(socket, "run_finished")
        assert [each["text"] for each in found if each["event"] == "message_read"] == ["And this"]
        assert await begun.wait() == 0
        said = [getattr(each.message, "text", "") for each in await served.app.store.messages.load(session)]
        assert said == ["From the terminal", "", "", "And this", "Said in the terminal."]
