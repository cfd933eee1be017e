"""The most tasks of a sandbox where we are root: the kernel refuses the next, whoever looks or not."""

import os
from pathlib import Path

import pytest
from tests.run.shell.conftest import MakeShell

from oneclaw.guard.sandbox import tasks
from oneclaw.guard.sandbox.enclosure import Limits
from oneclaw.guard.sandbox.tasks import limit_tasks
from oneclaw.run.shell import session as session_file
from oneclaw.run.shell import start
from oneclaw.run.shell.session import Command, ShellSession

LIMITS = Limits(processes=20)
MANY = "for n in {1..200}; do sleep 20 2>/dev/null & done 2>/dev/null; jobs -p | wc -l"


@pytest.fixture(autouse=True)
def can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody looks: what holds is the kernel."""
    made = limit_tasks(10)
    if made is None:
        pytest.skip("a control group cannot be made here: we are not root, or they are closed")
    made.remove()
    monkeypatch.setattr(session_file, "LOOK_SECONDS", 60.0)


@pytest.fixture(params=["bubblewrap", "landlock"])
def shell(request: pytest.FixtureRequest, make_shell: MakeShell) -> ShellSession:
    return make_shell(LIMITS, way=request.param)


def ours() -> list[str]:
    found = [path for parent in tasks._parents() for path in parent.glob(f"{tasks.PREFIX}{os.getpid()}-*")]  # pyright: ignore[reportPrivateUsage]
    return sorted(str(path) for path in found)


async def test_no_more_than_so_many_are_started(shell: ShellSession) -> None:
    outcome = await shell.run(Command(MANY, 2.0))
    assert outcome.fate in ("kept", "restarted", "ended")
    assert int(outcome.out.text or 0) < 4 * LIMITS.processes
    assert (await shell.run(Command("echo on", 30))).out.text == "on\n"


async def test_without_the_group_all_are_started(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(most: int) -> None:
        return None

    monkeypatch.setattr(start, "limit_tasks", none)
    assert int((await shell.run(Command(MANY, 30.0))).out.text) == 200


async def test_groups_go_with_their_shells(shell: ShellSession) -> None:
    await shell.run(Command("true", 30))
    assert len(ours()) == 1
    await shell.close()
    limit = limit_tasks(10)
    assert limit is not None
    limit.remove()
    assert ours() == []


def test_in_folders_that_are_no_groups_none_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tasks, "_GROUPS", tmp_path)
    parents = tasks._parents()  # pyright: ignore[reportPrivateUsage]
    for parent in parents:
        parent.mkdir(parents=True, exist_ok=True)
    assert parents
    assert limit_tasks(10) is None
    assert [path for path in tmp_path.rglob("*") if path.name.startswith(tasks.PREFIX)] == []
