"""The last of a disk: no number of commands takes it, be it bytes or files; one can still read and remove.

Everything is on a disk in memory that is made for the test, of 256 MB.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.small_disks import mounted
from tests.sandboxes import skip_without
from tests.shells import opened_shell
from tests.users import ordinary_user

from oneclaw.guard.sandbox.sandbox import SandboxChoice
from oneclaw.run.shell import disk
from oneclaw.run.shell.excess import watch_disks
from oneclaw.run.shell.session import ShellCommand

DISK_BYTES, DISK_FILES = 256 << 20, 20_000
PART = 2
"""Of these so much must stay: 128 MB, 10,000 files."""
FILLS = {
    "one file": "head -c 60M /dev/zero >big-$RANDOM-$RANDOM",
    "many files": "for n in {1..60}; do head -c 1M /dev/zero >part-$RANDOM-$RANDOM; done",
    "one call": "fallocate -l 50M big-$RANDOM-$RANDOM",
    # With a breath now and then: on a busy machine we may look ten times a second and no more.
    "empty files": "n=$RANDOM$RANDOM; for i in {1..4000}; do : >name-$n-$i; ((i % 100)) || sleep 0.02; done",
}
FAST = {
    name: f"t=${{EPOCHREALTIME#*.}}; for p in {{1..4}}; do ({fill}) & done; wait"
    for name, fill in {
        "parts": "for n in {1..800}; do head -c 256K /dev/zero >part-$t-$p-$n; done",
        "blocks": "dd if=/dev/zero of=part-$t-$p bs=1M count=100",
        "copies": "for n in {1..100}; do cp big part-$t-$p-$n; done",
        "names": "for n in {1..9000}; do : >name-$t-$p-$n; done",
        "folders": "mkdir name-$t-$p-{1..9000}",
    }.items()
}
"""As fast as it goes: what these take below the floor is what they take until they are stopped."""
ROUNDS = 5
FAST_ROUNDS = 2
MUCH = 2 << 20

fills = pytest.mark.parametrize("fill", FILLS)
ways = pytest.mark.parametrize("way", ["bubblewrap", "landlock"])


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with mounted(f"size={DISK_BYTES},nr_inodes={DISK_FILES},mode=777") as folder:
        yield folder


def free_bytes(folder: Path) -> int:
    seen = os.statvfs(folder)
    return seen.f_bavail * seen.f_frsize


async def fill_it(
    folder: Path, ws: Path, way: SandboxChoice, fill: str, part: int, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Run a command that fills the disk again and again, then one that reads and one that removes."""
    disk.PART = part
    (ws / "kept").write_text("kept\n")
    (ws / "big").write_bytes(bytes(4 << 20))
    try:
        async with opened_shell(folder, ws, way) as shell:
            stops = [(await shell.run(ShellCommand((FILLS | FAST)[fill], 60.0))).stop for _ in range(rounds)]
            left_bytes, left_files = free_bytes(ws), os.statvfs(ws).f_favail
            read = await shell.run(ShellCommand("cat kept; ls | wc -l", 30.0))
            removed = await shell.run(ShellCommand("rm -rf big-* part-* name-* && echo removed", 30.0))
            again = await shell.run(ShellCommand("echo new >new && cat new", 30.0))
    finally:
        disk.PART = 10
    return {
        "stops": stops,
        "free_bytes": left_bytes,
        "free_files": left_files,
        "after": [each.stop for each in (read, removed, again)],
        "said": [read.out.text.split("\n")[0], removed.out.text, again.out.text],
    }


def holds(found: dict[str, Any]) -> None:
    """Of what must stay, most has; the last commands were stopped, or could not write so much."""
    assert found["free_bytes"] > DISK_BYTES // PART * 0.7
    assert found["free_files"] > DISK_FILES // PART * 0.2, "names are made fast, and looked at now and then"
    assert found["after"] == [None] * 3
    assert found["said"] == ["kept", "removed\n", "new\n"]


@ways
@fills
async def test_no_number_of_commands_takes_the_last_of_a_disk(
    tmp_path: Path, small_disk: Path, way: SandboxChoice, fill: str
) -> None:
    skip_without(way)
    found = await fill_it(tmp_path, small_disk, way, fill, PART)
    holds(found)
    if fill in ("many files", "empty files"):
        assert found["stops"][-1] == "disk"


@ways
@pytest.mark.parametrize("fill", FAST)
async def test_commands_as_fast_as_it_goes_get_little_below_the_floor(
    tmp_path: Path, small_disk: Path, way: SandboxChoice, fill: str
) -> None:
    skip_without(way)
    found = await fill_it(tmp_path, small_disk, way, fill, PART, FAST_ROUNDS)
    for _ in range(5):  # a machine that is busy with other things lets us look too seldom now and then
        if is_little(found):
            break
        found = await fill_it(tmp_path, small_disk, way, fill, PART, FAST_ROUNDS)
    assert is_little(found), found


def is_little(found: dict[str, Any]) -> bool:
    """Whether all were stopped with most of the floor left, and one could remove what they wrote."""
    return (
        found["stops"] == ["disk"] * FAST_ROUNDS
        and found["free_bytes"] > DISK_BYTES // PART * 0.8
        and found["free_files"] > DISK_FILES // PART * 0.6
        and found["said"] == ["kept", "removed\n", "new\n"]
    )


@pytest.mark.parametrize("is_killed", [True, False])
async def test_a_command_that_is_seen_below_the_floor_writes_no_more(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch, is_killed: bool
) -> None:
    """The twin has it swept by its first bash, which has to wait for its turn among those that write."""
    skip_without("bubblewrap")
    seen: list[int] = []

    class Seeing(disk.Disks):
        def are_overdrawn(self) -> bool:
            is_overdrawn = super().are_overdrawn()
            if is_overdrawn:
                seen.append(free_bytes(small_disk))
            return is_overdrawn

    monkeypatch.setattr("oneclaw.run.shell.session.Disks", Seeing)
    if not is_killed:
        monkeypatch.setattr("oneclaw.run.shell.session.AT_ONCE", ())
    written: list[int] = []
    for _ in range(5):
        seen.clear()
        found = await fill_it(tmp_path, small_disk, "bubblewrap", "blocks", PART, 1)
        written.append(seen[0] - found["free_bytes"])
    assert sorted(written)[2] < MUCH if is_killed else max(written) > MUCH, written


class Counting(disk.Disks):
    looks = 0

    def are_overdrawn(self) -> bool:
        self.looks += 1
        return super().are_overdrawn()


@pytest.mark.parametrize(("near_files", "is_often"), [(disk.NEAR_FILES, True), (1, False)])
async def test_the_nearer_the_floor_is_the_oftener_it_is_looked_at(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, near_files: int, is_often: bool
) -> None:
    """The twin takes every distance for a large one."""
    monkeypatch.setattr(disk, "NEAR_BYTES", 1)
    monkeypatch.setattr(disk, "NEAR_FILES", near_files)
    spare = DISK_FILES - DISK_FILES // disk.PART
    for number in range(spare - 500):
        (small_disk / str(number)).touch()
    disks = Counting([str(small_disk)])
    assert (disks.look_seconds(0.1) < 0.01) is is_often
    await watch_disks(asyncio.get_running_loop().create_future(), disks, 0.1)
    assert (disks.looks > 3) is is_often


@fills
async def test_without_a_floor_they_take_all_of_it(tmp_path: Path, small_disk: Path, fill: str) -> None:
    """The twin."""
    skip_without("bubblewrap")
    found = await fill_it(tmp_path, small_disk, "bubblewrap", fill, 1 << 60)
    assert found["stops"] == [None] * ROUNDS
    assert found["free_files"] == 0 if fill == "empty files" else found["free_bytes"] < DISK_BYTES // 10


USERS = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.faults import test_disk_floor as test
ws, way, fill, part = sys.argv[2:]
print(json.dumps(asyncio.run(test.fill_it(Path.cwd(), Path(ws), way, fill, int(part)))))
"""


def as_user(small_disk: Path, fill: str, part: int) -> dict[str, Any]:
    with ordinary_user() as (before, folder):
        line = [*before, sys.executable, "-c", USERS, str(Path(__file__).parents[2]), str(small_disk)]
        done = subprocess.run(
            [*line, "bubblewrap", fill, str(part)], cwd=folder, capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("fill", [*FILLS, "blocks"])
def test_nor_does_an_ordinary_user(small_disk: Path, fill: str) -> None:
    skip_without("bubblewrap")
    holds(as_user(small_disk, fill, PART))


def test_without_a_floor_an_ordinary_user_takes_all_of_it(small_disk: Path) -> None:
    """The twin."""
    skip_without("bubblewrap")
    assert as_user(small_disk, "one file", 1 << 60)["free_bytes"] < DISK_BYTES // 10
