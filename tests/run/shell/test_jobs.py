"""Jobs: one that cannot be put down or is meant for another folder is not started; all share their memory."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from tests.sandboxes import skip_without

from oneclaw.child.group import make_group
from oneclaw.child.process_tree import descendants
from oneclaw.core.errors import ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxSettings
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.run.shell import jobs as jobs_file
from oneclaw.run.shell import start
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.jobs import Job, Jobs
from oneclaw.run.shell.session import ShellCommand
from oneclaw.run.shell.shells import Shells, ShellSetup


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

    def make_sandbox(folder: ShellFolder, network: bool) -> SandboxSpec:
        return sandbox.make_spec(session, folder.states, folder.tmp, network)

    jobs = Jobs(tmp_path / "jobs.json", SandboxLimits())
    make_sandbox(ShellFolder(shared, shared), False)  # what it makes once stays open
    before = len(os.listdir("/proc/self/fd")), descendants(os.getpid())
    with pytest.raises(OSError):
        await jobs.start("one", ShellCommand("sleep 60", 60.0), make_sandbox, shared, b"")
    assert (len(os.listdir("/proc/self/fd")), descendants(os.getpid())) == before
    assert os.listdir(shared.parent) == ["tmp"]
    sandbox.close()


async def test_a_job_meant_for_one_folder_is_not_started_in_another(tmp_path: Path, workspace: Path) -> None:
    skip_without("bubblewrap")
    shells = Shells(ShellSetup(tmp_path / "home"))
    context = Context("1", Session("one", workspace=Workspace(workspace)))
    await shells.run(context, ShellCommand("mkdir a; cd a", 60.0))
    with pytest.raises(ToolError, match="has gone to"):
        await shells.start(context, ShellCommand("touch here", 60.0, folder=str(workspace)), is_fresh=False)
    assert shells.jobs.list(context.agent) == []
    where = shells.where(context.session)
    started = await shells.start(context, ShellCommand("sleep 60", 60.0, folder=where), is_fresh=False)
    assert started.state == "running"
    await shells.close()


HOLDS = 'python3 -c \'b = b"x" * (50 << 20); open("up", "a").write("x"); import time; time.sleep(600)\''


async def together(shells: Shells, workspace: Path, seconds: float) -> list[str]:
    """Start two jobs of 50 MB each where 80 are allowed: what each is when one is ended, or after a time."""
    context = Context("1", Session("one", workspace=Workspace(workspace)))
    for _ in range(2):
        await shells.start(context, ShellCommand(HOLDS, 60.0), is_fresh=True)
    up, until = workspace / "up", None
    while all(job.state == "running" for job in shells.jobs.list(context.agent)):
        await asyncio.sleep(0.05)
        if until is None and up.exists() and up.read_text() == "xx":
            until = time.monotonic() + seconds
        if until is not None and time.monotonic() > until:
            break
    states = sorted(job.state for job in shells.jobs.list(context.agent))
    assert all("memory" in job.why for job in shells.jobs.list(context.agent) if job.state == "killed")
    await shells.close()
    return states


def no_group(memory_bytes: int = 0, tasks: int = 0) -> None:
    """As on a machine where none can be made."""


@pytest.mark.parametrize("has_group", [True, False])
async def test_jobs_have_no_more_memory_together_than_one_shell(
    tmp_path: Path, workspace: Path, has_group: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without("bubblewrap")
    if not has_group:
        monkeypatch.setattr(start, "make_group", no_group)
        monkeypatch.setattr(jobs_file, "make_group", no_group)
    shells = Shells(ShellSetup(tmp_path / "home", memory_mb=80))
    assert await together(shells, workspace, 30.0) == ["killed", "running"]


async def test_in_a_shared_group_that_holds_though_nobody_looks(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without("bubblewrap")
    shared = make_group(1 << 30)
    if shared is not None:
        shared.remove()
    if shared is None or not shared.holds_memory:
        pytest.skip("no control group that holds memory can be made here")
    monkeypatch.setattr(jobs_file, "LOOK_SECONDS", 60.0)
    shells = Shells(ShellSetup(tmp_path / "home", memory_mb=80))
    assert await together(shells, workspace, 30.0) == ["killed", "running"]


async def test_each_with_a_limit_of_its_own_they_have_twice_as_much(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    skip_without("bubblewrap")
    monkeypatch.setattr(start, "make_group", no_group)
    monkeypatch.setattr(jobs_file, "make_group", no_group)

    def none(jobs: Jobs, job: Job, memory_bytes: int) -> None:
        return None

    monkeypatch.setattr(Jobs, "_excess", none)
    shells = Shells(ShellSetup(tmp_path / "home", memory_mb=80))
    assert await together(shells, workspace, 1.0) == ["running", "running"]
