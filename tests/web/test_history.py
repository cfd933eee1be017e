"""A session read from its end, and watched while a run of it goes on after it was cut off."""

import asyncio

import pytest
from tests.web.conftest import Serve

from oneclaw import tool
from oneclaw.operations.watching import watch_session
from oneclaw.testing import Call


async def test_a_session_is_read_backwards_page_by_page(serve: Serve) -> None:
    async with serve([f"Answer {number}." for number in range(5)]) as served:
        sent = {"session": ""}
        for number in range(5):
            text = f"Question {number}"
            sent = await served.post("/messages", text=text, session=sent["session"])
            await (served.app.runs.get(sent["run"]) or pytest.fail("the run is not there")).wait()
        session = sent["session"]
        last = await served.get(f"/sessions/{session}/history?runs=2")
        before = await served.get(f"/sessions/{session}/history?runs=2&before={last['before']}")
        first = await served.get(f"/sessions/{session}/history?runs=2&before={before['before']}")
        said = [
            [each["text"] for each in page["events"] if each["event"] == "run_started"]
            for page in (first, before, last)
        ]
        assert said == [["Question 0"], ["Question 1", "Question 2"], ["Question 3", "Question 4"]]
        assert first["before"] == 0
        assert (last["run"], last["after"]) == (sent["run"], last["events"][-1]["number"])


async def test_a_watcher_sees_a_stopped_run_go_on(serve: Serve) -> None:
    gate = asyncio.Event()

    @tool(effect="read")
    async def wait_here() -> str:
        """Wait."""
        await gate.wait()
        return "there"

    async with serve([[Call("wait_here")], "Done."], tools=[wait_here]) as served:
        app = served.app
        sent = await served.post("/messages", text="Go")
        seen: list[str] = []
        async for found in watch_session(app.store, sent["session"], runs=app.runs):
            seen += [type(each.event).__name__ for each in found]
            if "ToolStarted" in seen and "RunFinished" not in seen and not gate.is_set():
                gate.set()
                await served.post(f"/runs/{sent['run']}/stop")
            elif seen.count("RunFinished") == 1 and seen.count("RunStarted") == 1:
                await served.post(f"/runs/{sent['run']}/resume")
            elif seen.count("RunFinished") == 2:
                break
        assert seen.count("RunStarted") == 2
