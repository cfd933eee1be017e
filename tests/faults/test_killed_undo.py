"""kill -9 in the middle of an undo: every file is whole, and the same undo done again restores the rest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import asyncio, os, signal, sys
from oneclaw import App
from oneclaw.guard.files import replace
from oneclaw.guard.files.kept import ChangeKeeper

left, when = int(sys.argv[1]), sys.argv[2]

def dying(work, is_due):
    def wrapped(*given, **named):
        global left
        if is_due:
            left -= 1
        if is_due and left < 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = work(*given, **named)
        if is_due and left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    return wrapped

ChangeKeeper._write = dying(ChangeKeeper._write, when != "effect")
replace.flush_folder = dying(replace.flush_folder, when == "effect")

async def main():
    async with App() as app:
        done = await app.undo()
        print(len(done.files))

asyncio.run(main())
"""
STORY = """
import asyncio, sys
from oneclaw import App, Config, load_config

from oneclaw.core.call import ToolCall
from dataclasses import replace

CALLS = [
    ("write_file", {"path": "notes.txt", "content": "second"}),
    ("write_file", {"path": "new/deep.txt", "content": "made"}),
    ("move_file", {"source": "moved.txt", "destination": "kept.txt", "overwrite": True}),
    ("edit_file", {"path": "kept.txt", "old": "mo", "new": "lo"}),
    ("delete_file", {"path": "folder"}),
    ("copy_file", {"source": "notes.txt", "destination": "copy.txt"}),
]

async def main():
    needs = {"files.overwrite": "granted", "files.delete": "granted"}
    found = load_config()
    async with App(Config(found.home, values={**found.values, "permissions.needs": needs})) as app:
        session = replace(app.new_session(), run="run-of-a-test")
        for number, (name, arguments) in enumerate(CALLS):
            result = await app.engine.call(ToolCall(name, arguments, id=f"c{number}"), session)
            assert result.ok, result.message

asyncio.run(main())
"""
FILES = {"notes.txt": "first", "moved.txt": "moved", "kept.txt": "kept", "folder/a.txt": "a", "folder/b": "b"}


def held(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def python(code: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "ONECLAW_HOME": str(home),
        "ONECLAW_WORKSPACE": str(home.parent / "work"),
        "ONECLAW_MODE": "auto",
        "XDG_CONFIG_HOME": str(home / "none"),
    }
    return subprocess.run(
        [sys.executable, "-c", code, *words], env=environment, text=True, capture_output=True, check=False
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize("when", ["before", "after", "effect"])
def test_an_undo_that_is_killed_again_and_again_restores_everything(tmp_path: Path, when: str) -> None:
    folder, home = tmp_path / "work", tmp_path / "home"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    told = python(STORY, home)
    assert told.returncode == 0, told.stderr
    after = held(folder)
    assert after != FILES
    whole = set(FILES.values()) | set(after.values())
    kills = 0
    for left in range(1, 40):
        ended = python(RUN, home, str(left % 4), when)
        assert set(held(folder).values()) <= whole
        if ended.returncode != -9:  # it came to its end, or the one before did and was killed after that
            assert ended.returncode == 0 or "nothing to undo" in ended.stderr
            break
        kills += 1
    assert kills >= 2
    assert held(folder) == FILES
    assert not list(folder.rglob("new"))


def test_the_undo_of_another_process_is_seen(tmp_path: Path) -> None:
    """A run of one process is undone by a second, and that by a third."""
    folder, home = tmp_path / "work", tmp_path / "home"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    assert python(STORY, home).returncode == 0
    after = held(folder)
    environment = {"ONECLAW_HOME": str(home), "ONECLAW_WORKSPACE": str(folder), "XDG_CONFIG_HOME": str(home)}

    def oneclaw(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "oneclaw.cli.main", *words],
            env={**os.environ, **environment},
            text=True,
            capture_output=True,
            check=False,
        )

    done = json.loads(oneclaw("undo", "--json").stdout)
    assert held(folder) == FILES
    assert oneclaw("undo").returncode == 1
    assert oneclaw("undo", done["id"]).returncode == 0
    assert held(folder) == after
