"""Conversations in the store."""

from pathlib import Path

import pytest

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import AssistantMessage, TextPart, Usage, UserMessage
from oneclaw.core.permit.grant import Grant
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.grants import Grants
from oneclaw.store.messages import Messages
from oneclaw.store.sessions import Sessions, new_id
from oneclaw.store.sqlite import SqliteDatabase


async def test_a_session_is_kept(path: Path, database: SqliteDatabase) -> None:
    made = await Sessions(database).create("helper", Path("/srv/work"), "Tax letters")
    database.close()
    with SqliteDatabase(path, read_only=True) as looking:
        found = await Sessions(looking).get(made.id)
    assert found == made
    assert (made.agent, made.workspace, made.title) == ("helper", Path("/srv/work"), "Tax letters")


async def test_the_session_used_last_stands_first(database: SqliteDatabase) -> None:
    sessions = Sessions(database)
    first, second, third = [await sessions.create("a", Path("/")) for _ in range(3)]
    assert await sessions.touch(first.id, "Named later")
    assert [each.id for each in await sessions.list()] == [first.id, third.id, second.id]
    assert [each.id for each in await sessions.list(limit=1)] == [first.id]
    found = await sessions.get(first.id)
    assert found is not None
    assert found.title == "Named later"
    assert found.updated > found.created


async def test_touching_keeps_the_title(database: SqliteDatabase) -> None:
    sessions = Sessions(database)
    made = await sessions.create("a", Path("/"), "Kept")
    await sessions.touch(made.id)
    assert [each.title for each in await sessions.list()] == ["Kept"]


async def test_sessions_are_listed_by_agent(database: SqliteDatabase) -> None:
    sessions = Sessions(database)
    await sessions.create("one", Path("/"))
    await sessions.create("two", Path("/"))
    assert [each.agent for each in await sessions.list(agent="two")] == ["two"]


async def test_there_is_no_session_of_an_unknown_id(database: SqliteDatabase) -> None:
    assert await Sessions(database).get("nope") is None
    assert not await Sessions(database).touch("nope")


def test_ids_sort_by_time_and_do_not_meet() -> None:
    ids = [new_id() for _ in range(2000)]
    assert len({each.split("-")[1] for each in ids}) == 2000
    times = [each.split("-")[0] for each in ids]
    assert times == sorted(times)
    assert {len(each) for each in ids} == {29}


# ---------------------------------------------------------------------- find, totals, remove


async def test_a_session_is_found_by_the_beginning_of_either_half(database: SqliteDatabase) -> None:
    sessions = Sessions(database)
    await Messages(database).append(Session("019a00000000-aa11"), UserMessage("x"))
    await Messages(database).append(Session("019b00000000-bb22"), UserMessage("x"))
    for start in ("019a", "aa", "aa11", "019a00000000-aa11", "019a00000000-a"):
        found = await sessions.find(start)
        assert found is not None, start
        assert found.id == "019a00000000-aa11"
    for start in ("", "c", "%", "_19a", "019a00000000-aa112", "*"):
        assert await sessions.find(start) is None


async def test_a_beginning_that_several_share_is_refused_and_names_them(database: SqliteDatabase) -> None:
    for letter in "abcdefgh":
        await Messages(database).append(Session(f"019a-{letter}"), UserMessage("x"))
    with pytest.raises(InvalidConfig, match=r"019a-h, 019a-g.* and others; give more letters"):
        await Sessions(database).find("019a")


async def test_an_id_that_another_begins_with_is_found(database: SqliteDatabase) -> None:
    for name in ("abc", "abcd"):
        await Messages(database).append(Session(name), UserMessage("x"))
    found = await Sessions(database).find("abc")
    assert found is not None
    assert found.id == "abc"


async def test_last_is_where_a_person_talked_last(database: SqliteDatabase) -> None:
    sessions, messages = Sessions(database), Messages(database)
    assert await sessions.find("last") is None
    await messages.append(Session("mine"), UserMessage("x"))
    await messages.append(Session("child", parent=Session("mine")), UserMessage("x"))
    await sessions.create("a", Path("/"))  # nothing was said in it
    found = await sessions.find("last")
    assert found is not None
    assert found.id == "mine"


async def test_sessions_are_listed_with_what_they_took(database: SqliteDatabase) -> None:
    sessions, messages = Sessions(database), Messages(database)
    first = Session("first", "one")
    await messages.append(first, UserMessage("x"))
    await messages.append(first, AssistantMessage((TextPart("y"),), usage=Usage(10, 2, 1)), cost=0.5)
    await messages.append(first, AssistantMessage((TextPart("z"),), usage=Usage(20, 3)), cost=0.25)
    await messages.append(Session("second", "two"), UserMessage("x"))
    await sessions.create("two", Path("/"))
    listed = [(each.session.id, each.messages, each.usage, each.cost) for each in await sessions.totals()]
    assert listed == [("second", 1, Usage(), None), ("first", 3, Usage(30, 5, 1), 0.75)]
    assert [each.session.id for each in await sessions.totals(agent="one")] == ["first"]
    assert [each.session.id for each in await sessions.totals(limit=1)] == ["second"]
    assert len(await sessions.totals(is_empty_shown=True)) == 3
    assert len(await sessions.totals(agent="two", is_empty_shown=True)) == 2


async def test_a_removed_session_leaves_nothing_behind(
    database: SqliteDatabase, reads: ToolDefinition
) -> None:
    sessions, messages, calls, grants = (
        Sessions(database),
        Messages(database),
        Calls(database),
        Grants(database),
    )
    gone, stays = Session("gone"), Session("stays")
    child = Session("child", parent=gone)
    grandchild = Session("grandchild", parent=child)
    for session in (gone, stays, child, grandchild):
        await messages.append(session, UserMessage("x"))
        await messages.summarise(session.id, "short", 1)
        call = ToolCall("look", {}, "1")
        key = await calls.open(call, reads, session, {})
        await calls.close(key, ToolResult("1", "look"))
        allowed = Grant(
            id=f"g-{session.id}",
            tool="look",
            need="n",
            verdict="allow",
            scope="session",
            holder=session.id,
            digest="d",
        )
        await grants.add(allowed)
    await grants.add(
        Grant(id="agent", tool="t", need="n", verdict="allow", scope="agent", holder="gone", digest="d")
    )
    assert await sessions.remove("gone")
    assert not await sessions.remove("gone")
    assert [each.id for each in await sessions.list()] == ["stays"]
    for table in ("messages", "summaries", "calls"):
        assert await database.select(f"SELECT DISTINCT session FROM {table}") == [("stays",)]
    assert {each.id for each in await grants.all()} == {"g-stays", "agent"}


async def test_a_session_keeps_who_asked_it(database: SqliteDatabase) -> None:
    sessions = Sessions(database)
    above = await sessions.create("a", Path("/"))
    below = await sessions.create("b", Path("/"), parent=above.id)
    assert above.parent is None
    assert await sessions.get(below.id) == below
    assert below.parent == above.id
