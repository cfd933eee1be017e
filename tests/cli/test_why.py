"""`oneclaw why`: what it says is what a call meets."""

import asyncio
from pathlib import Path
from typing import Any

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
    assert "oneclaw grants revoke d1" in cli("why", "write_file").out
    cli("grants", "revoke", "d1")
    assert "revoke" not in cli("why", "write_file").out


def test_the_mode_is_told_with_the_setting_that_would_help(cli: Cli) -> None:
    assert "permissions.needs.changes to granted" in cli("--mode", "deny", "why", "write_file").out
    assert "changes: a person is asked" in cli("--mode", "ask", "why", "write_file").out
    assert "changes" not in cli("--mode", "deny", "why", "read_file").out


def test_a_switch_is_told_with_the_command_that_turns_it(cli: Cli) -> None:
    cli("tools", "off", "read_file")
    assert "`oneclaw tools on read_file`" in cli("why", "read_file").out
    cli("tools", "on", "read_file")
    assert "oneclaw tools on" not in cli("why", "read_file").out


def test_a_feature_is_told_with_the_way_to_turn_it(cli: Cli) -> None:
    said = cli("why", "execute_shell_command").out
    assert "the feature shell is off" in said
    assert "`oneclaw tools on execute_shell_command`" in said
    cli("tools", "on", "execute_shell_command")
    assert "the feature shell is on" in cli("why", "execute_shell_command").out
    cli("memory", "off")
    assert "features.memory to true" in cli("why", "memory_store").out
