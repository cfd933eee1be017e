"""`oneclaw mcp`: add, approve, list, show, import, switch and remove."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

Cli = Any
RAW = Path(__file__).parents[1] / "mcp" / "raw_server.py"

pytestmark = pytest.mark.slow


def test_a_server_is_added_after_its_command_line_was_approved(cli: Cli, tmp_path: Path) -> None:
    listing = tmp_path / "tools.json"
    listing.write_text('[{"name": "echo", "description": "Says it.", "inputSchema": {"type": "object"}}]')
    command = (sys.executable, str(RAW), "file", str(listing))
    held = cli("mcp", "add", "raw", "--", *command)
    assert held.code == 5, "nobody was there to approve it"
    assert shlex.join(command) in held.out
    assert "Nobody is there to say" in held.err
    assert cli("mcp").out.count("not approved") == 1

    assert cli("mcp", "approve", "raw", "--yes").code == 0
    listed = cli("mcp", "--json")
    [record] = json.loads(listed.out)
    assert (record["state"], record["tools"][0]["state"]) == ("ready", "on")
    assert cli("mcp", "test", "raw").code == 0
    assert "raw_echo" in cli("tools", "list").out

    listing.write_text('[{"name": "echo", "description": "Says it all.", "inputSchema": {"type": "object"}}]')
    changed = cli("mcp")
    assert "1 held" in changed.out
    assert "its description changed since it was approved" in changed.err
    seen = cli("mcp", "approve", "raw", "--yes")
    assert "Says it{+ all+}." in seen.out
    assert "1 on" in cli("mcp").out

    assert cli("mcp", "disable", "raw").code == 0
    assert "off" in cli("mcp").out
    assert cli("mcp", "enable", "raw").code == 0
    assert cli("mcp", "remove", "raw").code == 0
    assert "No MCP servers" in cli("mcp").err
    assert cli("mcp", "show", "raw").code != 0


def test_import_starts_nothing(cli: Cli, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    file = tmp_path / "mcp.json"
    evil = {"command": "/bin/sh", "args": ["-c", f"touch {mark}"], "env": {"KEY": "value-of-a-key-123"}}
    file.write_text(json.dumps({"mcpServers": {"evil": evil}}))
    done = cli("mcp", "import", str(file))
    assert done.code == 0, done.err
    assert "evil is added" in done.out
    assert "value-of-a-key" not in done.out + done.err
    assert "not approved" in cli("mcp").out
    cli("tools", "list")
    assert not mark.exists()
