"""`oneclaw agents`: who there is, from which place, and what each may do."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import script

Cli = Any
WRITER = """
description = "Writes notes."
instructions = "Write short notes.\\nNothing else."
model = "ollama/llama3.2"
fallbacks = ["openai/gpt-4o"]

[tools]
allow = ["read_*", "write_file"]

[limits]
rounds = 4
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where agents are written as files."""
    made = tmp_path / "config" / "oneclaw" / "agents"
    made.mkdir(parents=True)
    return made


def names(cli: Cli) -> dict[str, str]:
    return {row["name"]: row["source"] for row in cli("agents", "--json").json}


def test_agents_come_from_files_the_store_and_the_box(cli: Cli, folder: Path, tmp_path: Path) -> None:
    (folder / "reader.toml").write_text('description = "Reads."\n')
    (tmp_path / "writer.toml").write_text(WRITER)
    added = cli("agents", "add", str(tmp_path / "writer.toml"))
    assert (added.code, added.out) == (0, "writer is kept.\n")
    assert names(cli) == {"default": "built-in", "reader": "file", "writer": "store"}
    lines = cli("agents").out.splitlines()
    assert "✓\twriter\tollama/llama3.2\t2\tstore\tWrites notes." in lines


def test_one_agent_is_shown_whole(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "writer.toml").write_text(WRITER)
    cli("agents", "add", str(tmp_path / "writer.toml"))
    shown = cli("agents", "show", "writer")
    assert shown.code == 0
    for said in ("ollama/llama3.2", "openai/gpt-4o", "read_file, write_file", "rounds 4", "  Nothing else."):
        assert said in shown.out
    document = cli("agents", "show", "writer", "--json").json
    assert document["limits"]["rounds"] == 4
    assert document["tools"] == ["read_file", "write_file"]


def test_adding_again_replaces_and_removing_forgets(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "writer.toml"
    file.write_text(WRITER)
    cli("agents", "add", str(file))
    file.write_text('description = "Another."\n')
    assert cli("agents", "add", str(file)).out == "writer is kept in place of the one before.\n"
    assert "Another." in cli("agents", "show", "writer").out
    assert cli("agents", "remove", "writer").code == 0
    assert "writer" not in names(cli)
    again = cli("agents", "remove", "writer")
    assert again.code == 1
    assert "no such agent" in again.err


def test_a_file_wins_over_the_store_and_it_is_said(cli: Cli, folder: Path, tmp_path: Path) -> None:
    (folder / "writer.toml").write_text('description = "Of the file."\n')
    (tmp_path / "writer.toml").write_text(WRITER)
    added = cli("agents", "add", str(tmp_path / "writer.toml"))
    assert str(folder / "writer.toml") in added.err
    assert "Of the file." in cli("agents", "show", "writer").out
    cli("agents", "remove", "writer")
    kept = cli("agents", "remove", "writer")
    assert (kept.code, str(folder / "writer.toml") in kept.err) == (1, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rounds = 4\n", "there is no field rounds"),
        ("[limits]\nrounds = 0\n", "limits.rounds"),
        ("name = 'No Name'\n", "No Name"),
        ("this is no TOML", "not TOML"),
        ("[options.anthropic]\nsince = 2026-01-01\n", "no dates"),
    ],
)
def test_what_is_written_wrong_is_not_kept(cli: Cli, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "writer.toml").write_text(text)
    ended = cli("agents", "add", str(tmp_path / "writer.toml"))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert names(cli) == {"default": "built-in"}


def test_one_that_is_broken_in_its_file_is_listed_with_its_problem(cli: Cli, folder: Path) -> None:
    (folder / "broken.toml").write_text("rouns = 4\n")
    line = next(line for line in cli("agents").out.splitlines() if "broken" in line)
    assert line.startswith("✗\tbroken\t")
    assert "rouns" in line
    shown = cli("agents", "show", "broken")
    assert (shown.code, "rouns" in shown.err) == (2, True)


def test_an_agent_answers_with_its_own_tools_and_limits(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "writer.toml").write_text(WRITER)
    cli("agents", "add", str(tmp_path / "writer.toml"))
    model = script(
        tmp_path, {"call": "http_request", "arguments": {"url": "http://a.example/"}}, "I may not."
    )
    ended = cli("run", "fetch it", "--agent", "writer", "--model", model)
    assert (ended.code, ended.out) == (0, "I may not.\n")
    assert "✗ http_request · tool_not_available: " in ended.err


def test_an_action_without_a_name_says_what_is_missing(cli: Cli) -> None:
    for action in ("show", "add", "remove"):
        ended = cli("agents", action)
        assert ended.code == 2
        assert f"oneclaw agents {action} " in ended.err
