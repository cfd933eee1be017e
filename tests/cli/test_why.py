"""`oneclaw why`: what it says is what a call meets."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment

from oneclaw.core.permit.grant import Grant
from oneclaw.store.store import Store

Cli = Any


def remember(home: Path, grant: Grant) -> None:
    with Store(home / "oneclaw.db") as store:
        asyncio.run(store.grants.add(grant))


def test_a_no_for_good_is_told_with_the_way_to_take_it_back(cli: Cli, home: Path) -> None:
    assert cli("why", "write_file", "--json").json["needs"] == {"files.write": "granted"}
    denial = Grant(id="d1", need="changes", tool="write_file", verdict="deny", scope="everywhere")
    cli("call", "get_current_time")
    remember(home, denial)
    assert cli("call", "write_file", "path=a", "content=b").code == 5
    assert cli("why", "write_file", "--json").json["needs"]["changes"] == "denied_for_good"
    said = cli("why", "write_file").out
    assert said.startswith(
        "write_file is there for agent default, but its calls are refused: changes denied."
    )
    assert "oneclaw grants revoke d1" in said
    cli("grants", "revoke", "d1")
    assert cli("why", "write_file").out.startswith("write_file is available to agent default")
    assert "revoke" not in cli("why", "write_file").out


def test_the_mode_is_told_with_the_setting_that_would_help(cli: Cli) -> None:
    assert "permissions.needs.changes to granted" in cli("--mode", "deny", "why", "write_file").out
    assert "changes: a person is asked" in cli("--mode", "ask", "why", "write_file").out
    assert "changes" not in cli("--mode", "deny", "why", "read_file").out


def test_a_switch_is_told_with_the_command_that_turns_it(cli: Cli) -> None:
    cli("tools", "off", "read_file")
    assert "`oneclaw tools on read_file`" in cli("why", "read_file").out
    cli("tools", "on", "read_file")
    assert "switches it on" not in cli("why", "read_file").out


def test_a_feature_is_told_with_the_way_to_turn_it(cli: Cli) -> None:
    said = cli("why", "execute_shell_command").out
    assert "the feature shell is off" in said
    assert "`oneclaw features on shell`" in said
    cli("tools", "on", "execute_shell_command")
    assert "the feature shell is on" in cli("why", "execute_shell_command").out
    cli("memory", "off")
    assert "`oneclaw features on memory`" in cli("why", "memory_store").out


def test_the_rule_that_would_allow_a_command_is_told_or_why_none_does(cli: Cli, home: Path) -> None:
    settings = home / "rules.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[features]\nshell = true\n[shell]\nallow = ["git status", "ls **"]\n')

    def why(command: str, *more: str) -> Any:
        return cli("--config", str(settings), "why", "execute_shell_command", f"command={command}", *more)

    allowed = why("git status && ls -la").out
    assert "needs shell: granted" in allowed
    assert "Allowed by shell.allow: git status; ls **." in allowed
    asked = why("ls | xargs rm -rf").out
    assert "needs shell: a person is asked" in asked
    assert "Programs: ls, xargs, rm." in asked
    assert "Danger: It deletes without asking" in asked
    assert "No rule in shell.allow covers this use of xargs." in asked
    assert why("ls", "--json").json["notes"] == ["Programs: ls.", "Allowed by shell.allow: ls **."]
    assert "sets variables" in why("ls", 'env:={"A": "1"}').out
    assert cli("why", "execute_shell_command", "comand=ls").code == 4
    assert cli("why", "execute_shell_command", "ls").code == 2


def test_a_no_for_good_shows_in_the_list_of_tools(cli: Cli, home: Path) -> None:
    def marked() -> str:
        return next(line for line in cli("tools").out.splitlines() if "\tget_location_from_ip\t" in line)

    assert "\tnetwork, location (asks)\t" in marked()
    remember(
        home, Grant(id="d2", need="location", tool="get_location_from_ip", verdict="deny", scope="everywhere")
    )
    assert "\tnetwork, location (denied)\t" in marked()


def test_an_address_that_is_not_public_is_told_without_a_connection(cli: Cli, home: Path) -> None:
    for url in ("http://127.0.0.1:8080/", "http://0x7f.1/", "http://localhost/", "http://[::ffff:10.0.0.1]/"):
        said = cli("why", "fetch_url", f"url={url}", "--json").json
        assert said["needs"] == {"network": "granted", "network.private": "ask"}
        assert "is not public" in said["notes"][0]
    for url in ("http://93.184.216.34/", "https://example.invalid/", "ftp://127.0.0.1/"):
        assert cli("why", "fetch_url", f"url={url}", "--json").json["needs"] == {"network": "granted"}
    settings = home / "hosts.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[network]\nprivate_hosts = ["127.0.0.1:8080"]\n')
    listed = cli("--config", str(settings), "why", "fetch_url", "url=http://127.0.0.1:8080/", "--json").json
    assert listed["needs"] == {"network": "granted"}


@pytest.mark.parametrize("mark", ["local/smollm2", "ollama/qwen3:4b", ""])
def test_why_agents_and_doctor_say_when_a_model_is_small(
    cli: Cli, tmp_path: Path, mark: str, missing_engine: str
) -> None:
    settings = tmp_path / "oneclaw.toml"
    text = f'[models]\ndefault = "{mark or "ollama/qwen3:4b"}"\n'
    settings.write_text(text + ('[models."ollama/qwen3:4b"]\nsmall = true\n' if mark else ""))
    where = ("--config", str(settings))
    said = [
        cli("why", "fetch_url", *where).out,
        cli("why", "fetch_url", "--json", *where).out,
        cli("agents", "show", "default", *where).out,
        next(each["text"] for each in cli("doctor", "--json", *where).json if each["topic"] == "models"),
    ]
    if mark.startswith("local/") and missing_engine:
        assert "cannot run here" in said.pop()
    for each in said:
        assert ("is a small model and gets these tools only: " in " ".join(each.split())) is bool(mark)
    tools = cli("agents", "show", "default", "--json", *where).json["tools"]
    assert ("fetch_url" in tools) is not bool(mark)


@pytest.mark.parametrize(
    ("tool", "code", "said"),
    [
        (
            "delete_file",
            "33",
            "delete_file asks: agent default has it, and a person is asked for files.",
        ),
        ("read_file", "32", "read_file is available to agent default: no list limits it."),
        ("execute_shell_command", "31", "execute_shell_command is not available to agent default: "),
    ],
)
def test_the_first_line_is_yellow_where_a_call_asks(tmp_path: Path, tool: str, code: str, said: str) -> None:
    with Terminal("why", tool, environment=environment(tmp_path / "home"), columns=200) as terminal:
        assert terminal.end() == 0
    assert terminal.raw.startswith(f"\x1b[{code}m{said}")
