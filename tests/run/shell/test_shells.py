"""The shells of many conversations: few run, and those of long ago are forgotten."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.sandboxes import skip_without

from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.run.shell import shells as shells_file
from oneclaw.run.shell.session import ShellCommand
from oneclaw.run.shell.shells import Shells, ShellSetup


@pytest.fixture
async def shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shells]:
    skip_without("bubblewrap")
    monkeypatch.setattr(shells_file, "KEPT", 3)
    monkeypatch.setattr(shells_file, "LIVE", 1)
    made = Shells(ShellSetup(tmp_path / "home"))
    yield made
    await made.close()


def context(tmp_path: Path, name: str) -> Context:
    return Context(session=Session(name, workspace=Workspace(tmp_path)))


async def said(shells: Shells, tmp_path: Path, name: str, text: str) -> str:
    return (await shells.run(context(tmp_path, name), ShellCommand(text, 30))).out.text


def folders(shells: Shells) -> int:
    return len(list(shells.sandbox.quick.glob("oneclaw-states-*")))


async def test_the_oldest_lose_their_state_and_their_folders(shells: Shells, tmp_path: Path) -> None:
    for name in ("one", "two", "three", "four", "five"):
        assert await said(shells, tmp_path, name, f"NAME={name}; touch /tmp/{name}.kept") == ""
    assert folders(shells) == 3
    assert await said(shells, tmp_path, "three", "echo $NAME; ls /tmp | grep kept") == "three\nthree.kept\n"
    assert await said(shells, tmp_path, "one", "echo $NAME; ls /tmp | grep kept") == "\n"
    assert folders(shells) == 3


async def test_one_whose_job_runs_is_kept(shells: Shells, tmp_path: Path) -> None:
    await said(shells, tmp_path, "one", "NAME=one; touch /tmp/one.kept")
    job = await shells.start(context(tmp_path, "one"), ShellCommand("sleep 60", 60), is_fresh=False)
    for name in ("two", "three", "four"):
        await said(shells, tmp_path, name, "true")
    assert await said(shells, tmp_path, "one", "echo $NAME; ls /tmp | grep kept") == "one\none.kept\n"
    await shells.jobs.kill("default", job.id)
