"""Jobs: one that cannot be put down or is meant for another folder is not started, and leaves nothing."""

import os
from pathlib import Path

import pytest
from tests.sandboxes import skip_without

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard.sandbox.enclosure import Enclosure, Limits
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxSettings
from oneclaw.guard.sandbox.tree import descendants
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.jobs import Jobs
from oneclaw.run.shell.session import Command
from oneclaw.run.shell.shells import Shells, ShellSettings


async def test_a_job_that_no_ledger_takes_leaves_no_shell_and_no_files(
    tmp_path: Path, workspace: Path
) -> None:
    skip_without("bubblewrap")
    sandbox, session = (
        Sandbox(SandboxSettings(tmp_path / "homes")),
        Session("one", workspace=Workspace(workspace)),
    )
    shared = tmp_path / "folders" / "tmp"
    shared.mkdir(parents=True)
    (tmp_path / "jobs.new").mkdir()  # where the ledger is written

    def enclose(folder: ShellFolder, network: bool) -> Enclosure:
        return sandbox.enclosure(session, folder.states, folder.tmp, network)

    jobs = Jobs(tmp_path / "jobs.json", Limits())
    enclose(ShellFolder(shared, shared), False)  # what it makes once stays open
    before = len(os.listdir("/proc/self/fd")), descendants(os.getpid())
    with pytest.raises(OSError):
        await jobs.start("one", Command("sleep 60", 60.0), enclose, shared, b"")
    assert (len(os.listdir("/proc/self/fd")), descendants(os.getpid())) == before
    assert os.listdir(shared.parent) == ["tmp"]
    sandbox.close()


async def test_a_job_meant_for_one_folder_is_not_started_in_another(tmp_path: Path, workspace: Path) -> None:
    skip_without("bubblewrap")
    shells = Shells(ShellSettings(tmp_path / "home"))
    context = Context("1", Session("one", workspace=Workspace(workspace)))
    await shells.run(context, Command("mkdir a; cd a", 60.0))
    with pytest.raises(ToolError, match="has gone to"):
        await shells.start(context, Command("touch here", 60.0, folder=str(workspace)), is_fresh=False)
    assert shells.jobs.list(context.agent) == []
    where = shells.where(context.session)
    started = await shells.start(context, Command("sleep 60", 60.0, folder=where), is_fresh=False)
    assert started.state == "running"
    await shells.close()
