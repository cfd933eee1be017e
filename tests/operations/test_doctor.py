"""The doctor without a door: what cannot work is said before it is tried."""

import asyncio
import sys
from pathlib import Path

import pytest
from tests.programs import make_program

from oneclaw import App, Config
from oneclaw.child import group
from oneclaw.child.group import make_group
from oneclaw.guard.sandbox import landlock
from oneclaw.operations.doctor import can_be_made, diagnose
from oneclaw.operations.machine import check_limits, check_sandbox


async def test_a_damaged_store_is_told_by_each_check_that_needs_it_and_the_others_go_on(
    config: Config,
) -> None:
    async with App(config):
        pass
    sound = await diagnose(config)
    assert "bad" not in {check.state for check in sound}
    config.store_file.write_bytes(b"no database, but as long as one: " * 100)
    damaged = await diagnose(config)
    assert [check.topic for check in damaged] == [check.topic for check in sound]
    bad = {check.topic for check in damaged if check.state == "bad"}
    assert bad == {"store", "tools", "sources", "tool files", "models", "features"}


async def test_a_check_that_waits_for_a_program_does_not_stop_the_others_in_the_loop(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go = tmp_path / "started", tmp_path / "go"
    waiting = f": > {started}; until [ -e {go} ]; do /bin/sleep 0.02; done; exit 7"
    make_program(tmp_path / "bin", "bwrap", waiting)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    looking = asyncio.create_task(diagnose(config))
    while not looking.done():
        await asyncio.sleep(0.01)
        if started.exists():
            go.touch()
    (sandbox,) = (check for check in looking.result() if check.topic == "sandbox")
    assert "exit code 7" in sandbox.text


def test_a_folder_that_is_not_there_yet_can_be_made(tmp_path: Path) -> None:
    assert can_be_made(tmp_path)
    assert can_be_made(tmp_path / "not" / "yet")


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap and Landlock are of Linux")
def test_without_bubblewrap_it_says_what_shuts_commands_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # a folder with no programs
    finding = check_sandbox("sandbox", "auto")
    assert finding.state == "warn"
    assert "bubblewrap is not installed" in finding.text
    assert ("Landlock" in finding.text) == bool(landlock.version())
    assert "Landlock" not in check_sandbox("sandbox", "bubblewrap").text


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is of Linux")
def test_bubblewrap_that_is_there_and_does_not_work_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_program(tmp_path, "bwrap", "echo 'no namespaces for you' >&2\nexit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    finding = check_sandbox("sandbox", "bubblewrap")
    assert (finding.state, "bubblewrap does not work here" in finding.text) == ("warn", True)
    assert "no command is run" in finding.remedy


def test_it_names_what_holds_the_memory_and_the_processes_of_commands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = make_group(1 << 30, 10)
    if made is not None:
        made.remove()
    is_held = made is not None and made.holds_memory and made.holds_tasks
    text = "control groups hold the memory and processes of commands"
    assert (check_limits().text == text) == is_held
    monkeypatch.setattr(group, "_ROOT", tmp_path)
    counted = (
        "no control group can be made for the memory and processes of commands: counted ten times a second"
    )
    assert check_limits().text == counted
