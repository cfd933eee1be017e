"""Clients that others wrote list and call our tools: fastmcp, pydantic-ai and the inspector of MCP.

The client of the SDK is in every other test of this folder.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.mcp.fetched import node_program, python_with
from tests.mcp.server.conftest import command

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

PACKAGES = ("fastmcp==4.1.2", "pydantic-ai-slim[mcp]==2.66.0")
FASTMCP = """
import asyncio, json, os, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

async def main():
    async with Client(StdioTransport(sys.argv[1], sys.argv[2:], env=dict(os.environ))) as client:
        names = [tool.name for tool in await client.list_tools()]
        called = await client.call_tool("calculate", {"expression": "6*7"})
        print(json.dumps([names, called.content[0].text]))

asyncio.run(main())
"""
PYDANTIC_AI = """
import asyncio, json, os, sys
from fastmcp.client.transports import StdioTransport
from pydantic_ai.mcp import MCPToolset

async def main():
    toolset = MCPToolset(StdioTransport(sys.argv[1], sys.argv[2:], env=dict(os.environ)))
    async with toolset:
        names = [tool.name for tool in await toolset.list_tools()]
        print(json.dumps([names, str(await toolset.direct_call_tool("calculate", {"expression": "6*7"}))]))

asyncio.run(main())
"""


def said_by(words: Sequence[str], home: Path) -> str:
    """What a client prints that starts our server."""
    server = command(home)
    ended = subprocess.run(
        [*words, server.command, *server.args],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, **(server.env or {})},
        cwd=home,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


@pytest.mark.parametrize("program", [FASTMCP, PYDANTIC_AI], ids=["fastmcp", "pydantic-ai"])
def test_a_python_client_lists_and_calls(tmp_path: Path, program: str) -> None:
    names, answer = json.loads(said_by([python_with(*PACKAGES), "-c", program], tmp_path))
    assert {"calculate", "read_file"} <= set(names)
    assert answer == "42"


def test_the_inspector_lists_and_calls(tmp_path: Path) -> None:
    program = "clients/launcher/build/index.js"
    inspector = [*node_program("@modelcontextprotocol/inspector", "2.12.0", program), "--cli"]
    server = command(tmp_path)

    def inspect(*words: str) -> dict[str, object]:
        ended = subprocess.run(
            [*inspector, server.command, *server.args, *words],
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, **(server.env or {})},
            cwd=tmp_path,
        )
        assert ended.returncode == 0, ended.stderr[-2000:]
        return json.loads(ended.stdout)

    assert "calculate" in json.dumps(inspect("--method", "tools/list"))
    called = inspect("--method", "tools/call", "--tool-name", "calculate", "--tool-arg", "expression=6*7")
    assert called["content"] == [{"type": "text", "text": "42"}]
