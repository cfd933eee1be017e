"""The server is killed in the middle of three runs: the next one shows what was done, and goes on."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.web.conftest import HEADERS, Serve, Served
from tests.web.test_api import open_socket

from oneclaw import tool

pytestmark = pytest.mark.slow

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from oneclaw import App, Config, Scripted, tool
from oneclaw.testing import Call
from oneclaw.web.server import Server

home = Path(sys.argv[1])

@tool(effect="write")
async def hold(name: str) -> str:
    "Begin, and never end."
    (home / name).touch()
    await asyncio.Event().wait()
    return ""

def turn(request):
    name = request.messages[0].text
    if len(request.messages) == 1:
        return [f"I begin {name}.", Call("write_file", path=f"{name}.txt", content=name)]
    return [Call("hold", name=name)]

async def main():
    config = Config(home=home, values={"models.default": "scripted/demo"})
    async with App(config, providers={"scripted": Scripted([turn], repeats=True)}, tools=[hold]) as app:
        server = Server(app, port=0)
        link = server.link().partition("#link=")[2]
        print(json.dumps({"address": server.address, "link": link}), flush=True)
        await server.serve()

asyncio.run(main())
"""
NAMES = ("ada", "bob", "cleo")


async def events_of(served: Served, session: str, last: str) -> list[dict[str, Any]]:
    """The events of a session until one of a type, which may be there already."""
    found: list[dict[str, Any]] = []
    async with open_socket(served) as socket, asyncio.timeout(60):
        await socket.send(json.dumps({"watch": {session: {"run": "", "after": 0}}}))
        while not any(each["event"] == last for each in found):
            found += json.loads(await socket.recv()).get("events", [])
    return found


async def kill_in_the_middle(home: Path) -> dict[str, str]:
    """Start three runs through the API, and kill the server while each is in a call; their runs by name."""
    begun = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, str(home), stdout=subprocess.PIPE, start_new_session=True
    )
    assert begun.stdout is not None
    try:
        told = json.loads(await begun.stdout.readline())
        runs: dict[str, str] = {}
        async with (
            httpx2.AsyncClient(base_url=told["address"], headers=HEADERS, trust_env=False) as client,
            asyncio.timeout(60),
        ):
            await client.post("/api/login", json={"link": told["link"]})
            for name in NAMES:
                runs[name] = (await client.post("/api/messages", json={"text": name})).json()["run"]
            for name in NAMES:
                while not (home / name).exists():
                    await asyncio.sleep(0.02)
    finally:
        os.kill(begun.pid, signal.SIGKILL)
        await begun.wait()
    return runs


async def test_three_runs_go_on_after_the_server_was_killed(serve: Serve, tmp_path: Path) -> None:
    runs = await kill_in_the_middle(tmp_path)

    @tool(effect="write")
    def hold(name: str) -> str:
        """Begin, and end."""
        return "held"

    async with serve(["Went on."] * 3, tools=[hold]) as served:
        listed = {one["id"]: one for one in await served.get("/runs?state=interrupted")}
        assert set(listed) == set(runs.values())
        for name, run in runs.items():
            session = listed[run]["session"]
            page = await served.get(f"/sessions/{session}/history")
            assert page["interrupted"] == [run]
            assert page["events"][0]["text"] == name
            assert (served.app.config.workspace_folder / f"{name}.txt").read_text() == name
            answers = [each["message"] for each in page["events"] if each["event"] == "answer_finished"]
            asked = [part["name"] for each in answers for part in each["parts"] if part["type"] == "call"]
            done = [each["tool"] for each in page["events"] if each["event"] == "tool_finished"]
            assert (asked, done) == (["write_file", "hold"], ["write_file"])
            calls = await served.app.store.calls.history(session=session)
            assert (calls[0].tool, calls[0].kind) == ("hold", "interrupted")
            sent = await served.post(f"/runs/{run}/resume")
            assert sent["run"] == run
            whole = await events_of(served, session, "run_finished")
            assert whole[-1]["text"] == "Went on."
        assert await served.get("/runs?state=interrupted") == []
        assert {one["state"] for one in await served.get("/runs")} == {"done"}
