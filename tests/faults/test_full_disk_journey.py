"""A full disk under everything: calls end in one clear error, files stay whole, and with room all goes on."""

import json
from pathlib import Path

from tests.faults.small_disks import run_on_small_disk

# Both run in a mount namespace of their own, on a disk of one megabyte.
COMMON = """
import asyncio, json, os, sys
from pathlib import Path
from oneclaw import App, Config, ToolCall, tool

disk, other = Path(sys.argv[1]), Path(sys.argv[2])


@tool(effect="read")
def recite() -> str:
    "Say more than fits."
    return "a long story\\n" * 20_000


def fill(left_bytes=0):
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 1024)
        except OSError:
            pass
        filler.truncate(filler.tell() - left_bytes)


def say(name, result):
    print(json.dumps([name, result.kind, result.message, result.effects, bool(result.details)]), flush=True)
"""

HOME_AND_WORKSPACE = """
config = Config(home=disk / "home")


async def main():
    async with App(config, tools=[recite]) as app:
        def call(name, **arguments):
            return app.engine.call(ToolCall(name, arguments))

        await call("write_file", path="a.txt", content="old " * 1000)
        fill()
        say("write", await call("write_file", path="a.txt", content="new " * 50_000))
        say("append", await call("write_file", path="a.txt", content="more", mode="append"))
        say("new", await call("write_file", path="deep/b.txt", content="b" * 50_000))
        assert (config.workspace_folder / "a.txt").read_text() == "old " * 1000
        assert sorted(os.listdir(config.workspace_folder)) == ["a.txt"]
        (disk / "filler").unlink()
        say("again", await call("write_file", path="a.txt", content="new"))
        for left_bytes in range(4096, 60_000, 4096):
            # Room for the row, then for part of the result, then for all of it but not for its file.
            fill(left_bytes)
            result = await call("recite")
            say("recite", result)
            assert not result.ok or len(result.value) <= 20_000
            assert not any(path.is_file() for path in config.home.joinpath("sessions").rglob("*"))
            (disk / "filler").unlink()
        whole = await call("recite")
        assert whole.truncated_from and "The whole text is in" in whole.value
        assert (await app.store.database.find_faults(60))[0] == []
    async with App(config) as app:
        rows = await app.store.calls.history(limit=10_000)
        assert all(row.status != "open" for row in rows)
        assert (await app.store.database.find_faults(60))[0] == []
    print("end")

asyncio.run(main())
"""

WORKSPACE = """
config = Config(home=other, workspace=disk / "work")


async def main():
    async with App(config) as app:
        def call(name, **arguments):
            return app.engine.call(ToolCall(name, arguments))

        await call("write_file", path="a.txt", content="old " * 1000)
        for left_bytes in (0, 4096, 40_960):
            fill(left_bytes)
            say("write", await call("write_file", path="a.txt", content="new " * 50_000))
            say("append", await call("write_file", path="a.txt", content="more" * 50_000, mode="append"))
            say("edit", await call("edit_file", path="a.txt", old="old", new="young" * 1_000, all=True))
            say("new", await call("write_file", path="deep/b.txt", content="b" * 50_000))
            assert (config.workspace / "a.txt").read_text() == "old " * 1000
            left = {path.name for path in config.workspace.rglob("*")}
            assert left <= {"a.txt", "deep"}, left
            (disk / "filler").unlink()
        say("again", await call("write_file", path="deep/b.txt", content="new"))
        assert all(row.status != "open" for row in await app.store.calls.history())
    print("end")

asyncio.run(main())
"""


def run(folder: Path, program: str) -> list[list[object]]:
    """What the program said of its calls: name, kind, message, effects, whether it has details."""
    disk = folder / "disk"
    disk.mkdir()
    *said, end = run_on_small_disk(disk, "1m", COMMON + program, str(folder / "other"))
    assert end == "end"
    return [json.loads(line) for line in said]


def test_what_cannot_be_journaled_is_not_run_and_what_was_run_is_told(tmp_path: Path) -> None:
    said = run(tmp_path, HOME_AND_WORKSPACE)
    for name, kind, message, effects, _ in said[:3]:
        assert (kind, effects) == ("execution_error", "none"), name
        assert "The journal cannot be written, so the call was not run" in str(message)
        assert "disk is full" in str(message)
    assert said[3][:2] == ["again", None]
    recited = said[4:]
    assert ["recite", None, "", "none", True] in recited, "a result is told though it could not be written"
    assert recited[-1] == ["recite", None, "", "none", False]
    assert all(kind is None or "disk is full" in str(message) for _, kind, message, _, _ in recited)


def test_a_full_workspace_leaves_old_files_whole_and_no_others(tmp_path: Path) -> None:
    *refused, again = run(tmp_path, WORKSPACE)
    assert len(refused) == 12
    for name, kind, message, _, _ in refused:
        assert kind == "execution_error", name
        assert "the disk is full; nothing was changed." in str(message)
    assert again[:2] == ["again", None]
