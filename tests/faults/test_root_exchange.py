"""The workspace and folders in it exchanged for links as fast as it goes: nothing outside is touched.

The twin takes the pin of the root away and gives the secret away. `--many 1` runs the exchanges for a minute.
"""

import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.faults.test_symlink_race import (
    ATTACKER,
    SECONDS,
    SECRET,
    Doing,
    check_nothing_leaks,
    exchanging,
    list_names,
    read,
    write,
)
from tests.faults.test_symlink_race import seconds as seconds

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import places


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


# While the root is exchanged, the names in it are not there: that exchange is left out.
PATIENT = ATTACKER.replace(
    "            os.rename(one, one", "            continue\n            os.rename(one, one"
)


def attacked(work: Workspace) -> AbstractContextManager[None]:
    read(work, "file")  # as a program does at its start: the workspace is the folder that is there now
    root, folder = str(work.folder), f"{work.folder}/folder"
    return exchanging(root, f"{root}-link", folder, f"{folder}-link", attacker=PATIENT)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_no_exchange_of_root_or_folder_leads_outside(work: Workspace, seconds: float) -> None:
    doings: list[Doing] = [
        *((read, path) for path in ("file", "folder/file", f"{work.folder}/file", "../app/file") * 10),
        *((write, path) for path in ("file", "folder/file", "folder/new", "fresh/new")),
        (list_names, "folder/file"),
    ]
    check_nothing_leaks(work, doings, seconds, attacked(work))


@pytest.mark.slow
def test_without_the_pin_the_secret_is_read_within_that_time(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(self: object, real: str, found: object) -> bool:
        return False

    with attacked(work):
        monkeypatch.setattr(places.ProtectedPlaces, "is_exchanged", never)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                if read(work, "file") == SECRET:
                    return
            except ToolError:
                continue
    pytest.fail("the twin gave nothing away")
