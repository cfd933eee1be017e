"""Control groups: all that is in one can be ended, and no group outlives its program."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.control_groups import lack_of
from tests.processes import is_gone
from tests.users import USER, ordinary_user

from oneclaw.child import group
from oneclaw.child.group import PREFIX, Group, make_group


@pytest.fixture(autouse=True)
def can_be_made() -> None:
    made = make_group(1 << 30, 10)
    if made is not None:
        made.remove()
    if made is None or not made.holds_tasks:
        assert lack_of("pids"), "one can be made here, and was not"
        pytest.skip("a control group for tasks cannot be made here: they are closed")


def parents() -> list[Path]:
    wanted = {"memory": 1, "pids": 1}
    return [parent for places, _ in group._hierarchies(wanted) for parent in places]  # pyright: ignore[reportPrivateUsage]


def made_by(pid: int) -> list[Path]:
    return [path for parent in parents() for path in parent.glob(f"{PREFIX}*-{pid}-*")]


def test_in_folders_that_are_no_groups_none_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(group, "_ROOT", tmp_path)
    for parent in (tmp_path, *parents()):
        parent.mkdir(parents=True, exist_ok=True)
        (parent / "cgroup.procs").touch()
    assert parents()
    assert make_group(1 << 30, 10) is None
    assert [path for path in tmp_path.rglob("*") if path.name.startswith(PREFIX)] == []


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_all_that_is_in_a_group_is_ended_and_nothing_beside_it(sleeper: subprocess.Popen[bytes]) -> None:
    others = made_by(os.getpid())  # of tests before this one, in the same process
    made = make_group(1 << 30, 10)
    assert made is not None
    line = ["sh", "-c", "read _; setsid sleep 600 & echo $!; exec sleep 600"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as held:
        assert held.stdin is not None
        assert held.stdout is not None
        made.hold(held.pid)
        held.stdin.write(b"\n")
        held.stdin.flush()
        apart = int(held.stdout.readline())
        made.remove()
        assert held.wait(10) == -signal.SIGKILL
    assert is_gone(apart)
    assert set(made_by(os.getpid())) <= set(others)
    assert sleeper.poll() is None


# It says its number, makes a group with a process in it that nothing else would end, and waits.
LEAVES = """
import subprocess, sys, time
from oneclaw.child.group import make_group
made = make_group(1 << 30, 100)
inner = made.inner(10)
left = subprocess.Popen(["sleep", "600"], start_new_session=True)
inner.hold(left.pid)
print(left.pid, flush=True)
sys.stdin.read()
"""
STARTS = "from oneclaw.child.group import make_group; make_group(1 << 30, 10).remove()"


def test_the_groups_of_a_killed_program_are_ended_and_removed_by_the_next() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEAVES], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        left = int(program.stdout.readline())
        folders = made_by(program.pid)
        assert folders
        subprocess.run([sys.executable, "-c", STARTS], check=True)
        assert made_by(program.pid) == folders, "who made them is there: they stay"
        assert Path(f"/proc/{left}").exists()
        program.kill()
    assert Path(f"/proc/{left}").exists(), "the twin: until then nothing ends it"
    subprocess.run([sys.executable, "-c", STARTS], check=True)
    assert made_by(program.pid) == []
    assert is_gone(left)


USERS = """
import os
from oneclaw.child.group import make_group
made = make_group(1 << 30, 10)
print(os.getuid(), made is not None and (made.holds_memory, made.holds_tasks))
if made is not None: made.remove()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a group away")
def test_an_ordinary_user_has_groups_where_one_was_given_away() -> None:
    made = Group(folders := [parent / f"given-{os.getpid()}" for parent in parents()])
    for folder in folders:
        folder.mkdir()
        for file in (folder, folder / "cgroup.procs"):
            os.chown(file, USER, USER)
    try:
        with ordinary_user() as (before, folder):
            enter = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"'
            line = ["sh", "-c", enter, "sh", *map(str, folders), "--", *before]
            given, not_given = (
                subprocess.run(
                    [*start, sys.executable, "-c", USERS],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
                for start in (line, before)
            )
    finally:
        made.remove()
    assert given == f"{USER} (True, True)\n"
    assert not_given == f"{USER} False\n"
