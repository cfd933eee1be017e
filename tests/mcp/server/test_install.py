"""`oneclaw mcp install`: the change is shown and asked for, and the rest of the file stays as it is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.cli.conftest import home as home

from oneclaw.cli.options import mcp as options
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.text.json_edit import set_entry
from oneclaw.operations.mcp_installing import CLIENTS, entry_of, install, plan_install

COMMENTED = """\
// My settings
{
  /* how it looks */ "theme": "dark", // and so on
  "context_servers": {
    "other": { "command": "x", "args": ["a", "b",], }, // mine
  },
  "last": [1, 2, {"a": "}"}],
}
"""


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_its_entry(cli: Cli, tmp_path: Path, client: str) -> None:
    file = tmp_path / "deep" / "settings.json"
    ended = cli("mcp", "install", client, "--file", str(file), "--yes", "--agent", "writer")
    assert ended.code == 0
    assert '+      "args": [' in ended.out
    written = json.loads(file.read_text())[CLIENTS[client].table]["oneclaw"]
    assert written["args"] == ["mcp", "serve", "--agent", "writer"]
    assert Path(written["command"]).is_absolute()
    again = cli("mcp", "install", client, "--file", str(file), "--yes", "--agent", "writer")
    assert again.code == 0
    assert "already" in again.out


def test_without_a_yes_nothing_is_written(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")
    ended = cli("mcp", "install", "cursor", "--file", str(file))
    assert ended.code == 1
    assert file.read_text() == "{}"
    assert '"mcpServers"' in ended.out


def test_comments_order_and_other_servers_stay(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(COMMENTED)
    file.chmod(0o640)
    plan = plan_install("zed", "/bin/oneclaw", ["--agent", "default"], file)
    assert install(plan)
    text = file.read_text()
    for line in COMMENTED.splitlines():
        assert line in text
    assert plan.diff.removed == 0
    bare = re.sub(r"//[^\n]*|/\*.*?\*/", "", text)
    servers = json.loads(re.sub(r",(\s*[}\]])", r"\1", bare))["context_servers"]
    assert list(servers) == ["other", "oneclaw"]
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")
    plan = plan_install("cursor", "/bin/oneclaw", [], file)
    file.write_text('{"mine": 1}')
    with pytest.raises(InvalidConfig, match="changed meanwhile"):
        install(plan)
    assert file.read_text() == '{"mine": 1}'


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"mcpServers": 3}', '{"a" 1}', "{} x", '{"a": nope}', "{" * 500]
)
def test_what_is_no_settings_file_is_named_and_left(cli: Cli, tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    ended = cli("mcp", "install", "cursor", "--file", str(file), "--yes")
    assert ended.code == 2
    assert "settings.json" in ended.err
    assert file.read_text() == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(st.text(), JSON, max_size=4),
    st.text(),
    st.text(),
    JSON,
    st.sampled_from([None, 2, "\t"]),
)
def test_any_document_has_the_entry_and_all_else_as_before(
    document: dict[str, Any], table: str, name: str, value: Any, indent: Any
) -> None:
    if not isinstance(document.get(table, {}), dict):
        return
    made = json.loads(set_entry(json.dumps(document, indent=indent), (table, name), value))
    assert made == {**document, table: {**document.get(table, {}), name: value}}


def test_the_command_line_names_the_clients_that_there_are() -> None:
    assert tuple(CLIENTS) == options.CLIENTS


def test_the_docs_show_what_is_written() -> None:
    text = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text()
    for client in CLIENTS.values():
        shown = {client.table: {"oneclaw": entry_of(client, "oneclaw", [])}}
        assert f"`{json.dumps(shown)}`" in text
        assert f"~/{client.linux}" in text
        assert f"~/{client.mac}" in text
