"""The shape of the store, step by step."""

import sqlite3
from pathlib import Path

import pytest

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import StoreError
from oneclaw.core.message import AssistantMessage, CallPart, Message, ResultsMessage, UserMessage
from oneclaw.core.message_json import to_json
from oneclaw.core.session import Session
from oneclaw.store import migration
from oneclaw.store.calls import Calls
from oneclaw.store.memories import Memories
from oneclaw.store.messages import Messages
from oneclaw.store.sessions import Sessions
from oneclaw.store.sqlite import SqliteDatabase

NEXT = max(migration.steps()) + 1
NEXT_FILE = f"{NEXT:04}_more.sql"


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
    SqliteDatabase(path).close()
    return sqlite3.connect(path, isolation_level=None)


def test_the_steps_are_numbered_without_gaps() -> None:
    assert len(migration.steps()) == len(list(migration.FOLDER.glob("*.sql")))  # no number is used twice
    assert list(migration.steps()) == list(range(1, len(migration.steps()) + 1))


async def test_a_new_store_has_taken_every_step(path: Path) -> None:
    with SqliteDatabase(path) as database:
        assert await database.select("PRAGMA user_version") == [(max(migration.steps()),)]
        assert await database.select("PRAGMA journal_mode") == [("wal",)]
        names = {
            name for (name,) in await database.select("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        assert {"sessions", "calls", "grants", "settings", "messages", "agents"} <= names


def test_a_sqlite_that_is_too_old_is_told_before_anything_is_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration, "OLDEST", (99, 1, 0))
    with pytest.raises(StoreError, match=r"the store needs 99\.1\.0 or newer"):
        SqliteDatabase(path)
    assert not path.exists()


def test_a_missing_step_is_taken_and_what_was_there_stays(
    path: Path, steps: Path, connection: sqlite3.Connection
) -> None:
    connection.execute("INSERT INTO settings VALUES ('a', '1')")
    (steps / NEXT_FILE).write_text(
        "-- a comment; with a semicolon\n"
        "CREATE TABLE more (x TEXT DEFAULT ';');\n"
        "CREATE TRIGGER t AFTER INSERT ON more\nBEGIN\n  DELETE FROM more;\n  SELECT 1;\nEND;\n"
        "INSERT INTO settings VALUES ('b', '2');"
    )
    migration.migrate(connection, steps)
    assert connection.execute("PRAGMA user_version").fetchone() == (NEXT,)
    assert connection.execute("SELECT key FROM settings ORDER BY key").fetchall() == [("a",), ("b",)]
    migration.migrate(connection, steps)
    assert connection.execute("SELECT count(*) FROM settings").fetchone() == (2,)
    assert migration.check(connection, path, steps) == NEXT
    connection.close()


@pytest.mark.parametrize("bad", ["INSERT INTO nowhere VALUES (1);", "SELECT 'never ends"])
def test_a_step_that_fails_leaves_nothing_behind(
    steps: Path, connection: sqlite3.Connection, bad: str
) -> None:
    (steps / NEXT_FILE).write_text(f"CREATE TABLE more (x);\n{bad}")
    with pytest.raises((sqlite3.OperationalError, ValueError)):
        migration.migrate(connection, steps)
    assert connection.execute("PRAGMA user_version").fetchone() == (NEXT - 1,)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall() == []
    assert not connection.in_transaction
    connection.close()


@pytest.fixture
def older(path: Path, steps: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that was made before the last step was."""
    SqliteDatabase(path).close()
    (steps / NEXT_FILE).write_text("CREATE TABLE more (x);")
    for function in (migration.steps, migration.check, migration.migrate):
        monkeypatch.setattr(function, "__defaults__", (steps,))
    return path


async def test_whoever_looks_at_a_store_of_an_older_version_brings_it_up_to_date(older: Path) -> None:
    with SqliteDatabase(older, read_only=True) as looking:
        assert await looking.select("SELECT * FROM more") == []
        with pytest.raises(StoreError, match="read only"):
            await looking.write("INSERT INTO more VALUES (1)")


def test_an_older_store_that_cannot_be_written_is_said_to_be_one(older: Path) -> None:
    living = older.with_name(older.name + "-live")
    for each in living.iterdir():
        each.unlink()
    living.rmdir()
    living.write_text("no folder")
    with pytest.raises(StoreError, match="of an older OneClaw and cannot be brought up to date"):
        SqliteDatabase(older, read_only=True)


async def test_a_store_from_before_conversations_keeps_its_sessions_and_calls(
    path: Path, steps: Path
) -> None:
    first = steps.parent / "first"
    first.mkdir()
    for step in steps.glob("0001_*.sql"):
        step.rename(first / step.name)
    path.parent.mkdir(parents=True)
    old = sqlite3.connect(path, isolation_level=None)
    old.execute(f"PRAGMA application_id = {migration.APPLICATION}")
    migration.migrate(old, first)
    old.execute("INSERT INTO sessions VALUES ('s', 'helper', '/w', 'Old', 1.0, 2.0)")
    old.execute(
        "INSERT INTO calls (started, status, session, agent, call_id, tool, process)"
        " VALUES (1.0, 'success', 's', 'helper', 'c', 'look', 'p')"
    )
    old.close()
    with SqliteDatabase(path) as database:
        found = await Sessions(database).get("s")
        assert found is not None
        assert (found.title, found.parent) == ("Old", None)
        assert [(each.call_id, each.parent) for each in await Calls(database).history(session="s")] == [
            ("c", "")
        ]
        messages = Messages(database)
        assert await messages.append(Session("s"), UserMessage("hello")) == 1


async def test_memories_from_before_parts_of_words_are_found_by_them(path: Path, steps: Path) -> None:
    for step in steps.glob("*.sql"):
        if int(step.name[:4]) > 5:
            step.unlink()
    path.parent.mkdir(parents=True)
    old = sqlite3.connect(path, isolation_level=None)
    old.execute(f"PRAGMA application_id = {migration.APPLICATION}")
    migration.migrate(old, steps)
    kept = [("town", "Αθήνα", None), ("food", "音楽", " 音  楽 "), ("festival", "Musikfestivals", None)]
    old.executemany(
        "INSERT INTO memories (agent, key, category, hits, version, created, updated, used, value,"
        " value_words) VALUES ('', ?, '', 0, 1, 1.0, 1.0, 1.0, ?, ?)",
        kept,
    )
    old.close()
    with SqliteDatabase(path) as database:
        memories = Memories(database)
        for word, key in (("αθηνα", "town"), ("音楽", "food"), ("usikfest", "festival")):
            assert [memory.key for memory in await memories.search(word)] == [key]
        for _, value, _ in kept:
            assert await memories.forget((await memories.search(value))[0].key)
        assert await memories.search("Αθήνα") == []
        assert (await database.find_faults(60))[0] == []


async def test_a_conversation_from_before_results_stood_with_answers_goes_on(path: Path, steps: Path) -> None:
    for step in steps.glob("*.sql"):
        if int(step.name[:4]) > 13:
            step.unlink()
    path.parent.mkdir(parents=True)
    old = sqlite3.connect(path, isolation_level=None)
    old.execute(f"PRAGMA application_id = {migration.APPLICATION}")
    migration.migrate(old, steps)
    old.execute(
        "INSERT INTO sessions (id, agent, workspace, created, updated) VALUES ('s', 'helper', '/w', 1.0, 2.0)"
    )
    call, results = AssistantMessage((CallPart(ToolCall("look", "{}", "1")),)), ToolResult("1", "look", "so")
    said: list[Message] = [UserMessage("hello"), call, ResultsMessage((results,))]
    old.executemany(
        "INSERT INTO messages (session, number, created, role, content, run) VALUES ('s', ?, 1.0, ?, ?, 'r')",
        [
            (number, role, to_json(message))
            for number, role, message in zip((1, 2, 3), ("user", "assistant", "results"), said, strict=True)
        ],
    )
    old.close()
    with SqliteDatabase(path) as database:
        messages, session = Messages(database), Session("s", run="r2")
        assert await messages.last("s") == 3
        more: list[Message] = [UserMessage("again"), call, ResultsMessage((results,)), call]
        for each in more:
            messages.add(session, each)
        await messages.flush()
        loaded = await messages.load("s")
        assert [each.message for each in loaded] == said + more
        assert [each.number for each in loaded] == [1, 2, 3, 4, 5, 6, 7]
        assert [each.messages for each in await Sessions(database).totals()] == [7]
