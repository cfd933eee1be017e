"""Moving the log into the tables."""

import shutil
import sqlite3
import time
from pathlib import Path

from oneclaw.store import file
from oneclaw.store.checkpoint import checkpoint
from oneclaw.store.settings import StoredSettings
from oneclaw.store.sqlite import SqliteDatabase


async def fill(database: SqliteDatabase, count: int = 200) -> None:
    for number in range(count):
        await StoredSettings(database).set(f"key-{number}", "x" * 100)


def count_without_log(path: Path, folder: Path) -> int:
    """How many settings are in the file itself."""
    shutil.copy(path, folder / "copy.db")
    connection = sqlite3.connect(folder / "copy.db")
    try:
        return connection.execute("SELECT count(*) FROM settings").fetchone()[0]
    finally:
        connection.close()


async def test_what_is_in_the_log_comes_into_the_file(
    tmp_path: Path, path: Path, database: SqliteDatabase
) -> None:
    await fill(database)
    assert count_without_log(path, tmp_path) == 0
    checkpoint(path)
    assert count_without_log(path, tmp_path) == 200
    assert file.size(path, "-wal") > 0


async def test_a_long_log_is_begun_anew(path: Path, database: SqliteDatabase) -> None:
    await fill(database)
    checkpoint(path, log_bytes=0)
    assert file.size(path, "-wal") == 0
    await fill(database, 300)
    assert len(await StoredSettings(database).all()) == 300


async def test_a_reader_that_stays_long_does_not_hold_up_the_writers_long(
    path: Path, database: SqliteDatabase
) -> None:
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM settings").fetchone() == (0,)
    await fill(database)
    began = time.monotonic()
    checkpoint(path, log_bytes=0)
    await fill(database, 201)
    assert time.monotonic() - began < 10
    assert reader.execute("SELECT count(*) FROM settings").fetchone() == (0,)
    reader.close()
    assert len(await StoredSettings(database).all()) == 201
