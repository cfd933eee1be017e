"""Events as the store keeps them: one row for the calls of a round, told one by one to a late reader."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import AssistantMessage, TextPart
from oneclaw.core.run_event import AnswerFinished
from oneclaw.core.session import Session, Workspace
from oneclaw.store.runs import RunRecord
from oneclaw.store.store import Store


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    with Store(path) as opened:
        for run, session, parent in (("r", "s", None), ("child", "t", "r")):
            record = RunRecord(
                id=run, session=session, root="r", parent=parent, agent="a", model="m", limits={}
            )
            await opened.runs.start(record)
        yield opened


async def finish(store: Store, tmp_path: Path, number: int, run: str = "r") -> None:
    """A call of a run, in the journal and told."""
    session = Session("s" if run == "r" else "t", "a", Workspace(tmp_path), run=run)
    result = ToolResult(f"c{number}", "count", number)
    await store.calls.record(ToolCall("count", {"n": number}, result.call_id), session, {"n": number}, result)
    event = ToolFinished(result.call_id, "count", session.id, "a", result)
    store.events.add("r", Envelope(number, 1.0, run, session.id, "", event, number))


async def rows(store: Store) -> list[tuple[str, int]]:
    await store.database.flush()
    return await store.database.select("SELECT type, number FROM events WHERE root = 'r' ORDER BY number")


async def answer(store: Store, tmp_path: Path, number: int) -> None:
    session = Session("s", "a", Workspace(tmp_path), run="r")
    message = AssistantMessage((TextPart("Hi."),))
    store.events.add("r", Envelope(number, 1.0, "r", "s", "", AnswerFinished(message), number))
    store.messages.add(session, message)


async def test_the_calls_of_a_round_stand_in_the_row_of_the_next_answer(store: Store, tmp_path: Path) -> None:
    for number in range(1, 21):
        await finish(store, tmp_path, number)
    await answer(store, tmp_path, 21)
    assert await rows(store) == []
    told = await store.events.read("r")
    assert [each.number for each in told] == list(range(1, 22))
    results = [each.event.result.value for each in told if isinstance(each.event, ToolFinished)]
    assert results == list(range(1, 21))
    assert [each.number for each in await store.events.read("r", 18)] == [19, 20, 21]


async def test_calls_of_another_run_have_a_row_of_their_own_and_keep_their_order(
    store: Store, tmp_path: Path
) -> None:
    await finish(store, tmp_path, 1)
    await finish(store, tmp_path, 2, "child")
    await answer(store, tmp_path, 3)
    assert await rows(store) == [("tools_finished", 1), ("tools_finished", 2)]
    told = await store.events.read("r")
    assert [(each.number, each.run) for each in told] == [(1, "r"), (2, "child"), (3, "r")]
    assert [each.number for each in await store.events.read("r", run="child")] == [2]


async def test_no_row_holds_more_than_500_calls(store: Store, tmp_path: Path) -> None:
    for number in range(1, 503):
        await finish(store, tmp_path, number)
    await answer(store, tmp_path, 503)
    assert await rows(store) == [("tools_finished", 500)]
    assert [each.number for each in await store.events.read("r")] == list(range(1, 504))


async def test_an_answer_whose_event_an_earlier_version_kept_is_read(store: Store, tmp_path: Path) -> None:
    session = Session("s", "a", Workspace(tmp_path), run="r")
    store.messages.add(session, AssistantMessage((TextPart("Hi."),)))
    await store.calls.record(ToolCall("count", {}, "c3"), session, {}, ToolResult("c3", "count", 3))
    sql = (
        "INSERT INTO events (root, number, first, run, created, type, body, message)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    body = '[[3,3,1.0,"c3","Counts"]]'
    await store.database.write(sql, ("r", 4, 2, "r", 1.0, "answer_finished", body, 1))
    call, told = await store.events.read("r", 2)
    assert (call.number, told.number, told.first) == (3, 4, 2)
    assert told.event.message.text == "Hi."
    await answer(store, tmp_path, 9)
    await store.database.flush()
    assert [each.number for each in await store.events.read("r")] == [3, 4, 9]
    assert await store.events.last("r") == 9


async def test_the_event_of_an_answer_that_is_not_kept_is_not_kept(store: Store, tmp_path: Path) -> None:
    lost = AssistantMessage((TextPart("Hi."),))
    store.events.add("r", Envelope(1, 1.0, "r", "s", "", AnswerFinished(lost), 1))
    await answer(store, tmp_path, 2)
    await store.database.flush()
    assert [each.number for each in await store.events.read("r")] == [2]
