"""A shell in a real sandbox."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from oneclaw.core.session import Session, Workspace
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxChoice, SandboxSettings
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.session import ShellSession


@asynccontextmanager
async def opened_shell(
    folder: Path, workspace: Path, way: SandboxChoice = "auto", limits: SandboxLimits | None = None
) -> AsyncGenerator[ShellSession]:
    """A shell of a session that works in `workspace`; its homes are in `folder`."""
    limits = limits or SandboxLimits()
    sandbox = Sandbox(SandboxSettings(folder / "homes", sandbox=way, limits=limits))
    session = Session("one", workspace=Workspace(workspace))

    def make_sandbox(made: ShellFolder, network: bool) -> SandboxSpec:
        return sandbox.make_spec(session, made.states, made.tmp, network)

    shell = ShellSession(make_sandbox, limits)
    try:
        yield shell
    finally:
        await shell.close()
        sandbox.close()
