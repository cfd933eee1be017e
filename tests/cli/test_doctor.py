"""`oneclaw doctor`: what cannot work is said before it is tried."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.programs import make_program

from oneclaw.guard.sandbox import group, landlock
from oneclaw.guard.sandbox.group import make_group
from oneclaw.operations.doctor import can_be_made
from oneclaw.operations.machine import check_limits, check_sandbox

Cli = Any


@pytest.mark.parametrize(("option", "topic"), [("--home", "store"), ("--workspace", "workspace")])
def test_a_folder_that_cannot_be_made_is_found_and_the_remedy_named(
    cli: Cli, tmp_path: Path, option: str, topic: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        ended = cli(option, str(folder), "doctor", "--json")
        finding = next(one for one in ended.json if one["topic"] == topic)
        assert (ended.code, finding["state"]) == (1, "bad")
        assert str(folder) in finding["text"]
        assert option in finding["remedy"]


def test_a_folder_that_is_not_there_yet_can_be_made(tmp_path: Path) -> None:
    assert can_be_made(tmp_path)
    assert can_be_made(tmp_path / "not" / "yet")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('[tools]\ndeny = ["red_file"]', "tools.deny names 'red_file', which fits no tool"),
        ("[limits.tools.red_file]\nseconds = 1", "limits.tools names 'red_file', which fits no tool"),
        ("[switches]\nmemory_store = false", "switches names 'memory_store', which has no switch of its own"),
        (
            '[tools]\ndeny = ["red_file", "rite_file"]\n[permissions.needs]\nfly = "ask"',
            "tools.deny names 'red_file', which fits no tool (and 2 more that are wrong)",
        ),
        (
            '[permissions.needs]\n"files.wirte" = "denied"',
            "permissions.needs names 'files.wirte', which no tool needs",
        ),
    ],
)
def test_a_setting_that_is_about_nothing_is_found(cli: Cli, tmp_path: Path, settings: str, said: str) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(settings)
    findings = cli("--config", str(file), "doctor", "--json").json
    assert next(one["text"] for one in findings if one["topic"] == "tools") == said


def test_settings_that_are_about_something_are_fine_and_the_tools_counted(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text('[permissions.needs]\n"files.write" = "ask"\n[limits.tools.read_file]\nchars = 900')
    findings = cli("--config", str(file), "doctor", "--json").json
    count = len(cli("tools", "--json").json)
    assert next(one["text"] for one in findings if one["topic"] == "tools") == f"{count} tools"


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


@pytest.mark.parametrize("setting", ['mode = "native"', 'sandbox = "none"'])
def test_a_shell_that_nothing_shuts_in_is_told(cli: Cli, tmp_path: Path, setting: str) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(f"[shell]\n{setting}\n")
    findings = cli("--config", str(file), "doctor", "--json").json
    (finding,) = (one for one in findings if one["topic"] == "sandbox")
    assert finding["state"] == "warn"
    assert f"by shell.{setting}: they can do all that you can" in finding["text"]


def test_features_that_are_on_are_told_and_what_a_tool_lacks(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bash", "ssh"):
        make_program(tmp_path / "bin", name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    file = tmp_path / "oneclaw.toml"
    file.write_text(
        '[web.search]\nprovider = "searxng"\nurl = "http://localhost:8080"\n[features]\nmemory = false'
    )
    for on in ("none", "shell, sandbox"):
        findings = cli("--config", str(file), "doctor", "--json").json
        (finding,) = (one for one in findings if one["topic"] == "features")
        assert finding["text"].startswith(f"on: {on};")
        cli("--config", str(file), "features", "on", "shell")
    file.write_text('[web.search]\nprovider = "searxng"\n')
    findings = cli("--config", str(file), "doctor", "--json").json
    (finding,) = (one for one in findings if one["topic"] == "features")
    assert finding["state"] == "warn"
    assert (
        "web_search is not there: The search provider searxng has no address: set web.search.url"
        in finding["text"]
    )


def test_a_feature_whose_program_is_not_installed_is_found(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_program(tmp_path / "bin", "bash")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    cli("features", "on", "shell")
    (finding,) = (one for one in cli("doctor", "--json").json if one["topic"] == "features")
    assert finding["state"] == "warn"
    assert "ssh_configure_host is not there: ssh is not installed" in finding["text"]
