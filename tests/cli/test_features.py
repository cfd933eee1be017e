"""`oneclaw features`: parts that are switched as a whole."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.programs import make_program

from oneclaw.cli.completion import feature_names, tools_words
from oneclaw.operations import features

Cli = Any
SHELL = ("execute_shell_command", "manage_process", "ssh_configure_host")


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs: bash and ssh are there."""
    folder = tmp_path / "bin"
    for name in ("bash", "ssh"):
        make_program(folder, name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def is_on(cli: Cli, *names: str) -> set[bool]:
    return {row["on"] for row in cli("tools", "--json").json if row["name"] in names}


def test_they_are_listed_with_their_tools(cli: Cli) -> None:
    rows = {row["name"]: row for row in cli("features", "--json").json}
    assert list(rows) == ["memory", "shell", "sandbox"]
    assert [name for name, row in rows.items() if row["on"]] == ["memory"]
    assert rows["shell"]["tools"] == ["execute_shell_command", "manage_process"]
    assert "Agents run commands" in cli("features").out


def test_one_without_tools_is_not_listed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(features.FEATURES[0], name="nothing", along="")
    monkeypatch.setattr(features, "FEATURES", (*features.FEATURES, bare))
    assert [row["name"] for row in cli("features", "--json").json] == ["memory", "shell", "sandbox"]


@pytest.mark.parametrize("command", ["features", "tools"])
def test_one_is_switched_with_all_that_rides_along(cli: Cli, command: str) -> None:
    assert is_on(cli, *SHELL) == {False}
    ended = cli(command, "on", "shell")
    assert ended.code == 0
    assert ended.out == (
        "shell is switched on.\nOn with it: execute_shell_command, manage_process, ssh_configure_host.\n"
    )
    assert is_on(cli, *SHELL) == {True}
    assert cli(command, "off", "shell", "--json").json["on"] is False
    assert is_on(cli, *SHELL) == {False}


def test_a_tool_whose_program_is_not_installed_stays_off_and_why_is_told(cli: Cli, programs: Path) -> None:
    (programs / "ssh").unlink()
    assert cli("features", "on", "shell").out == (
        "shell is switched on.\nOn with it: execute_shell_command, manage_process.\nssh_configure_host is off"
        " all the same: ssh is not installed (on Debian and Ubuntu: apt install openssh-client).\n"
    )
    assert is_on(cli, *SHELL[:2]) == {True}
    assert is_on(cli, SHELL[2]) == {False}


def test_of_a_feature_and_the_tool_that_leads_it_the_last_word_holds(cli: Cli) -> None:
    for words in (("features", "on", "shell"), ("tools", "on", "execute_shell_command")):
        cli("tools", "off", "execute_shell_command")
        cli("features", "off", "shell")
        cli(*words)
        assert is_on(cli, *SHELL) == {True}
    for words in (("features", "off", "shell"), ("tools", "off", "execute_shell_command")):
        cli("features", "on", "shell")
        cli(*words)
        assert is_on(cli, *SHELL) == {False}
        assert f"`oneclaw {' '.join(words)}`" in cli("why", "manage_process").out


def test_what_was_switched_wins_over_the_settings_until_it_is_taken_back(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text("[features]\nmemory = false\nshell = true\n[switches]\nread_file = false\n")
    settings = ("--config", str(file))
    assert "off by features.memory" in cli(*settings, "why", "memory_store").out
    cli("features", "on", "memory")
    cli("tools", "off", "execute_shell_command")
    cli("tools", "on", "read_file")
    assert "on by `oneclaw features on memory`" in cli(*settings, "why", "memory_store").out
    assert "off by `oneclaw tools off execute_shell_command`" in cli(*settings, "why", "manage_process").out
    assert "on by `oneclaw tools on read_file`" in cli(*settings, "why", "read_file").out
    assert cli(*settings, "features", "reset", "memory").out.startswith(
        "memory is off, by features.memory.\n"
    )
    assert cli(*settings, "features", "reset", "shell").out.startswith("shell is on, by features.shell.\n")
    assert cli(*settings, "tools", "reset", "read_file").out == (
        "read_file is off again: it is switched off by switches.read_file.\n"
    )


def test_what_stays_off_all_the_same_is_told(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text('[tools]\ndeny = ["manage_process"]\n')
    said = cli("--config", str(file), "features", "on", "shell").out
    assert 'manage_process is off all the same: tools.deny has "manage_process".' in said


def test_an_unknown_one_is_said_with_the_nearest(cli: Cli) -> None:
    ended = cli("features", "on", "shel")
    assert ended.code == 3
    assert "there is no feature 'shel'. Did you mean shell" in ended.err
    assert cli("features", "off").code == 2


@pytest.mark.covers("KAI-UI-02")
def test_tools_say_which_feature_they_need_and_whether_they_have_a_switch(cli: Cli) -> None:
    rows = {row["name"]: (row["feature"], row["switchable"]) for row in cli("tools", "--json").json}
    assert rows["memory_store"] == ("memory", False)
    assert rows["execute_shell_command"] == ("shell", True)
    assert rows["read_file"] == ("", True)


def test_one_that_is_taken_for_a_tool_is_said_to_be_a_feature(cli: Cli) -> None:
    ended = cli("why", "shell")
    assert (ended.code, "It is a feature: `oneclaw features`" in ended.err) == (3, True)


def test_the_word_for_a_feature_that_follows_another_is_told(cli: Cli) -> None:
    assert "`oneclaw features on shell`" in cli("why", "ssh_configure_host").out
    cli("features", "on", "shell")
    cli("features", "off", "sandbox")
    assert "`oneclaw features on sandbox`" in cli("why", "ssh_configure_host").out
    assert "`oneclaw tools on run_javascript`" in cli("why", "describe_tools").out


def test_a_tool_is_switched_by_its_other_name_too(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text("[switches]\nget_local_time = false\n")
    assert "off by switches.get_local_time" in cli("--config", str(file), "why", "get_current_time").out
    cli("tools", "off", "get_local_time")
    assert is_on(cli, "get_current_time") == {False}


def test_tab_offers_them() -> None:
    assert feature_names("s") == ["shell", "sandbox"]
    typed = argparse.Namespace(action="on", config=None)
    assert "shell" in tools_words("sh", typed)
    assert "shell" not in tools_words("sh", argparse.Namespace(action="show", config=None))
