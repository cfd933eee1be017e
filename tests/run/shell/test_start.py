"""Starting bash: whichever numbers the descriptors have that it is given."""

import os
import resource
from dataclasses import replace

import pytest
from tests.run.shell.conftest import MakeShell

from oneclaw.core.errors import ToolError
from oneclaw.guard.sandbox.sandbox_spec import SandboxSpec
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.script import GO, LINE
from oneclaw.run.shell.session import ShellCommand


@pytest.mark.parametrize("free", range(LINE - 12, GO))
async def test_a_shell_starts_whichever_descriptors_are_free(make_shell: MakeShell, free: int) -> None:
    taken = [os.open(os.devnull, os.O_RDONLY)]
    while taken[-1] < free:
        taken.append(os.dup(taken[0]))
    try:
        outcome = await make_shell().run(ShellCommand("echo said; exit 3", 60.0))
    finally:
        for fd in taken:
            os.close(fd)
    assert (outcome.out.text, outcome.code) == ("said\n", 3)


async def test_a_shell_that_finds_too_few_descriptors_leaves_none_open(make_shell: MakeShell) -> None:
    shell = make_shell()
    await shell.run(ShellCommand("true", 60.0))
    await shell.let_go()
    before = len(os.listdir("/proc/self/fd"))
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (GO - 40, GO + 1, GO + 3):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, usual[1]))
        try:
            with pytest.raises(ToolError, match="could not be started"):
                await shell.run(ShellCommand("true", 60.0))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        assert len(os.listdir("/proc/self/fd")) == before
    assert (await shell.run(ShellCommand("echo on", 60.0))).out.text == "on\n"


async def test_a_shell_that_cannot_start_names_the_folder_that_is_not_there(
    make_shell: MakeShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = make_shell(way="none")
    make_sandbox = shell._make_sandbox  # pyright: ignore[reportPrivateUsage]

    def elsewhere(folder: ShellFolder, network: bool) -> SandboxSpec:
        return replace(make_sandbox(folder, network), directory="/nowhere")

    monkeypatch.setattr(shell, "_make_sandbox", elsewhere)
    with pytest.raises(ToolError, match="could not be started: No such file or directory: /nowhere"):
        await shell.run(ShellCommand("true", 60.0))
