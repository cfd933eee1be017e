"""Writes of one turn of the event loop: one commit for many tasks, and none is lost, mixed up or held up."""

import asyncio
import logging
from pathlib import Path

import pytest
from tests.store.wal import commits

from oneclaw.core.errors import StoreError
from oneclaw.store.database import WriteResult
from oneclaw.store.sqlite import SqliteDatabase

_ADD = "INSERT INTO settings VALUES (?, ?)"
_SESSION = "INSERT INTO sessions (id, agent, workspace, created, updated) VALUES ('s', '', '', 0, 0)"
_KEYED = "INSERT INTO messages (session, number, created, role, content) VALUES ('s', ?, 0, 'user', '{}')"


async def keys(database: SqliteDatabase) -> list[str]:
    return [key for (key,) in await database.select("SELECT key FROM settings ORDER BY key")]


async def test_what_many_tasks_write_in_one_turn_is_one_commit(path: Path, database: SqliteDatabase) -> None:
    before = commits(path)
    writing = [database.write(_ADD, (f"{number:03}", "1")) for number in range(200)]
    written = await asyncio.gather(*writing)
    assert [each.rows for each in written] == [1] * 200
    assert await keys(database) == [f"{number:03}" for number in range(200)]
    assert commits(path) - before == 2, "the first task is alone as far as it knows"


async def test_one_after_the_other_they_are_as_many_commits(path: Path, database: SqliteDatabase) -> None:
    before = commits(path)
    for number in range(20):
        await database.write(_ADD, (str(number), "1"))
    assert commits(path) - before == 20


async def test_a_task_that_is_alone_waits_for_no_turn(database: SqliteDatabase) -> None:
    turned: list[int] = []
    asyncio.get_running_loop().call_soon(turned.append, 1)
    for number in range(3):
        await database.write(_ADD, (str(number), "1"))
    assert not turned


async def test_each_task_gets_the_key_of_its_own_row(database: SqliteDatabase) -> None:
    await database.write(_SESSION)
    undo = "DELETE FROM messages WHERE id = ?"
    got = await asyncio.gather(*(database.insert(_KEYED, (number,), undo) for number in range(50)))
    rows = await database.select("SELECT number, id FROM messages ORDER BY number")
    assert [key for _, key in rows] == got


async def test_a_bad_row_among_many_fails_alone(database: SqliteDatabase) -> None:
    names = ["a", "b", "b", "c"]
    outcomes = await asyncio.gather(
        *(database.write(_ADD, (name, "1")) for name in names), return_exceptions=True
    )
    assert [isinstance(each, WriteResult) for each in outcomes] == [True, True, False, True]
    assert isinstance(outcomes[2], StoreError)
    assert await keys(database) == ["a", "b", "c"]


async def test_a_task_cancelled_while_it_waits_has_written_and_an_insert_is_undone(
    database: SqliteDatabase,
) -> None:
    await database.write(_SESSION)
    await asyncio.sleep(0)
    undo = "DELETE FROM messages WHERE id = ?"
    first = asyncio.ensure_future(database.write(_ADD, ("first", "1")))
    written = asyncio.ensure_future(database.write(_ADD, ("written", "1")))
    undone = asyncio.ensure_future(database.insert(_KEYED, (1,), undo))
    asyncio.get_running_loop().call_soon(written.cancel)
    asyncio.get_running_loop().call_soon(undone.cancel)
    outcomes = await asyncio.gather(first, written, undone, return_exceptions=True)
    assert [type(each) for each in outcomes] == [WriteResult, asyncio.CancelledError, asyncio.CancelledError]
    assert await keys(database) == ["first", "written"]
    assert await database.select("SELECT count(*) FROM messages") == [(0,)]


async def test_rows_for_later_go_with_the_next_commit(path: Path, database: SqliteDatabase) -> None:
    before = commits(path)
    for name in ("a", "b"):
        database.add_later(_ADD, (name, "1"))
    assert commits(path) == before
    await database.write(_ADD, ("c", "1"))
    assert await keys(database) == ["a", "b", "c"]
    assert commits(path) - before == 1


async def test_a_row_for_later_is_taken_back_only_while_it_is_the_last(database: SqliteDatabase) -> None:
    first, last = ("a", "1"), ("b", "1")
    like_it = last[:1] + last[1:]
    database.add_later(_ADD, first)
    database.add_later(_ADD, last)
    assert [database.take_back(values) for values in (first, like_it, last, last)] == [
        False,
        False,
        True,
        False,
    ]
    await database.flush()
    assert await keys(database) == ["a"]
    assert not database.take_back(first), "it is written"


async def test_rows_for_later_are_written_also_when_nothing_else_is(database: SqliteDatabase) -> None:
    database.add_later(_ADD, ("a", "1"))
    async with asyncio.timeout(10):
        while not await keys(database):
            await asyncio.sleep(0.005)


async def test_a_bad_row_for_later_is_named_and_costs_no_other(
    database: SqliteDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "a", "b"):
        database.add_later(_ADD, (name, "1"))
    with caplog.at_level(logging.WARNING):
        await database.write(_ADD, ("c", "1"))
    assert await keys(database) == ["a", "b", "c"]
    assert "A row could not be written" in caplog.text


async def test_rows_for_later_outlive_their_event_loop(path: Path, database: SqliteDatabase) -> None:
    async def add() -> None:
        database.add_later(_ADD, ("a", "1"))

    await asyncio.to_thread(asyncio.run, add())
    await asyncio.to_thread(database.close)
    with SqliteDatabase(path) as again:
        assert await keys(again) == ["a"]
