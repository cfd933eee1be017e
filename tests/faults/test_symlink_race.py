"""Names exchanged for links for seconds while files are read and written: nothing outside is touched.

The twin checks the real path and then opens it, as most programs do, and gives the secret away.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths

SECRET = b"the secret that lies outside"
SECONDS = 5.0

# Exchanges each pair of names as fast as it can until it is killed.
ATTACKER = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
pairs = [(os.fsencode(a), os.fsencode(b)) for a, b in zip(sys.argv[1::2], sys.argv[2::2])]
print("ready", flush=True)
while True:
    for one, other in pairs:
        if not hasattr(libc, "renameat2") or libc.renameat2(-100, one, -100, other, 2) != 0:
            os.rename(one, one + b"~")
            os.rename(other, one)
            os.rename(one + b"~", other)
"""


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    return 60.0 if request.config.getoption("--many") else SECONDS


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """A folder and a file, each with a link to its twin outside, ready to be exchanged."""
    for place in ("work", "outside"):
        (tmp_path / place / "folder/deep").mkdir(parents=True)
        content = b"inside" if place == "work" else SECRET
        for name in ("file", "folder/file", "folder/deep/file"):
            (tmp_path / place / name).write_bytes(content)
    (tmp_path / "work/folder-link").symlink_to(tmp_path / "outside/folder")
    (tmp_path / "work/file-link").symlink_to("../outside/file")
    return Workspace(tmp_path / "work")


@contextmanager
def exchanging(*names: str, attacker: str = ATTACKER) -> Generator[None]:
    """The names, two by two, exchanged for each other until the end."""
    with subprocess.Popen([sys.executable, "-c", attacker, *names], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield
        finally:
            process.kill()


def attacked(work: Workspace) -> AbstractContextManager[None]:
    pairs = [("folder", "folder-link"), ("file", "file-link")]
    return exchanging(*(str(work.folder / name) for pair in pairs for name in pair))


def snapshot(work: Workspace) -> dict[str, bytes]:
    [outside] = (each for each in work.folder.parents if (each / "outside").exists())
    return {
        str(path): path.read_bytes() if path.is_file() else b"" for path in (outside / "outside").rglob("*")
    }


Doing = tuple[Callable[[Workspace, str], bytes], str]


def check_nothing_leaks(
    work: Workspace, doings: list[Doing], seconds: float, attack: AbstractContextManager[None]
) -> None:
    """Nothing outside is read or changed, and often enough something was done, and something was refused."""
    before = snapshot(work)
    done, refused = 0, 0
    with attack:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for do, path in doings:
                try:
                    assert do(work, path) == b"inside"
                    done += 1
                except ToolError:
                    refused += 1
    print(f"{done:,} done and {refused:,} refused in {seconds:g} seconds")
    assert snapshot(work) == before
    # Both were met, and often: the names were exchanged while they were used.
    assert min(done, refused) > 40 * seconds


def read(work: Workspace, path: str) -> bytes:
    with paths.open_file(work, path) as file:
        return file.read()


def write(work: Workspace, path: str) -> bytes:
    paths.replace_file(work, path, b"inside", lambda: None)
    return b"inside"


def list_names(work: Workspace, path: str) -> bytes:
    with paths.open_folder(work, os.path.dirname(path) or ".") as folder:
        for entry in folder.walk():
            if entry.kind == "file":
                with folder.open(entry) as file:
                    assert file.read() != SECRET
    return b"inside"


@pytest.mark.slow
def test_exchanged_links_leak_nothing(work: Workspace, seconds: float) -> None:
    doings: list[Doing] = [
        *((read, path) for path in ("file", "folder/file", "folder/deep/file", "folder/../file") * 20),
        *((write, path) for path in ("file", "folder/file", "folder/new", "folder/fresh/new")),
        (list_names, "folder/file"),
    ]
    check_nothing_leaks(work, doings, seconds, attacked(work))


@pytest.mark.slow
def test_a_check_before_the_open_leaks_within_that_time(work: Workspace) -> None:
    with attacked(work):
        assert leaks(work, checked_read, lambda answer: answer == SECRET)


@pytest.mark.slow
def test_a_check_before_the_write_writes_outside_within_that_time(work: Workspace) -> None:
    before = snapshot(work)
    with attacked(work):
        assert leaks(work, checked_write, lambda answer: snapshot(work) != before)


def leaks(work: Workspace, do: Callable[[Workspace, str], bytes], is_leak: Callable[[bytes], bool]) -> bool:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            if is_leak(do(work, "folder/file")):
                return True
        except (OSError, ToolError):
            continue
    return False


def checked_path(work: Workspace, path: str) -> str:
    real = os.path.realpath(work.folder / path)
    if not real.startswith(f"{work.folder}/"):
        raise ToolError("outside")
    return real


def checked_read(work: Workspace, path: str) -> bytes:
    with open(checked_path(work, path), "rb") as file:
        return file.read()


def checked_write(work: Workspace, path: str) -> bytes:
    with open(checked_path(work, path), "wb") as file:
        file.write(b"inside")
    return b"inside"
