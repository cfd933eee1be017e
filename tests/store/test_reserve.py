"""The reserve of the store: real room on the disk, for its owner alone, given up once and made again."""

import stat
from pathlib import Path

import pytest

from oneclaw.store import reserve as reserve_file
from oneclaw.store.reserve import FILE_BYTES, FILES, Reserve
from oneclaw.store.sqlite import SqliteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "oneclaw.db"


def room(path: Path) -> Path:
    return path.with_name("oneclaw.db-reserve")


def test_a_store_that_is_used_again_has_one_of_real_room(path: Path) -> None:
    SqliteDatabase(path).close()
    assert not room(path).exists()
    SqliteDatabase(path).close()
    files = [each.stat() for each in room(path).iterdir()]
    assert sum(each.st_blocks * 512 for each in files) >= FILES * FILE_BYTES
    assert {stat.S_IMODE(each.st_mode) for each in (*files, room(path).stat())} == {0o600, 0o700}
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(room(path).name)] == [
        room(path).name
    ]


async def test_a_new_store_has_one_after_some_writes(path: Path) -> None:
    with SqliteDatabase(path) as database:
        for number in range(reserve_file.NEW_WRITES):
            assert not room(path).exists(), number
            await database.write("INSERT INTO settings VALUES (?, ?)", (str(number), "1"))
        assert room(path).exists()


async def test_it_is_given_up_once_and_made_again_by_the_next_write(path: Path) -> None:
    SqliteDatabase(path).close()
    with SqliteDatabase(path) as database:
        reserve = database._reserve  # pyright: ignore[reportPrivateUsage]
        assert reserve.give_up()
        assert not room(path).exists()
        assert not reserve.give_up(), "there is nothing left to give"
        assert await database.write("INSERT INTO settings VALUES ('a', '1')")
        assert room(path).is_dir()
        assert reserve.give_up()


async def test_where_there_is_little_room_none_is_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteDatabase(path).close()
    monkeypatch.setattr(reserve_file, "ROOMY", 1 << 40)
    with SqliteDatabase(path) as database:
        assert await database.write("INSERT INTO settings VALUES ('a', '1')")
        assert not room(path).exists()
        monkeypatch.undo()  # and now there is
        assert await database.write("INSERT INTO settings VALUES ('b', '1')")
        assert room(path).is_dir()


def test_two_programs_share_it(path: Path) -> None:
    path.parent.mkdir()
    one, other = Reserve(path), Reserve(path)
    one.keep()
    other.keep()
    assert one.give_up()
    assert other.give_up(), "what it had is free now: it may try again"
    assert not other.give_up()
