"""`oneclaw tools`: switching, for programs that read JSON; the marks of needs; wrong use."""

from typing import Any

import pytest

Cli = Any


def test_switching_a_tool_prints_json_where_json_was_asked_for(cli: Cli) -> None:
    assert cli("tools", "off", "http_request", "--json").json["on"] is False
    assert cli("tools", "on", "http_request", "--json").json["on"] is True


@pytest.mark.parametrize(
    ("mode", "mark", "state"),
    [("ask", "changes (asks)", "a person is asked"), ("deny", "changes (denied)", "denied")],
)
def test_what_the_mode_asks_for_or_denies_is_marked(cli: Cli, mode: str, mark: str, state: str) -> None:
    rows = {line.split("\t")[1]: line for line in cli("--mode", mode, "tools").out.splitlines()}
    assert mark in rows["write_file"]
    assert "changes" not in rows["read_file"]
    assert f"needs changes: {state}" in cli("--mode", mode, "why", "write_file").out
    # The twin: in the mode auto changes are granted, and nothing is marked.
    assert "changes" not in cli("tools").out + cli("why", "write_file").out


@pytest.mark.parametrize("action", ["show", "on", "off"])
def test_a_tool_that_is_not_named_is_wrong_use(cli: Cli, action: str) -> None:
    ended = cli("tools", action)
    assert (ended.code, ended.err) == (2, f"oneclaw: name a tool: oneclaw tools {action} TOOL\n")


def test_the_tools_of_a_group_are_switched_at_once(cli: Cli) -> None:
    names = ["extract_matches", "compare_texts", "fill_template"]
    assert cli("tools", "on", "group:text").out.splitlines() == [f"{name} is switched on." for name in names]
    assert [row["on"] for row in cli("tools", "off", "group:text", "--json").json] == [False] * 3
    assert cli("tools", "on", "group:none").code == 3
    assert cli("tools", "on", "group:memory").code == 3, "they go with their feature"
