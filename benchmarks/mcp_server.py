"""Calls a second through our MCP server and through a bare one of the SDK, and the time to the first list.

Both serve one tool that gives its text back, on stdin and stdout, to the same raw client: it sends lines and
reads lines, and waits for each answer before it sends the next call.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from table import draw

CALLS = 300
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
BARE = """
import asyncio
import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

async def list_tools(ctx, params):
    return t.ListToolsResult(tools=[t.Tool(name="echo", description="Echo.", input_schema=SCHEMA)])

async def call_tool(ctx, params):
    return t.CallToolResult(content=[t.TextContent(text=params.arguments["text"])])

server = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)

async def main():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

asyncio.run(main())
"""
OURS = """
import asyncio, sys
from oneclaw import App, Config, tool
from oneclaw.operations.mcp_serving import serve_stdio

@tool(effect="read")
async def echo(text: str) -> str:
    "Echo."
    return text

async def main():
    async with App(Config(home=sys.argv[1]), tools=[echo], builtins=False) as app:
        if sys.argv[2] == "off":
            app.engine._journal = None
        await serve_stdio(app, "default", False, lambda: None)

asyncio.run(main())
"""


class RawClient:
    """A client that writes and reads lines."""

    def __init__(self, command: list[str], home: str) -> None:
        environment = {**os.environ, "ONECLAW_HOME": home}
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._begun = time.perf_counter()
        self._process = subprocess.Popen(command, env=environment, **pipes)
        self._number = 0

    def ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        document = {
            "jsonrpc": "2.0",
            "id": self._number,
            "method": method,
            "params": {**params, "_meta": META},
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(document).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())["result"]

    def first_list(self) -> float:
        """Seconds from the start of the process to its first list of tools."""
        assert self.ask("tools/list")["tools"]
        return time.perf_counter() - self._begun

    def calls(self) -> float:
        """Calls a second."""
        begun = time.perf_counter()
        for _ in range(CALLS):
            assert (
                self.ask("tools/call", name="echo", arguments={"text": "hello"})["content"][0]["text"]
                == "hello"
            )
        return CALLS / (time.perf_counter() - begun)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def measure(rounds: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        sides: dict[str, Callable[[], list[str]]] = {
            "bare SDK server": lambda: [sys.executable, "-c", BARE],
            "OneClaw, journal off": lambda: [sys.executable, "-c", OURS, folder, "off"],
            "OneClaw, journal on": lambda: [sys.executable, "-c", OURS, folder, "on"],
            "`oneclaw mcp serve`": lambda: [str(Path(sys.executable).with_name("oneclaw")), "mcp", "serve"],
        }
        firsts: dict[str, list[float]] = {name: [] for name in sides}
        rates: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(max(3, rounds // 3)):
            for name, command in sides.items():
                client = RawClient(command(), folder)
                firsts[name].append(client.first_list())
                if "mcp serve" not in name:
                    client.calls()
                    rates[name].append(client.calls())
                client.close()
    bare_first, bare_rate = min(firsts["bare SDK server"]), max(rates["bare SDK server"])
    rows = [
        [
            name,
            f"{max(rates[name]):,.0f}" if rates[name] else "–",
            f"{median(rates[name]):,.0f}" if rates[name] else "–",
            f"{bare_rate / max(rates[name]):.2f}" if rates[name] else "–",
            f"{min(firsts[name]) * 1e3:,.0f}",
            f"{min(firsts[name]) / bare_first:.2f}",
        ]
        for name in sides
    ]
    head = ["server", "calls/s best", "median", "time of a call, bare = 1", "first list ms", "bare = 1"]
    note = "One client on stdin and stdout, one call at a time, protocol 2026-07-28; the tool echoes a text."
    return draw("MCP server", head, rows, note)


if __name__ == "__main__":
    print(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 9))
