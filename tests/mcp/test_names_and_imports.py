"""Names of MCP tools, the settings of servers, files of other products, and word-by-word differences."""

import json
from pathlib import Path
from typing import Any

import pytest

from oneclaw.config import Config
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.text.words import compare_words
from oneclaw.core.tool import NAME
from oneclaw.mcp.client.foreign_config import ForeignServer, read_servers
from oneclaw.mcp.client.mcp_server import servers_of
from oneclaw.mcp.client.messages import LineReader, LineTooLong, Pace
from oneclaw.mcp.client.tool_name import name_tools


def test_names_are_unique_short_and_stay() -> None:
    raw = ["getUser", "get_user", "get.user", "x" * 128, "x" * 127, "große", "list"]
    names = name_tools("hub", raw, {})
    assert names["get_user"] == "hub_get_user", "a name that fits is kept as it is"
    assert len(set(names.values())) == len(raw)
    assert all(NAME.match(name) for name in names.values())
    assert name_tools("hub", list(reversed(raw)), {}) == names, "the order decides nothing"
    assert name_tools("hub", ["get_user", "new"], names)["get_user"] == "hub_get_user"
    assert name_tools("read", ["file"], {}, ["read_file"])["file"] != "read_file"
    kept = {"getUser": "hub_get_user"}
    assert name_tools("hub", ["getUser", "get_user"], kept)["getUser"] == "hub_get_user"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "either a command or a url"),
        ({"command": "x", "url": "http://x/"}, "either a command or a url"),
        ({"url": "ftp://x/"}, "http or https"),
        ({"url": "http://u:p@x/"}, "holds a password"),
        ({"command": "./x"}, "depends on the folder"),
        ({"command": "x", "env": ["no variable=X"]}, "GITHUB_TOKEN=github_token"),
        ({"url": "http://x/", "headers": ["a b=X"]}, "Authorization=Bearer"),
    ],
)
def test_settings_that_cannot_be_used_say_why(said: dict[str, Any], words: str, tmp_path: Path) -> None:
    config = Config(home=tmp_path, values={"mcp": {"servers": {"one": said or {"required": True}}}})
    with pytest.raises(InvalidConfig, match=words):
        servers_of(config.settings.mcp, tmp_path)


def test_two_servers_whose_tools_would_have_the_same_names_are_refused(tmp_path: Path) -> None:
    servers = {"a_b": {"command": "x"}, "A-b": {"command": "x"}}
    config = Config(home=tmp_path, values={"mcp": {"servers": servers}})
    with pytest.raises(InvalidConfig, match="differ in no letter or digit"):
        servers_of(config.settings.mcp, tmp_path)


CLAUDE = {
    "mcpServers": {
        "git hub": {"command": "npx", "args": ["-y", "server-github"], "env": {"GITHUB_TOKEN": "ghp_secret"}},
        "off": {"command": "x", "disabled": True},
        "old": {"type": "sse", "url": "http://x/sse"},
    }
}
VSCODE = """{
  // servers of the project
  "inputs": [{"id": "token", "type": "promptString"}],
  "servers": {
    "tickets": {
      "type": "http", "url": "https://t.example/mcp", "headers": {"Authorization": "Bearer ${input:token}"}
    },
  }
}"""
KAI = {"mcp_servers": json.dumps([{"id": "1", "name": "Home", "url": "https://h.example/mcp",
       "headers": [{"name": "X-Key", "value": "k"}], "isEnabled": True}])}  # fmt: skip


def test_the_files_of_other_products_are_read() -> None:
    github, off, old = read_servers(json.dumps(CLAUDE))
    assert isinstance(github, ForeignServer)
    assert github.name == "git-hub"
    assert github.values == {
        "command": "npx",
        "args": ["-y", "server-github"],
        "env": ["GITHUB_TOKEN=MCP_GIT_HUB_GITHUB_TOKEN"],
    }
    assert github.secrets == {"MCP_GIT_HUB_GITHUB_TOKEN": "ghp_secret"}
    assert isinstance(off, ForeignServer)
    assert off.values["enabled"] is False
    assert isinstance(old, tuple)
    [tickets] = read_servers(VSCODE)
    assert isinstance(tickets, ForeignServer)
    assert tickets.values["headers"] == ["Authorization=Bearer {TOKEN}"]
    [home] = read_servers(json.dumps(KAI))
    assert isinstance(home, ForeignServer)
    assert home.values == {"url": "https://h.example/mcp", "headers": ["X-Key=MCP_HOME_X_KEY"]}
    for text in ("", "[]", "{}", '{"servers": 5}'):
        with pytest.raises(InvalidConfig):
            list(read_servers(text))


def test_a_difference_is_told_word_by_word_and_hides_nothing() -> None:
    runs = compare_words("Reads a file.", "Reads a\u202e secret file.")
    assert [(run.change, run.text) for run in runs] == [
        ("same", "Reads a"),
        ("added", "\\u202e secret"),
        ("same", " file."),
    ]


def test_lines_are_bounded_and_paced() -> None:
    reader = LineReader(10)
    assert list(reader.feed(b"ab")) == []
    assert list(reader.feed(b"c\nde\nf")) == [b"abc", b"de"]
    assert list(reader.feed(b"\n")) == [b"f"]
    with pytest.raises(LineTooLong):
        list(reader.feed(b"x" * 11))
    pace = Pace()
    assert any(pace.wait_seconds() > 0 for _ in range(1_000_000)), "a flood is slowed down"
