"""`oneclaw memory`: what agents remember, on the command line."""

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli import opened

Cli = Any


@pytest.fixture
def noted(cli: Cli) -> None:
    cli("call", "memory_store", "key=user_name", "value=Ada")
    cli("call", "memory_store", "key=user_name", "value=Ada Lovelace")
    cli("call", "memory_learn", "text=The ferry leaves at nine.", "category=fact")


def test_without_memories_it_says_how_they_come(cli: Cli) -> None:
    for words in ((), ("search", "x"), ("digest",)):
        ended = cli("memory", *words)
        assert (ended.code, ended.out) == (0, "")
        assert "memory_store" in ended.err
    assert cli("memory", "--json").json == []
    assert cli("memory", "show", "a").code == 1
    assert cli("memory", "forget", "a").code == 1


@pytest.mark.usefixtures("noted")
def test_memories_are_listed_shown_and_searched(cli: Cli) -> None:
    rows = [line.split("\t") for line in cli("memory").out.splitlines()]
    assert [(row[1], row[5]) for row in rows] == [("fact", "The ferry leaves at nine."), ("", "Ada Lovelace")]
    assert rows[1][0] == "user_name"
    shown = cli("memory", "show", "user_name").out
    assert "Ada Lovelace" in shown
    assert "version 1" in shown
    assert cli("memory", "show", "user_name", "--json").json["versions"][0]["value"] == "Ada"
    assert [row["value"] for row in cli("memory", "search", "ferry", "leaving", "--json").json] == [
        "The ferry leaves at nine."
    ]
    assert len(cli("memory", "--limit", "1", "--json").json) == 1
    assert '"user_name": "Ada Lovelace"' in cli("memory", "digest").out
    assert cli("memory", "digest", "--json").json.endswith("</memories>")


@pytest.mark.usefixtures("noted")
def test_a_memory_is_forgotten(cli: Cli) -> None:
    assert cli("memory", "forget", "user_name").out == "user_name is forgotten.\n"
    gone = cli("memory", "forget", "user_name")
    assert (gone.code, "there is no memory 'user_name'" in gone.err) == (1, True)
    assert len(cli("memory", "--json").json) == 1


@pytest.mark.usefixtures("noted")
def test_an_export_is_private_and_comes_back_with_an_import(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "memories.json"
    assert cli("memory", "export", str(file)).out == f"2 memories are in {file}.\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == cli("memory", "export").json
    cli("memory", "forget", "user_name")
    assert cli("memory", "import", str(file)).out == "1 memory was taken in; 1 was here already.\n"
    assert cli("memory", "export").json["memories"][-1]["versions"][0]["value"] == "Ada"
    assert cli("memory", "import", str(file), "--json").json == {"memories": 2, "taken": 0}


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '{"a": 1}', '{"format": "oneclaw memories"}'])
def test_what_holds_no_memories_is_refused(cli: Cli, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    ended = cli("memory", "import", str(tmp_path / "a.json"))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("oneclaw: ")
    assert cli("memory", "import", str(tmp_path / "none.json")).code == 2


@pytest.mark.usefixtures("noted")
def test_the_master_switch_takes_the_tools_away_and_keeps_what_is_known(cli: Cli) -> None:
    assert cli("memory", "off").code == 0
    states = {row["name"]: row["on"] for row in cli("tools", "--json").json}
    assert not any(is_on for name, is_on in states.items() if name.startswith("memory_"))
    assert states["read_file"]
    assert cli("call", "memory_search", "query=ferry").code == 3
    assert "the feature memory is off" in cli("why", "memory_store").out
    assert len(cli("memory", "--json").json) == 2
    cli("memory", "on")
    assert cli("call", "memory_search", "query=ferry").code == 0


@pytest.mark.usefixtures("noted")
def test_the_digest_is_what_a_conversation_is_told(cli: Cli, tmp_path: Path) -> None:
    assert "user_name" in cli("memory", "digest").out
    file = tmp_path / "oneclaw.toml"
    file.write_text('[memory]\ndigest_chars = 1\n[agents.guest.tools]\ndeny = ["group:memory"]\n')
    assert cli("--config", str(file), "memory", "digest", "--json").json == ""
    guest = cli("--config", str(file), "memory", "digest", "--agent", "guest")
    assert (guest.out, "Nothing is told to agent guest" in guest.err) == ("", True)
    cli("memory", "off")
    ended = cli("memory", "digest")
    assert (ended.out, "the feature memory is off" in ended.err) == ("", True)


@pytest.mark.usefixtures("noted")
def test_every_action_prints_json_when_asked(cli: Cli) -> None:
    assert cli("memory", "off", "--json").json["on"] is False
    assert cli("memory", "on", "--json").json["on"] is True
    assert cli("memory", "forget", "user_name", "--json").json == {"forgotten": "user_name"}


def test_an_export_of_nothing_is_an_export(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "nothing.json"
    file.write_text(cli("memory", "export").out)
    assert cli("memory", "import", str(file), "--json").json == {"memories": 0, "taken": 0}


@pytest.mark.usefixtures("noted")
def test_an_export_over_a_file_that_others_could_read_is_private(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "memories.json"
    file.touch()
    file.chmod(0o644)
    cli("memory", "export", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_without_end_is_not_read_to_its_end(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "MOST_BYTES", 1 << 20)
    ended = cli("memory", "import", "/dev/zero")
    assert ended.code == 2
    assert "/dev/zero has more than 1 MiB" in ended.err


def test_one_memory_tool_cannot_be_switched(cli: Cli) -> None:
    ended = cli("tools", "off", "memory_store")
    assert ended.code == 2
    assert "comes and goes with the feature memory" in ended.err


@pytest.mark.parametrize("action", ["show", "search", "forget", "import"])
def test_an_action_says_what_it_wants(cli: Cli, action: str) -> None:
    ended = cli("memory", action)
    assert (ended.code, ended.out) == (2, "")
    assert f"oneclaw memory {action} " in ended.err


def test_what_would_steer_a_terminal_is_shown_as_an_escape(cli: Cli) -> None:
    cli("call", "memory_store", "key=a\x1b[2Jb", "value=\x1b]0;owned\x07")
    for words in ((), ("show", "a\x1b[2Jb"), ("search", "owned"), ("digest",)):
        assert "\x1b" not in cli("memory", *words).out


def test_an_agent_s_own_memories_are_named(cli: Cli, home: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[agents.clerk]\nmemory = "own"\n')
    own = ("--config", str(tmp_path / "s.toml"))
    cli("call", "memory_store", "key=a", "value=b", "--agent", "clerk", *own)
    assert cli("memory", "--json").json == []
    assert cli("memory", "--agent", "clerk", "--json").json[0]["agent"] == "clerk"
    assert cli("memory", "forget", "a").code == 1
    assert cli("memory", "forget", "a", "--agent", "clerk").code == 0


def test_a_line_for_the_name_of_a_file_is_the_pipe(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Nothing is remembered yet." in cli("memory").err
    cli("call", "memory_store", "key=user_name", "value=Ada")
    monkeypatch.chdir(tmp_path)
    exported = cli("memory", "export", "-")
    assert [memory["key"] for memory in exported.json["memories"]] == ["user_name"]
    assert not (tmp_path / "-").exists()
    cli("memory", "forget", "user_name")
    assert "Nothing is remembered yet." in cli("memory").err
    imported = subprocess.run(
        [sys.executable, "-m", "oneclaw.cli.main", "memory", "import", "-"],
        input=exported.out,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert imported.stdout == "1 memory was taken in.\n"
    assert "Ada" in cli("memory").out


def test_a_list_that_is_not_all_says_so(cli: Cli) -> None:
    for number in range(3):
        cli("call", "memory_store", f"key=k{number}", "value=v")
    part = cli("memory", "--limit", "2")
    assert (part.out.count("\n"), part.err) == (2, "The last 2 are shown; --limit N shows more.\n")
    assert cli("memory", "--limit", "3").err == ""
