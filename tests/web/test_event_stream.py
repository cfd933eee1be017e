"""Events for programs, and requests that are sent twice."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from tests.web.conftest import HEADERS, Serve, Served

from oneclaw import tool
from oneclaw.operations import conversing
from oneclaw.operations.access import AccessBook, access_file
from oneclaw.testing import Call
from oneclaw.web import event_stream
from oneclaw.web import request_gate as gate

Found = list[tuple[str, dict[str, Any]]]


@asynccontextmanager
async def reading(served: Served, session: str, query: str = "", **headers: str) -> AsyncGenerator[Any]:
    """The lines of the stream of a session."""
    path = f"/api/sessions/{session}/events{query}"
    async with served.client.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield response.aiter_lines()


async def read_until(lines: Any, last: str) -> Found:
    """The events that come with their ids, until one of a type."""
    found: Found = []
    number = ""
    async with asyncio.timeout(30):
        async for line in lines:
            name, _, value = line.partition(": ")
            number = value if name == "id" else number
            if name == "data":
                found.append((number, json.loads(value)))
                if found[-1][1]["event"] == last:
                    return found
    raise AssertionError("the stream has ended")


async def test_a_program_reads_from_any_number_and_goes_on_live(serve: Serve) -> None:
    going = asyncio.Event()

    @tool(effect="read")
    async def wait_here() -> str:
        """Wait."""
        await going.wait()
        return "done"

    async with serve([[Call("wait_here")], "Read.", "More."], tools=[wait_here]) as served:
        sent = await served.post("/messages", text="go")
        async with reading(served, sent["session"]) as lines:
            first = await read_until(lines, "tool_started")
            going.set()
            rest = await read_until(lines, "run_finished")
        whole = [*first, *rest]
        assert [event["number"] for _, event in whole] == sorted(event["number"] for _, event in whole)
        at = first[-1][1]["number"]
        for query, headers in (
            (f"?run={sent['run']}&after={at}", {}),
            (f"?after={at}", {}),
            ("", {"last-event-id": first[-1][0]}),
        ):
            async with reading(served, sent["session"], query, **headers) as lines:
                again = await read_until(lines, "run_finished")
            assert min(event["number"] for _, event in again) > at
            assert again[-1] == rest[-1]
        async with reading(served, sent["session"], f"?after={rest[-1][1]['number']}") as lines:
            await served.post("/messages", text="more", session=sent["session"])
            more = await read_until(lines, "run_finished")
        assert more[0][1]["text"] == "more"
        assert more[-1][1]["text"] == "More."


async def test_a_stream_needs_a_login_or_a_token(serve: Serve) -> None:
    async with serve(["One."]) as served:
        sent = await served.post("/messages", text="go")
        path = f"{served.server.address}api/sessions/{sent['session']}/events"
        token = AccessBook(access_file(served.app.config.home)).make_token("program")
        async with httpx2.AsyncClient(trust_env=False) as other:
            assert (await other.get(path)).status_code == 401
            async with other.stream("GET", path, headers={"authorization": f"Bearer {token}"}) as response:
                assert response.status_code == 200
                await read_until(response.aiter_lines(), "run_finished")
        assert (await served.client.get("/api/sessions/nothing/events")).status_code == 404


async def test_streams_are_bounded(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(["One."]) as served:
        sent = await served.post("/messages", text="go")
        monkeypatch.setattr(gate, "MOST_STREAMS", 1)
        async with reading(served, sent["session"]) as lines:
            await read_until(lines, "run_finished")
            response = await served.client.get(f"/api/sessions/{sent['session']}/events")
            assert response.status_code == 503
            monkeypatch.setattr(gate, "MOST_STREAMS", 2)  # the twin
            async with reading(served, sent["session"]) as more:
                await read_until(more, "run_finished")


async def test_a_stream_without_events_still_beats(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.05)
    async with serve(["One."]) as served:
        sent = await served.post("/messages", text="go")
        async with reading(served, sent["session"]) as lines, asyncio.timeout(30):
            await read_until(lines, "run_finished")
            beats = 0
            async for line in lines:
                beats += line == ": here"
                if beats == 3:
                    break


async def test_a_message_that_is_sent_twice_runs_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(["One.", "Two.", "Three."]) as served:
        said = {"text": "go", "id": "8d1c"}
        first, second = await asyncio.gather(
            served.post("/messages", **said), served.post("/messages", **said)
        )
        assert first == second == await served.post("/messages", **said)
        assert len(await served.get("/runs")) == 1
        await served.post("/messages", text="go")
        assert len(await served.get("/runs")) == 2

        async def claim(request_id: str) -> bool:
            return True

        monkeypatch.setattr(served.app.store.requests, "claim", claim)  # the twin
        await served.post("/messages", **said)
        assert len(await served.get("/runs")) == 3


async def test_a_queued_message_that_is_sent_twice_is_read_once(serve: Serve) -> None:
    going = asyncio.Event()

    @tool(effect="read")
    async def wait_here() -> str:
        """Wait."""
        await going.wait()
        return "done"

    async with serve([[Call("wait_here")], "Read."], tools=[wait_here]) as served:
        sent = await served.post("/messages", text="go")
        said = {"text": "and this", "session": sent["session"], "id": "again"}
        assert await served.post("/messages", **said) == await served.post("/messages", **said)
        going.set()
        async with reading(served, sent["session"]) as lines:
            found = await read_until(lines, "run_finished")
        assert [event["text"] for _, event in found if event["event"] == "message_read"] == ["and this"]


async def test_a_request_that_failed_may_be_sent_again_and_one_that_was_cut_off_is_told(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversing, "_LOOKS", 1)
    async with serve(["One."]) as served:
        wrong = {"text": "go", "session": "nothing", "id": "x"}
        for _ in range(2):
            response = await served.client.post("/api/messages", json=wrong, headers=HEADERS)
            assert response.status_code == 404
        await served.post("/messages", text="go", id="x")
        await served.app.store.requests.claim("cut off")  # by a program that was killed then
        given = {"text": "go", "id": "cut off"}
        response = await served.client.post("/api/messages", json=given, headers=HEADERS)
        assert response.status_code == 409
        assert "look at the session" in response.json()["error"]
