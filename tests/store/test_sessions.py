"""Conversations in the store."""

from pathlib import Path

from oneclaw.store.db import Database
from oneclaw.store.sessions import Sessions, new_id


async def test_a_session_is_kept(path: Path, database: Database) -> None:
    made = await Sessions(database).create("helper", Path("/srv/work"), "Tax letters")
    database.close()
    with Database(path, read_only=True) as looking:
        found = Sessions(looking).get(made.id)
    assert found == made
    assert (made.agent, made.workspace, made.title) == ("helper", Path("/srv/work"), "Tax letters")


async def test_the_session_used_last_stands_first(database: Database) -> None:
    sessions = Sessions(database)
    first, second, third = [await sessions.create("a", Path("/")) for _ in range(3)]
    assert await sessions.touch(first.id, "Named later")
    assert [each.id for each in sessions.list()] == [first.id, third.id, second.id]
    assert [each.id for each in sessions.list(limit=1)] == [first.id]
    found = sessions.get(first.id)
    assert found is not None
    assert found.title == "Named later"
    assert found.updated > found.created


async def test_touching_keeps_the_title(database: Database) -> None:
    sessions = Sessions(database)
    made = await sessions.create("a", Path("/"), "Kept")
    await sessions.touch(made.id)
    assert [each.title for each in sessions.list()] == ["Kept"]


async def test_sessions_are_listed_by_agent(database: Database) -> None:
    sessions = Sessions(database)
    await sessions.create("one", Path("/"))
    await sessions.create("two", Path("/"))
    assert [each.agent for each in sessions.list(agent="two")] == ["two"]


async def test_there_is_no_session_of_an_unknown_id(database: Database) -> None:
    assert Sessions(database).get("nope") is None
    assert not await Sessions(database).touch("nope")


def test_ids_sort_by_time_and_do_not_meet() -> None:
    ids = [new_id() for _ in range(2000)]
    assert len({each.split("-")[1] for each in ids}) == 2000
    times = [each.split("-")[0] for each in ids]
    assert times == sorted(times)
    assert {len(each) for each in ids} == {29}
