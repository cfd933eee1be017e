"""A local MCP server in the sandbox of commands: it sees the workspace, and not the home of the person."""

import json
import os
from pathlib import Path

import pytest
from tests.mcp.servers import call, config_of, local, opened
from tests.sandboxes import needs_bubblewrap

from oneclaw.guard.outside_mark import unmarked

pytestmark = [pytest.mark.slow, needs_bubblewrap]

LOOKER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    def say(result): print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    method = message.get("method")
    if method == "initialize":
        about = {"name": "looker", "version": "1"}
        say({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about})
    elif method == "tools/list":
        say({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call":
        seen = [os.path.exists(path) for path in sys.argv[1:]]
        say({"content": [{"type": "text", "text": json.dumps([seen, os.environ.get("TOKEN")])}]})
    elif "id" in message:
        fault = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": fault}), flush=True)
"""


async def test_a_server_in_the_sandbox_sees_the_workspace_and_not_the_home(tmp_path: Path) -> None:
    python = Path("/usr/bin/python3")
    if not python.exists():
        pytest.skip("the system has no Python of its own: apt install python3")
    config = config_of(tmp_path, {})
    script = config.workspace_folder / "looker.py"
    script.write_text(LOOKER)
    outside = tmp_path / "outside"
    outside.touch()
    words = (str(python), str(script), str(script), str(outside), str(config.secrets_file.parent))
    os.environ["SERVER_TOKEN"] = "for-the-server-12345678"
    try:
        for sandbox in (True, False):
            server = local(*words, env=["TOKEN=SERVER_TOKEN"], sandbox=sandbox)
            async with opened(config_of(tmp_path, {"look": server})) as app:
                result = await call(app, "look_look")
                seen, token = json.loads(unmarked(result.text))
                assert seen[:2] == [True, not sandbox], "the twin without a sandbox sees all"
                assert token is not None
    finally:
        del os.environ["SERVER_TOKEN"]
