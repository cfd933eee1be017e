"""The temporary folder of a program: kept while it lives, removed by the next when it was killed."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from oneclaw.guard.sandbox.scratch import PREFIX, Scratch, remove_left

PROGRAM = """
import sys
from oneclaw.guard.sandbox.scratch import Scratch
scratch = Scratch()
print(scratch.folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_what_a_killed_program_left_is_removed_and_what_a_living_one_has_is_not(place: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        folder = Path(program.stdout.readline().strip())
        (folder / "states").mkdir()
        assert remove_left(place, 0) == []
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
    assert remove_left(place) == []  # young: it might be about to be locked
    assert remove_left(place, 0) == [folder]
    assert not folder.exists()


def test_only_folders_of_our_own_making_are_removed(place: Path) -> None:
    (elsewhere := place / "elsewhere").mkdir()
    (elsewhere / "kept").touch()
    (place / f"{PREFIX}link").symlink_to(elsewhere)
    (place / f"{PREFIX}file").touch()
    (place / f"{PREFIX}open").mkdir(mode=0o755)
    (place / "oneclaw-other").mkdir(mode=0o700)
    assert remove_left(place, 0) == []
    assert (elsewhere / "kept").exists()


def test_a_closed_one_is_gone(place: Path) -> None:
    scratch = Scratch()
    assert scratch.folder.parent == place
    scratch.close()
    scratch.close()
    assert list(place.iterdir()) == []


def test_a_folder_that_could_not_be_locked_is_not_used(place: Path) -> None:
    scratch, taken = Scratch(place), [os.dup(0)]
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 1, usual[1]))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        with pytest.raises(OSError):
            _ = scratch.folder
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        for fd in taken:
            os.close(fd)
    used = scratch.folder
    left = remove_left(place, 0)
    assert left
    assert used not in left
    scratch.close()
