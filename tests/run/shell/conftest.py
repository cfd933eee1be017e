"""A shell in a real sandbox, for the tests of shells."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.sandboxes import skip_without

from oneclaw.core.session import Session, Workspace
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxChoice, SandboxSettings
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.session import ShellSession

MakeShell = Callable[..., ShellSession]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
async def make_shell(tmp_path: Path, workspace: Path) -> AsyncIterator[MakeShell]:
    """Makes shells, each with the limits asked for; all are closed in the end."""
    made: list[ShellSession] = []
    sandboxes: list[Sandbox] = []

    def make(limits: SandboxLimits | None = None, *, way: SandboxChoice = "bubblewrap") -> ShellSession:
        skip_without(way)
        limits = limits or SandboxLimits()
        session = Session("one", workspace=Workspace(workspace))
        sandbox = Sandbox(SandboxSettings(tmp_path / "homes", sandbox=way))
        sandboxes.append(sandbox)

        def make_sandbox(folder: ShellFolder, network: bool) -> SandboxSpec:
            return sandbox.make_spec(session, folder.states, folder.tmp, network)

        made.append(ShellSession(make_sandbox, limits))
        return made[-1]

    yield make
    for shell in made:
        await shell.close()
    for sandbox in sandboxes:
        sandbox.close()


@pytest.fixture
def shell(make_shell: MakeShell) -> ShellSession:
    return make_shell()
