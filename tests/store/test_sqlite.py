"""The open store: its file, its faults, reading beside writing, and the end."""

import asyncio
import os
import shutil
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.users import give_up_powers

from oneclaw.core.errors import StoreError
from oneclaw.store import file, migration, reader, sqlite
from oneclaw.store.database import WriteResult
from oneclaw.store.settings import StoredSettings
from oneclaw.store.sqlite import SqliteDatabase


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def lock_held(path: Path) -> Generator[sqlite3.Connection]:
    """Another program in the middle of a write."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        if other.in_transaction:
            other.execute("COMMIT")
        other.close()


def refusal(path: Path) -> str:
    """What the owner is told, and the promise that nothing at the path was touched by it."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError) as caught:
        SqliteDatabase(path, patience_seconds=0.2)
    assert (path.read_bytes() if path.is_file() else None) == before
    said = str(caught.value)
    assert str(path) in said
    assert "\n" not in said
    return said


# ---------------------------------------------------------------------- the file


@pytest.mark.covers("RFC004-SC-04")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_files_are_for_their_owner_alone_whatever_the_umask(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with SqliteDatabase(path) as opened:
            asyncio.run(opened.write("INSERT INTO settings VALUES ('a', '1')"))
            files = {each.name: mode(each) for each in path.parent.rglob("*") if each.is_file()}
            folders = [path.parent, path.parent / "oneclaw.db-live"]
            assert len(files) == 4
            assert set(files.values()) == {0o600}, files
            assert {mode(folder) for folder in folders} == {0o700}
    finally:
        os.umask(before)


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    SqliteDatabase(tmp_path / "oneclaw.db").close()
    assert mode(tmp_path) == 0o755


def test_a_store_that_others_could_read_is_closed_to_them(path: Path) -> None:
    SqliteDatabase(path).close()
    path.chmod(0o644)
    SqliteDatabase(path).close()
    assert mode(path) == 0o600


def test_nothing_is_left_beside_the_file_after_a_clean_end(path: Path) -> None:
    SqliteDatabase(path).close()
    assert [each.name for each in sorted(path.parent.rglob("*"))] == ["oneclaw.db", "oneclaw.db-live"]


def test_a_link_and_its_file_are_one_store(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    path.parent.mkdir()
    with SqliteDatabase(link) as first, SqliteDatabase(path) as second:
        assert first.path == second.path
        assert len(list(path.with_name("oneclaw.db-live").iterdir())) == 2


def test_odd_names_of_files_work(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=memory&x=%41#é .db"
    SqliteDatabase(path).close()
    assert path.stat().st_size > 0


# ---------------------------------------------------------------------- what is refused


def test_a_store_of_a_newer_version_is_refused_and_kept(path: Path) -> None:
    SqliteDatabase(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    said = refusal(path)
    assert "newer OneClaw" in said
    assert "99" in said
    assert "update OneClaw" in said
    with pytest.raises(StoreError, match="newer OneClaw"):
        SqliteDatabase(path, read_only=True)


def test_a_store_that_was_refused_is_not_kept_open(path: Path) -> None:
    SqliteDatabase(path).close()
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE calls")
    connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer OneClaw") as newer:
        SqliteDatabase(path, read_only=True)
    connection.execute(f"PRAGMA user_version = {max(migration.steps())}")
    connection.close()
    with pytest.raises(StoreError, match="no such table") as broken:
        SqliteDatabase(path, read_only=True)
    opened = [os.path.realpath(each.path) for each in os.scandir("/proc/self/fd")]
    assert str(path) not in opened, (newer, broken)  # their frames would keep what nobody closed


@pytest.mark.parametrize(
    "content", [b"not a database at all, but a letter\n" * 100, b"x", b"SQLite format 3\0"]
)
def test_a_file_that_is_no_database_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert "is not a database" in refusal(path)


def test_an_empty_file_is_refused_for_it_may_have_been_a_store(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert "empty file" in refusal(path)


def test_a_database_of_another_program_is_refused_and_kept(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    path.chmod(0o644)
    assert "another program" in refusal(path)
    assert mode(path) == 0o644


def test_a_folder_in_place_of_the_file_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    assert "is a folder" in refusal(path)


def test_a_pipe_in_place_of_the_file_is_refused(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    assert "not a plain file" in refusal(path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    assert "cannot be opened" in refusal(tmp_path / "data" / "oneclaw.db")
    assert (tmp_path / "data").read_text() == "mine"


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(StoreError, match="null byte"):
        SqliteDatabase("/tmp/a\0b")


def test_a_lost_file_whose_log_is_there_is_not_begun_anew(path: Path, tmp_path: Path) -> None:
    with SqliteDatabase(path) as opened:
        asyncio.run(opened.write("INSERT INTO settings VALUES ('a', '1')"))
        shutil.copytree(path.parent, tmp_path / "lost")
    lost = tmp_path / "lost" / "oneclaw.db"
    (tmp_path / "lost" / "oneclaw.db-shm").unlink()
    lost.unlink()
    log = lost.with_name("oneclaw.db-wal").read_bytes()
    assert "is gone but its log" in refusal(lost)
    assert lost.with_name("oneclaw.db-wal").read_bytes() == log


async def test_a_damaged_table_says_so_when_it_is_read(path: Path) -> None:
    with SqliteDatabase(path) as opened:
        for number in range(1000):
            await StoredSettings(opened).set(f"key-{number}", "x" * 200)
    content = bytearray(path.read_bytes())
    for page in range(len(content) // migration.PAGE_BYTES // 2, len(content) // migration.PAGE_BYTES):
        start = page * migration.PAGE_BYTES
        content[start : start + 200] = b"\xff" * 200
    path.write_bytes(content)
    with SqliteDatabase(path) as opened:
        assert (await opened.find_faults(60))[0]
        with pytest.raises(StoreError, match="is damaged; put back a copy"):
            await StoredSettings(opened).all()


async def test_a_sound_store_has_no_problems(database: SqliteDatabase) -> None:
    assert (await database.find_faults(60))[0] == []


async def told_nobody(path: Path, read_only: bool = False) -> str:
    """What a user without rights is told: to root nothing is read-only."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover  the child tells by the pipe
        try:
            give_up_powers()
            with SqliteDatabase(path, read_only=read_only) as opened:
                said = f"opened {await opened.select('SELECT count(*) FROM calls')}"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(send, said.encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that a user without rights can walk into."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


async def test_a_folder_that_cannot_be_written_is_told(public: Path) -> None:
    public.chmod(0o555)
    said = await told_nobody(public / "oneclaw.db")
    assert said.startswith("StoreError: ")
    assert "give the user rights to the file and its folder" in said
    assert str(public / "oneclaw.db") in said


async def test_a_file_that_cannot_be_written_is_told_and_kept(public: Path) -> None:
    path = public / "oneclaw.db"
    SqliteDatabase(path).close()
    path.chmod(0o444)
    path.with_name("oneclaw.db-live").chmod(0o777)
    content = path.read_bytes()
    public.chmod(0o555)
    said = await told_nobody(path)
    assert said.startswith(f"StoreError: The store {path} cannot be written; make the file and its folder"), (
        said
    )
    assert path.read_bytes() == content


async def test_a_store_in_a_read_only_folder_can_be_looked_at(public: Path) -> None:
    path = public / "oneclaw.db"
    SqliteDatabase(path).close()
    path.chmod(0o444)
    public.chmod(0o555)
    assert (await told_nobody(path, read_only=True)) == "opened [(0,)]"


# ---------------------------------------------------------------------- reading and writing


def test_looking_needs_a_store_and_makes_none(path: Path) -> None:
    with pytest.raises(StoreError, match="There is no store"):
        SqliteDatabase(path, read_only=True)
    assert not path.parent.exists()


async def test_who_looks_cannot_write(path: Path) -> None:
    SqliteDatabase(path).close()
    with SqliteDatabase(path, read_only=True) as looking:
        with pytest.raises(StoreError, match="read only"):
            await looking.write("DELETE FROM calls")
        with pytest.raises(StoreError, match="cannot be written"):
            await looking.select("DELETE FROM calls")


async def test_a_look_sees_what_is_written_meanwhile(path: Path, database: SqliteDatabase) -> None:
    with SqliteDatabase(path, read_only=True) as looking:
        for number in range(3):
            await StoredSettings(database).set(f"key-{number}", number)
            assert len(await StoredSettings(looking).all()) == number + 1


async def test_a_read_in_progress_does_not_hold_up_a_write(path: Path, database: SqliteDatabase) -> None:
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM settings").fetchone()
    await asyncio.wait_for(database.write("INSERT INTO settings VALUES ('a', '1')"), 5)
    assert reader.execute("SELECT count(*) FROM settings").fetchone() == (0,)
    reader.close()


async def test_a_write_in_progress_does_not_hold_up_a_read(path: Path, database: SqliteDatabase) -> None:
    with lock_held(path) as other:
        other.execute("INSERT INTO settings VALUES ('a', '1')")
        assert await StoredSettings(database).all() == {}
    assert await StoredSettings(database).all() == {"a": 1}


async def test_a_held_lock_does_not_hold_up_the_loop(path: Path, database: SqliteDatabase) -> None:
    with lock_held(path) as other:
        writing = asyncio.create_task(StoredSettings(database).set("ours", 1))
        turns = 0
        while turns < 50:  # the loop turns freely while the write waits
            await asyncio.sleep(0)
            turns += 1
        assert not writing.done()
        assert await StoredSettings(database).get("ours") is None
        other.execute("COMMIT")
        await writing
    assert await StoredSettings(database).get("ours") == 1


async def test_a_lock_held_too_long_is_told(path: Path) -> None:
    told = pytest.raises(StoreError, match="kept locked by another program")
    with SqliteDatabase(path, patience_seconds=0.05) as impatient, lock_held(path), told:
        await StoredSettings(impatient).set("ours", 1)


async def test_what_waits_is_written_together(path: Path, database: SqliteDatabase) -> None:
    watcher = sqlite3.connect(path, isolation_level=None)
    with lock_held(path) as other:
        writing = [
            asyncio.create_task(StoredSettings(database).set(f"k{number}", number)) for number in range(200)
        ]
        await asyncio.sleep(0)
        before = watcher.execute("PRAGMA data_version").fetchone()
        frames = file.size(path, "-wal")
        other.execute("COMMIT")
        await asyncio.gather(*writing)
    assert len(await StoredSettings(database).all()) == 200
    assert watcher.execute("PRAGMA data_version").fetchone() != before
    # Alone, each write puts at least its own page into the log.
    assert file.size(path, "-wal") - frames < 200 * migration.PAGE_BYTES
    watcher.close()


async def test_one_bad_statement_does_not_undo_its_neighbours(path: Path, database: SqliteDatabase) -> None:
    with lock_held(path):
        rows = [("a", "1"), ("a", "2"), ("b", "3")]
        writing = [
            asyncio.ensure_future(database.write("INSERT INTO settings VALUES (?, ?)", row)) for row in rows
        ]
        await asyncio.sleep(0)  # all three wait now
    good, bad, after = await asyncio.gather(*writing, return_exceptions=True)
    assert isinstance(good, WriteResult)
    assert isinstance(after, WriteResult)
    assert (good.rows, after.rows) == (1, 1)
    assert isinstance(bad, StoreError)
    assert "UNIQUE" in str(bad)
    assert await StoredSettings(database).all() == {"a": 1, "b": 3}


async def test_a_cancelled_write_is_whole_before_the_cancellation_goes_on(
    path: Path, database: SqliteDatabase
) -> None:
    with lock_held(path) as other:
        writing = asyncio.create_task(StoredSettings(database).set("ours", 1))
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.sleep(0)
        assert not writing.done()
        other.execute("COMMIT")
        with pytest.raises(asyncio.CancelledError):
            await writing
    assert await StoredSettings(database).get("ours") == 1


async def test_threads_may_share_a_store(database: SqliteDatabase) -> None:
    def work(number: int) -> None:
        for each in range(50):
            asyncio.run(StoredSettings(database).set(f"{number}-{each}", each))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(await StoredSettings(database).all()) == 200


async def test_the_log_is_moved_into_the_tables_beside_the_calls(
    path: Path, database: SqliteDatabase
) -> None:
    for number in range(4100):
        await database.write("INSERT INTO settings VALUES (?, '1')", (f"key-{number}",))
    database.close()
    assert file.size(path, "-wal") == 0
    with SqliteDatabase(path, read_only=True) as looking:
        assert await looking.select("SELECT count(*) FROM settings") == [(4100,)]
        assert (await looking.find_faults(60))[0] == []


# ---------------------------------------------------------------------- the end


async def test_a_closed_store_says_that_it_is_closed(database: SqliteDatabase) -> None:
    database.close()
    database.close()
    with pytest.raises(StoreError, match="is closed"):
        await database.write("DELETE FROM calls")
    with pytest.raises(StoreError, match="is closed"):
        await database.select("SELECT 1")


async def test_what_still_waits_at_the_end_is_written(path: Path, database: SqliteDatabase) -> None:
    with lock_held(path) as other:
        waiting = asyncio.ensure_future(database.write("INSERT INTO settings VALUES ('a', '1')"))
        await asyncio.sleep(0)
        closing = threading.Thread(target=database.close)
        closing.start()
        other.execute("COMMIT")
    assert (await waiting).rows == 1
    closing.join()
    with SqliteDatabase(path, read_only=True) as looking:
        assert await StoredSettings(looking).all() == {"a": 1}


def test_a_forked_child_may_not_use_its_parents_store(database: SqliteDatabase) -> None:
    child = os.fork()
    if child == 0:  # pragma: no cover  the child tells by its exit code
        try:
            database.write("INSERT INTO settings VALUES ('a', '1')").send(None)
        except StoreError as error:
            os._exit(7 if "fork" in str(error) else 8)
        os._exit(9)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


def test_what_failed_to_open_leaves_no_file_of_the_living(path: Path) -> None:
    SqliteDatabase(path).close()
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE calls")
    connection.close()
    with pytest.raises(StoreError, match="no such table"):
        SqliteDatabase(path)
    assert list(path.with_name("oneclaw.db-live").iterdir()) == []


def test_patience_is_half_a_minute() -> None:
    assert sqlite.PATIENCE_SECONDS == 30.0


LONG = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) FROM n
"""


async def ticks_during(database: SqliteDatabase) -> int:
    """How often the loop turned while a long query was read."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.ensure_future(tick())
    await asyncio.sleep(0)
    ticks = 0
    assert await database.select(LONG) == [(1_000_000,)]
    ticking.cancel()
    return ticks


async def test_a_long_read_does_not_hold_up_the_loop(database: SqliteDatabase) -> None:
    assert await ticks_during(database) > 5
    assert await database.select("SELECT 1") == [(1,)]


async def test_with_all_the_steps_it_wants_it_would(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "QUICK_STEPS", 1 << 30)
    with SqliteDatabase(path) as database:
        assert await ticks_during(database) == 0


async def test_what_is_added_later_is_written_with_the_next_row_or_a_moment_later(
    path: Path, database: SqliteDatabase
) -> None:
    with SqliteDatabase(path, read_only=True) as looking:
        database.add_later("INSERT INTO settings VALUES (?, ?)", ("a", "1"))
        assert await StoredSettings(looking).all() == {}
        await database.write("INSERT INTO settings VALUES ('b', '2')")
        assert await StoredSettings(looking).all() == {"a": 1, "b": 2}
        database.add_later("INSERT INTO settings VALUES (?, ?)", ("c", "3"))
        async with asyncio.timeout(10):
            while "c" not in await StoredSettings(looking).all():
                await asyncio.sleep(0.01)


async def test_a_row_that_cannot_be_added_later_costs_no_other(
    database: SqliteDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    for key in ("a", "a", "b"):
        database.add_later("INSERT INTO settings VALUES (?, '1')", (key,))
    await database.write("INSERT INTO settings VALUES ('c', '1')")
    assert set(await StoredSettings(database).all()) == {"a", "b", "c"}
    assert "A row could not be written" in caplog.text


async def test_what_is_added_last_is_written_at_the_end(path: Path, database: SqliteDatabase) -> None:
    database.add_later("INSERT INTO settings VALUES ('a', '1')", ())
    database.close()
    with SqliteDatabase(path, read_only=True) as looking:
        assert await StoredSettings(looking).all() == {"a": 1}
