"""The workspace and folders in it exchanged for links as fast as it goes: nothing outside is touched.

The twin takes the pin of the root away and gives the secret away. `--many 1` runs the exchanges for a minute.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.faults.test_symlink_race import ATTACKER, SECRET, list_names, read, write

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import places

SECONDS, MANY_SECONDS = 5.0, 60.0


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    return MANY_SECONDS if request.config.getoption("--many") else SECONDS


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """A workspace inside a folder to write, a folder in it, and beside each a link to its twin outside."""
    for place in ("proj/app", "outside"):
        (tmp_path / place / "folder").mkdir(parents=True)
        for name in ("file", "folder/file"):
            (tmp_path / place / name).write_bytes(SECRET if place == "outside" else b"inside")
    (tmp_path / "proj/app-link").symlink_to(tmp_path / "outside")
    (tmp_path / "proj/app/folder-link").symlink_to(tmp_path / "outside/folder")
    return Workspace(tmp_path / "proj/app", (Root(tmp_path / "proj", "write"),))


def snapshot(work: Workspace) -> dict[str, bytes]:
    outside = work.folder.parent.parent / "outside"
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in outside.rglob("*")}


@contextmanager
def attacked(work: Workspace) -> Generator[None]:
    read(work, "file")  # as a program does at its start: the workspace is the folder that is there now
    names = [str(work.folder), f"{work.folder}-link", f"{work.folder}/folder", f"{work.folder}/folder-link"]
    with subprocess.Popen([sys.executable, "-c", PATIENT, *names], stdout=subprocess.PIPE) as attacker:
        try:
            assert attacker.stdout is not None
            assert attacker.stdout.readline() == b"ready\n"
            yield
        finally:
            attacker.kill()


# While the root is exchanged, the names in it are not there: that exchange is left out.
PATIENT = ATTACKER.replace(
    "            os.rename(one, one", "            continue\n            os.rename(one, one"
)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_no_exchange_of_root_or_folder_leads_outside(work: Workspace, seconds: float) -> None:
    before = snapshot(work)
    done, refused = 0, 0
    doings: list[tuple[Callable[[Workspace, str], bytes], str]] = [
        *((read, path) for path in ("file", "folder/file", f"{work.folder}/file", "../app/file") * 10),
        *((write, path) for path in ("file", "folder/file", "folder/new", "fresh/new")),
        (list_names, "folder/file"),
    ]
    with attacked(work):
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
    assert done > 200, "both were met, and often: the root was exchanged while it was used"
    assert refused > 200


@pytest.mark.slow
def test_without_the_pin_the_secret_is_read_within_that_time(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(self: object, real: str, found: object) -> bool:
        return False

    with attacked(work):
        monkeypatch.setattr(places.Places, "is_exchanged", never)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                if read(work, "file") == SECRET:
                    return
            except ToolError:
                continue
    pytest.fail("the twin gave nothing away")
