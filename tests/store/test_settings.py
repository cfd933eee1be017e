"""Settings in the store."""

from pathlib import Path

import pytest

from oneclaw.store.db import Database
from oneclaw.store.settings import Settings


async def test_a_setting_is_kept_and_replaced(path: Path, database: Database) -> None:
    settings = Settings(database)
    await settings.set("tools.read_file", {"on": False})
    await settings.set("tools.read_file", {"on": True, "note": "é"})
    database.close()
    with Database(path, read_only=True) as looking:
        assert Settings(looking).get("tools.read_file") == {"on": True, "note": "é"}


async def test_a_missing_setting_has_the_default(database: Database) -> None:
    assert Settings(database).get("nope") is None
    assert Settings(database).get("nope", 5) == 5


async def test_null_is_a_value(database: Database) -> None:
    await Settings(database).set("nothing", None)
    assert Settings(database).get("nothing", 5) is None


async def test_settings_are_listed_by_the_beginning_of_their_key(database: Database) -> None:
    settings = Settings(database)
    for key in ("tools.b", "tools.a", "toolsX", "other%"):
        await settings.set(key, key)
    assert list(settings.all("tools.")) == ["tools.a", "tools.b"]
    assert list(settings.all()) == ["other%", "tools.a", "tools.b", "toolsX"]
    assert settings.all("%") == {}


async def test_a_setting_is_forgotten_once(database: Database) -> None:
    await Settings(database).set("a", 1)
    assert await Settings(database).delete("a")
    assert not await Settings(database).delete("a")
    assert Settings(database).all() == {}


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
async def test_what_is_not_json_is_refused(database: Database, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        await Settings(database).set("a", value)
    assert Settings(database).all() == {}


async def test_a_changed_setting_changes_the_version(database: Database) -> None:
    settings = Settings(database)
    seen = {settings.version}
    await settings.set("a", 1)
    seen.add(settings.version)
    await settings.set("a", 2)
    seen.add(settings.version)
    await settings.delete("a")
    seen.add(settings.version)
    assert len(seen) == 4
