"""Shells in every kind of sandbox this machine has, for the tests of what holds in them."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.sandboxes import skip_without

from oneclaw.core.session import Root, Session, Workspace
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxChoice, SandboxSettings
from oneclaw.guard.sandbox.sandbox_spec import SandboxSpec
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.session import CommandOutcome, ShellCommand, ShellSession

Say = Callable[..., Awaitable[CommandOutcome]]
MakeSay = Callable[..., Say]


@pytest.fixture
async def make_say(tmp_path: Path) -> AsyncIterator[MakeSay]:
    """Makes `say(command)` for a way to shut commands in; the workspace is `tmp_path/ws`."""
    made: list[ShellSession] = []
    sandboxes: list[Sandbox] = []
    (tmp_path / "ws").mkdir()

    def make(way: SandboxChoice, roots: tuple[Root, ...] = (), folder: Path | None = None) -> Say:
        skip_without(way)
        sandbox = Sandbox(SandboxSettings(tmp_path / "data" / "homes", sandbox=way))
        sandboxes.append(sandbox)
        session = Session("one", workspace=Workspace(folder or tmp_path / "ws", roots))

        def make_sandbox(folders: ShellFolder, network: bool) -> SandboxSpec:
            return sandbox.make_spec(session, folders.states, folders.tmp, network)

        shell = ShellSession(make_sandbox, sandbox.settings.limits)
        made.append(shell)

        async def say(text: str, *, network: bool = False) -> CommandOutcome:
            return await shell.run(ShellCommand(text, 60.0, network=network))

        return say

    yield make
    for shell in made:
        await shell.close()
    for sandbox in sandboxes:
        sandbox.close()


@contextmanager
def listening(name: str) -> Generator[None]:
    """A local socket that programs may connect to; nobody answers them."""
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(name)
        here.listen(8)
        yield
