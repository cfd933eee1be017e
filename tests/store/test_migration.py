"""The shape of the store, step by step."""

import sqlite3
from pathlib import Path

import pytest

from oneclaw.core.errors import StoreError
from oneclaw.store import migration
from oneclaw.store.db import Database


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    folder = tmp_path / "steps"
    folder.mkdir()
    for number, path in migration.steps().items():
        (folder / path.name).write_text(path.read_text())
        assert number == int(path.name[:4])
    return folder


@pytest.fixture
def connection(path: Path) -> sqlite3.Connection:
    Database(path).close()
    return sqlite3.connect(path, isolation_level=None)


def test_the_steps_are_numbered_without_gaps() -> None:
    assert list(migration.steps()) == list(range(1, len(migration.steps()) + 1))


def test_a_new_store_has_taken_every_step(path: Path) -> None:
    with Database(path) as database:
        assert database.select("PRAGMA user_version") == [(max(migration.steps()),)]
        assert database.select("PRAGMA journal_mode") == [("wal",)]
        names = {name for (name,) in database.select("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert {"sessions", "calls", "grants", "settings"} <= names


def test_a_missing_step_is_taken_and_what_was_there_stays(
    path: Path, steps: Path, connection: sqlite3.Connection
) -> None:
    connection.execute("INSERT INTO settings VALUES ('a', '1')")
    (steps / "0002_more.sql").write_text(
        "-- a comment; with a semicolon\n"
        "CREATE TABLE more (x TEXT DEFAULT ';');\n"
        "CREATE TRIGGER t AFTER INSERT ON more\nBEGIN\n  DELETE FROM more;\n  SELECT 1;\nEND;\n"
        "INSERT INTO settings VALUES ('b', '2');"
    )
    migration.migrate(connection, steps)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert connection.execute("SELECT key FROM settings ORDER BY key").fetchall() == [("a",), ("b",)]
    migration.migrate(connection, steps)
    assert connection.execute("SELECT count(*) FROM settings").fetchone() == (2,)
    assert migration.check(connection, path, steps) == 2
    connection.close()


@pytest.mark.parametrize("bad", ["INSERT INTO nowhere VALUES (1);", "SELECT 'never ends"])
def test_a_step_that_fails_leaves_nothing_behind(
    steps: Path, connection: sqlite3.Connection, bad: str
) -> None:
    (steps / "0002_more.sql").write_text(f"CREATE TABLE more (x);\n{bad}")
    with pytest.raises((sqlite3.OperationalError, ValueError)):
        migration.migrate(connection, steps)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall() == []
    assert not connection.in_transaction
    connection.close()


def test_a_store_of_an_older_version_is_brought_up_to_date_and_can_then_be_looked_at(
    path: Path, steps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Database(path).close()
    (steps / "0002_more.sql").write_text("CREATE TABLE more (x);")
    monkeypatch.setattr(migration.steps, "__defaults__", (steps,))
    monkeypatch.setattr(migration.check, "__defaults__", (steps,))
    monkeypatch.setattr(migration.migrate, "__defaults__", (steps,))
    with pytest.raises(StoreError, match="of an older OneClaw"):
        Database(path, read_only=True)
    Database(path).close()
    with Database(path, read_only=True) as looking:
        assert looking.select("SELECT * FROM more") == []
