"""Settings in the store."""

from pathlib import Path

import pytest

from oneclaw.store.settings import StoredSettings
from oneclaw.store.sqlite import SqliteDatabase


async def test_a_setting_is_kept_and_replaced(path: Path, database: SqliteDatabase) -> None:
    settings = StoredSettings(database)
    await settings.set("tools.read_file", {"on": False})
    await settings.set("tools.read_file", {"on": True, "note": "é"})
    database.close()
    with SqliteDatabase(path, read_only=True) as looking:
        assert await StoredSettings(looking).get("tools.read_file") == {"on": True, "note": "é"}


async def test_a_missing_setting_has_the_default(database: SqliteDatabase) -> None:
    assert await StoredSettings(database).get("nope") is None
    assert await StoredSettings(database).get("nope", 5) == 5


async def test_null_is_a_value(database: SqliteDatabase) -> None:
    await StoredSettings(database).set("nothing", None)
    assert await StoredSettings(database).get("nothing", 5) is None


async def test_settings_are_listed_by_the_beginning_of_their_key(database: SqliteDatabase) -> None:
    settings = StoredSettings(database)
    for key in ("tools.b", "tools.a", "toolsX", "other%"):
        await settings.set(key, key)
    assert list(await settings.all("tools.")) == ["tools.a", "tools.b"]
    assert list(await settings.all()) == ["other%", "tools.a", "tools.b", "toolsX"]
    assert await settings.all("%") == {}


async def test_a_setting_is_forgotten_once(database: SqliteDatabase) -> None:
    await StoredSettings(database).set("a", 1)
    assert await StoredSettings(database).delete("a")
    assert not await StoredSettings(database).delete("a")
    assert await StoredSettings(database).all() == {}


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
async def test_what_is_not_json_is_refused(database: SqliteDatabase, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        await StoredSettings(database).set("a", value)
    assert await StoredSettings(database).all() == {}


async def test_a_changed_setting_changes_the_version(database: SqliteDatabase) -> None:
    settings, seen = StoredSettings(database), set[int]()

    async def note() -> None:
        rows = await database.select("SELECT number FROM versions WHERE name = 'settings'")
        seen.add(rows[0][0])

    await note()
    await settings.set("a", 1)
    await note()
    await settings.set("a", 2)
    await note()
    await settings.delete("a")
    await note()
    assert len(seen) == 4
