"""Agents in the store."""

import math
from pathlib import Path

import pytest

from oneclaw.store.agents import Agents
from oneclaw.store.sqlite import SqliteDatabase


async def test_an_agent_is_kept_changed_and_forgotten(path: Path, database: SqliteDatabase) -> None:
    agents = Agents(database)
    assert await agents.get("writer") is None
    await agents.save("writer", {"instructions": "Write. é\ud800"})
    await agents.save("another", {})
    await agents.save("writer", {"instructions": "Write well.", "limits": {"rounds": 3}})
    with SqliteDatabase(path, read_only=True) as looking:
        assert await Agents(looking).get("writer") == {"instructions": "Write well.", "limits": {"rounds": 3}}
        assert list(await Agents(looking).all()) == ["another", "writer"]
    assert await agents.remove("writer")
    assert not await agents.remove("writer")
    assert await agents.all() == {"another": {}}


async def test_a_change_keeps_when_the_agent_was_made(database: SqliteDatabase) -> None:
    agents = Agents(database)
    await agents.save("a", {})
    first = (await database.select("SELECT created, updated FROM agents"))[0]
    await agents.save("a", {"model": "m"})
    second = (await database.select("SELECT created, updated FROM agents"))[0]
    assert second[0] == first[0]
    assert second[1] > first[1]


@pytest.mark.parametrize("value", [math.nan, object(), {1, 2}])
async def test_what_is_no_json_is_refused(database: SqliteDatabase, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        await Agents(database).save("a", {"x": value})
    assert await Agents(database).all() == {}
