"""Shells in control groups: the kernel refuses a task too many, whether anybody looks or not."""

import os

import pytest
from tests.child.test_group import can_be_made as can_be_made
from tests.child.test_group import made_by
from tests.run.shell.conftest import MakeShell

from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits
from oneclaw.run.shell import session as session_file
from oneclaw.run.shell import start
from oneclaw.run.shell.session import ShellCommand, ShellSession

LIMITS = SandboxLimits(processes=20)
MANY = "for n in {1..200}; do sleep 20 2>/dev/null & done 2>/dev/null; jobs -p | wc -l"


@pytest.fixture(params=["bubblewrap", "landlock"])
def shell(
    request: pytest.FixtureRequest, make_shell: MakeShell, monkeypatch: pytest.MonkeyPatch
) -> ShellSession:
    """Nobody looks: what holds is the kernel."""
    monkeypatch.setattr(session_file, "LOOK_SECONDS", 60.0)
    return make_shell(LIMITS, way=request.param)


async def test_no_more_than_so_many_are_started(shell: ShellSession) -> None:
    outcome = await shell.run(ShellCommand(MANY, 2.0))
    assert outcome.fate in ("kept", "restarted", "ended")
    assert int(outcome.out.text or 0) < 4 * LIMITS.processes
    assert (await shell.run(ShellCommand("echo on", 30))).out.text == "on\n"


async def test_without_the_group_all_are_started(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(memory_bytes: int = 0, tasks: int = 0) -> None:
        return None

    monkeypatch.setattr(start, "make_group", none)
    assert int((await shell.run(ShellCommand(MANY, 30.0))).out.text) == 200


async def test_groups_go_with_their_shells(shell: ShellSession) -> None:
    await shell.run(ShellCommand("true", 30))
    assert made_by(os.getpid())
    await shell.close()
    assert made_by(os.getpid()) == []
