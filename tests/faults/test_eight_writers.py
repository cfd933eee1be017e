"""Eight programs write at once: none is told that the store is locked, and no row is lost."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from oneclaw.store.calls import Calls
from oneclaw.store.sqlite import SqliteDatabase

WRITERS = 8
CALLS = 400

WRITER = """
import asyncio, sys
from pathlib import Path
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.sqlite import SqliteDatabase
from oneclaw.store.settings import StoredSettings

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()

async def main():
    with SqliteDatabase(path) as database:
        calls = Calls(database)
        session = Session(f"writer-{name}", name, Workspace(path.parent))
        definition = ToolDefinition(name="look", effect="read")

        async def one(number):
            call = ToolCall("look", {"number": number}, f"{name}-{number}")
            key = await calls.open(call, definition, session, call.arguments)
            await asyncio.sleep(0)
            await calls.close(key, ToolResult(call.id, "look", f"{name}-{number}"))

        for start in range(0, count, 20):
            await asyncio.gather(*(one(number) for number in range(start, start + 20)))
            await StoredSettings(database).set(f"{name}.last", start)
            assert await calls.history(limit=1)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_eight_programs_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "oneclaw.db"  # not there yet: all eight find no store and begin
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(number), str(CALLS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    began = time.monotonic()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    told = [writer.communicate()[1] for writer in writers]
    seconds = time.monotonic() - began
    assert told == [""] * WRITERS
    assert [writer.returncode for writer in writers] == [0] * WRITERS
    with SqliteDatabase(path) as database:
        assert (await database.find_faults(60))[0] == []
        found = await Calls(database).history(limit=1_000_000)
        settings = await database.select("SELECT count(*) FROM settings")
    assert Counter(each.status for each in found) == {"success": WRITERS * CALLS}
    assert {each.call_id for each in found} == {f"{w}-{c}" for w in range(WRITERS) for c in range(CALLS)}
    assert all(each.value == each.call_id for each in found)
    assert settings == [(WRITERS,)]
    print(f"{WRITERS * CALLS} calls, {WRITERS * CALLS * 2 / seconds:.0f} writes a second")
