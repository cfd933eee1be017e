"""The API: a conversation from the first message to its last answer, and what stands around it."""

import asyncio
import json
from typing import Any

import pytest
from tests.web.conftest import HEADERS, Serve, Served
from websockets.asyncio.client import ClientConnection, connect

from oneclaw import tool
from oneclaw.testing import Call


def open_socket(served: Served) -> connect:
    address = served.server.address
    cookie = "; ".join(f"{name}={value}" for name, value in served.client.cookies.items())
    url = address.replace("http", "ws", 1) + "api/socket"
    return connect(url, origin=address.rstrip("/"), additional_headers={"cookie": cookie}, proxy=None)  # pyright: ignore[reportArgumentType]


async def watch(socket: ClientConnection, session: str, run: str = "", after: int = 0) -> None:
    await socket.send(json.dumps({"watch": {session: {"run": run, "after": after}}}))


async def events_until(socket: ClientConnection, last: str) -> list[dict[str, Any]]:
    """The events that come, until one of a type."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(30):
        while not found or found[-1]["event"] != last:
            found += json.loads(await socket.recv()).get("events", [])
    return found


async def test_a_message_starts_a_run_and_every_tab_sees_it_whole(serve: Serve) -> None:
    turns = [[Call("write_file", path="a.txt", content="Hi!")], "Written."]
    async with serve(turns) as served:
        sent = await served.post("/messages", text="Write it")
        async with open_socket(served) as early, open_socket(served) as late:
            await watch(early, sent["session"])
            seen = await events_until(early, "run_finished")
            await watch(late, sent["session"])
            again = await events_until(late, "run_finished")
        assert seen[0]["text"] == "Write it"
        for found in (seen, again):
            assert [
                each["message"]["parts"][-1]["type"]
                for each in found
                if "first" in each and "message" in each
            ]
            assert found[-1]["text"] == "Written."
            assert "tool_finished" in [each["event"] for each in found]
        (listed,) = await served.get("/sessions")
        assert (listed["id"], listed["mark"]) == (sent["session"], "")


async def test_a_tab_that_comes_back_reads_on_from_its_cursor(serve: Serve) -> None:
    async with serve(["One.", "Two."]) as served:
        sent = await served.post("/messages", text="first")
        async with open_socket(served) as socket:
            await watch(socket, sent["session"])
            first = await events_until(socket, "run_finished")
        await served.post("/messages", text="second", session=sent["session"])
        async with open_socket(served) as socket:
            await watch(socket, sent["session"], first[-1]["run"], first[-1]["number"])
            second = await events_until(socket, "run_finished")
        assert {each["run"] for each in second}.isdisjoint({first[-1]["run"]})
        assert second[0]["text"] == "second"


async def test_a_message_during_a_run_is_queued_and_can_be_withdrawn(serve: Serve) -> None:
    going = asyncio.Event()

    @tool(effect="read")
    async def wait_here() -> str:
        """Wait."""
        await going.wait()
        return "done"

    async with serve([[Call("wait_here")], "Read."], tools=[wait_here]) as served:
        sent = await served.post("/messages", text="go")
        kept = await served.post("/messages", text="and this", session=sent["session"])
        gone = await served.post("/messages", text="not this", session=sent["session"])
        assert kept["run"] == gone["run"] == sent["run"]
        withdrawn = await served.post(f"/runs/{sent['run']}/withdraw", message=gone["queued"])
        assert withdrawn == {"withdrawn": True}
        going.set()
        async with open_socket(served) as socket:
            await watch(socket, sent["session"])
            found = await events_until(socket, "run_finished")
        assert [each["text"] for each in found if each["event"] == "message_read"] == ["and this"]


async def test_a_question_comes_to_every_tab_and_is_answered_once(serve: Serve) -> None:
    turns = [[Call("write_file", path="a.txt", content="Hi!")], "Written."]
    async with serve(turns, permissions__mode="ask") as served, open_socket(served) as socket:
        sent = await served.post("/messages", text="Write it")
        await watch(socket, sent["session"])
        async with asyncio.timeout(30):
            while not (asked := json.loads(await socket.recv()).get("questions")):
                pass
        (question,) = asked
        assert (question["tool"], question["kind"]) == ("write_file", "permission")
        await served.post(f"/questions/{question['id']}/answer", answer="once")
        found = await events_until(socket, "run_finished")
        assert found[-1]["text"] == "Written."
        assert (served.app.config.workspace_folder / "a.txt").read_text() == "Hi!"
        second = await served.client.post(
            f"/api/questions/{question['id']}/answer", json={"answer": "no"}, headers=HEADERS
        )
        assert second.status_code == 400
        assert "answered already" in second.json()["error"]


async def test_a_run_is_stopped_and_goes_on(serve: Serve) -> None:
    @tool(effect="read")
    async def never() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return ""

    async with serve([[Call("never")], "Went on."], tools=[never]) as served, open_socket(served) as socket:
        sent = await served.post("/messages", text="go")
        await watch(socket, sent["session"])
        await events_until(socket, "tool_started")
        assert await served.post(f"/runs/{sent['run']}/stop") == {"stopped": True}
        assert (await events_until(socket, "run_finished"))[-1]["reason"] == "stopped"
        (run,) = await served.get("/runs")
        assert run["state"] == "stopped"
        await served.post(f"/runs/{sent['run']}/resume")
        async with open_socket(served) as other:
            await watch(other, sent["session"])
            while (await events_until(other, "run_finished"))[-1]["text"] != "Went on.":
                pass


async def test_sessions_are_renamed_copied_and_removed(serve: Serve) -> None:
    async with serve(["One."]) as served, open_socket(served) as socket:
        sent = await served.post("/messages", text="first")
        await watch(socket, sent["session"])
        await events_until(socket, "run_finished")
        await served.post(f"/sessions/{sent['session']}/rename", title="Mine")
        made = await served.post(f"/sessions/{sent['session']}/fork")
        titles = {one["id"]: one["title"] for one in await served.get("/sessions")}
        assert titles == {sent["session"]: "Mine", made["id"]: "Mine (copy)"}
        async with open_socket(served) as other:
            await watch(other, made["id"])
            copied = await events_until(other, "run_finished")
        assert [each["event"] for each in copied] == ["run_started", "answer_finished", "run_finished"]
        await served.post(f"/sessions/{sent['session']}/remove")
        assert [one["id"] for one in await served.get("/sessions")] == [made["id"]]


async def test_tools_features_and_grants_are_those_of_the_command_line(serve: Serve) -> None:
    async with serve() as served:
        names = {one["name"]: one for one in await served.get("/tools")}
        assert names["read_file"]["on"]
        (switched,) = await served.post("/tools/read_file/switch", on=False)
        assert not switched["on"]
        assert "read_file" in (await served.get("/tools/read_file/why"))["why"]["text"]
        assert (await served.post("/features/shell/switch", on=True))["on"]
        assert await served.get("/grants") == []
        assert {one["name"] for one in await served.get("/agents")} == {"default"}
        assert (await served.get("/models"))["models"][0]["model"] == "scripted/demo"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/messages", {}, 400),
        ("/messages", {"text": 5}, 400),
        ("/messages", {"text": "x", "more": 1}, 400),
        ("/messages", {"text": "x", "session": "nothing"}, 404),
        ("/messages", {"text": "x", "model": "nobody/knows"}, 404),
        ("/runs/nothing/stop", {}, 404),
        ("/tools/nothing/switch", {"on": True}, 404),
        ("/questions/nothing/answer", {"answer": "once"}, 404),
        ("/agents/UPPER", {"document": {}}, 400),
    ],
)
async def test_what_is_wrong_is_said_in_one_sentence(
    serve: Serve, path: str, body: dict[str, Any], status: int
) -> None:
    async with serve() as served:
        response = await served.client.post(f"/api{path}", json=body, headers=HEADERS)
        assert response.status_code == status
        assert 0 < len(response.json()["error"]) < 700


async def test_the_document_names_every_request(serve: Serve) -> None:
    async with serve() as served:
        document = await served.get("/openapi.json")
        assert document["paths"]["/api/messages"]["post"]["requestBody"]["required"]
        assert len(document["paths"]) > 15
