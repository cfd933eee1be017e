"""Grants that outlive the program."""

from pathlib import Path

import pytest

from oneclaw.core.errors import StoreError
from oneclaw.core.permit.grant import Grant, GrantBook, MemoryBook, new_id
from oneclaw.store.grants import Grants
from oneclaw.store.sqlite import SqliteDatabase


def allow(tool: str = "write_file", **more: object) -> Grant:
    fields: dict[str, object] = {
        "id": new_id(),
        "need": "files.write",
        "tool": tool,
        "verdict": "allow",
        "scope": "agent",
        "holder": "helper",
        "pattern": {"path": "notes/*"},
        "digest": "a" * 64,
        "created": 5.0,
        "expires": 1e10,
    }
    return Grant(**{**fields, **more})  # pyright: ignore[reportArgumentType]


def deny(created: float) -> Grant:
    return allow(
        verdict="deny", scope="everywhere", holder="", pattern={}, digest="", expires=None, created=created
    )


async def both(database: SqliteDatabase) -> list[GrantBook]:
    return [MemoryBook(), Grants(database)]


async def test_a_grant_comes_back_as_it_was(path: Path, database: SqliteDatabase) -> None:
    made = [allow(), deny(created=6.0), allow(scope="session", holder="s-1", about="writes é", created=7.0)]
    for grant in made:
        await Grants(database).add(grant)
    database.close()
    with SqliteDatabase(path, read_only=True) as looking:
        assert list(await Grants(looking).all()) == made


async def test_it_answers_as_the_book_in_memory_does(database: SqliteDatabase) -> None:
    first, second, third = allow(created=3.0), allow("other", created=1.0), deny(created=2.0)
    for book in await both(database):
        for grant in (second, third, first):
            await book.add(grant)
        assert list(await book.of("write_file")) == [third, first]
        assert list(await book.all()) == [second, third, first]
        with pytest.raises(ValueError, match="already a grant"):
            await book.add(first)
        assert await book.revoke(third.id)
        assert not await book.revoke(third.id)
        assert list(await book.of("write_file")) == [first]
        assert list(await book.of("nope")) == []


async def test_each_change_is_another_version_and_a_look_is_not(database: SqliteDatabase) -> None:
    for book in await both(database):
        grant = allow()
        empty = book.version
        await book.add(grant)
        added = book.version
        assert book.version == added
        await book.revoke(grant.id)
        revoked = book.version
        assert len({empty, added, revoked}) == 3
        await book.revoke(grant.id)
        assert book.version == revoked


async def test_a_grant_of_another_program_is_seen_at_once_and_its_version_when_it_is_asked_for(
    path: Path, database: SqliteDatabase
) -> None:
    ours = Grants(database)
    before = ours.version
    with SqliteDatabase(path) as other:
        await Grants(other).add(allow())
    assert len(await ours.all()) == 1
    assert ours.version == before
    await ours.refresh()
    assert ours.version != before


async def test_calls_do_not_change_the_version_of_grants(database: SqliteDatabase) -> None:
    before = Grants(database).version
    await database.write("INSERT INTO settings VALUES ('a', '1')")
    assert Grants(database).version == before


async def test_a_grant_that_is_damaged_is_told_not_skipped(database: SqliteDatabase) -> None:
    await Grants(database).add(allow(id="bad"))
    await database.write("UPDATE grants SET digest = ''")
    with pytest.raises(StoreError, match="grant 'bad' that is not one"):
        await Grants(database).all()
    assert await Grants(database).revoke("bad")
