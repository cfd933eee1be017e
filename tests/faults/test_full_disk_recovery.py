"""A disk that is full to the last byte or name: calls are still journaled, and one of them makes room.

Everything is on a disk in memory of 100 MB that is made for the test: the store, the workspace and /tmp.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.small_disks import mounted
from tests.sandboxes import needs_bubblewrap
from tests.users import ordinary_user

pytestmark = needs_bubblewrap

PROGRAM = """
import asyncio, json, os, shutil, sys
from pathlib import Path
from oneclaw import App, Config, ToolCall

disk, what, kept = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
os.environ["TMPDIR"] = str(disk / "tmp")
settings = {"features.shell": True, "permissions.needs.shell": "granted"}
config = Config(home=disk / "home", workspace=disk / "ws", values=settings)
reserve = disk / "home" / "oneclaw.db-reserve"
said = {}


def fill():
    number = 0
    try:
        while True:
            with (disk / "ws" / f"filler-{number}").open("wb", buffering=0) as filler:
                if what == "bytes":
                    while True: filler.write(bytes(4096))
            number += 1
    except OSError:
        pass


def say(name, result):
    said[name] = result.message or result.value.get("stdout")


async def opened(name, is_full):
    async with App(config) as app:
        def run(command):
            return app.engine.call(ToolCall("execute_shell_command", {"command": command}))

        if not is_full:
            say(name, await run("echo made"))
            if name == "second":
                said["reserve"] = reserve.is_dir()
                if kept == "no": shutil.rmtree(reserve)
                fill()
                say("full", await run("ls | head -n 1"))
            return
        say(name, await run("ls | head -n 1"))
        say("removed", await run("rm -f filler-* && echo gone"))
        say("after", await run("echo on > a && cat a"))
        said["again"] = reserve.is_dir()
        rows = await app.store.calls.history(limit=100)
        said["open"] = sum(row.status == "open" for row in rows)
        said["problems"] = (await app.store.database.find_faults(60))[0]


(disk / "tmp").mkdir()
(disk / "ws").mkdir()
try:
    asyncio.run(opened("first", False))
    asyncio.run(opened("second", False))
    if what == "names": fill()  # those, too, that were free again when it was closed
    asyncio.run(opened("next", True))
except BaseException as error:
    said["error"] = str(error)
print(json.dumps(said))
"""


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with mounted("size=100m,nr_inodes=1000,mode=777") as folder:
        yield folder


def run(before: list[str], folder: Path, *arguments: str) -> dict[str, Any]:
    line = [*before, sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(params=["root", "an ordinary user"])
def before(request: pytest.FixtureRequest) -> Iterator[tuple[list[str], Path]]:
    with ordinary_user() as (line, folder):
        yield (line if request.param != "root" else []), folder


@pytest.mark.parametrize("what", ["bytes", "names"])
def test_calls_go_on_and_one_of_them_makes_room(
    small_disk: Path, before: tuple[list[str], Path], what: str
) -> None:
    said = run(*before, str(small_disk), what, "yes")
    assert said == {
        "first": "made\n",
        "second": "made\n",
        "reserve": True,
        "full": "filler-0\n",
        "next": "filler-0\n",
        "removed": "gone\n",
        "after": "on\n",
        "again": True,
        "open": 0,
        "problems": [],
    }


@pytest.mark.parametrize("what", ["bytes", "names"])
def test_without_the_reserve_none_can_be_made(
    small_disk: Path, before: tuple[list[str], Path], what: str
) -> None:
    """The twin."""
    said = run(*before, str(small_disk), what, "no")
    assert "removed" not in said or "gone" not in said["removed"]
