"""A full disk under the store: told in one sentence, nothing kept is lost, and with room all goes on."""

from pathlib import Path

from tests.faults.small_disks import run_on_small_disk

# Runs in a mount namespace of its own, on a disk of a few hundred kilobytes.
PROGRAM = """
import asyncio, sys
from pathlib import Path
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import StoreError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.sqlite import SqliteDatabase

disk = Path(sys.argv[1])
path = disk / "data" / "oneclaw.db"
session = Session("s", "a", Workspace(disk))
definition = ToolDefinition(name="look", effect="read")

def fill():
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 1024)
        except OSError:
            pass

async def write(calls, kept, count):
    for number in range(count):
        call = ToolCall("look", {}, f"call-{len(kept)}")
        key = await calls.open(call, definition, session, {})
        await calls.close(key, ToolResult(call.id, "look", "x" * 500))
        kept.append(call.id)

async def main():
    fill()
    try:
        SqliteDatabase(path)
    except StoreError as error:
        print("new:", error)
    assert not path.exists()
    (disk / "filler").unlink()

    kept = []
    with SqliteDatabase(path) as database:
        calls = Calls(database)
        await write(calls, kept, 10)
        fill()
        try:
            await write(calls, kept, 10_000)
        except StoreError as error:
            print("grow:", error)
        try:
            statements = [("INSERT INTO settings VALUES ('k', ?)", ("v" * 100_000,))]
            await database.write_all(statements)
        except StoreError as error:
            print("thread:", error)
        (disk / "filler").unlink()
        await write(calls, kept, 10)
        assert (await database.find_faults(60))[0] == []
    with SqliteDatabase(path) as database:
        found = await Calls(database).history(limit=100_000, status="success")
        assert {each.call_id for each in found} == set(kept)
        assert not await Calls(database).history(status="open")
    print("kept")

asyncio.run(main())
"""


def test_a_full_disk_is_told_and_nothing_kept_is_lost(tmp_path: Path) -> None:
    new, grow, thread, kept = run_on_small_disk(tmp_path, "600k", PROGRAM)
    for said in (new, grow, thread):
        assert "cannot grow because the disk is full; make room, then try again" in said
        assert str(tmp_path / "data" / "oneclaw.db") in said
    assert kept == "kept"
