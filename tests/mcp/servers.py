"""MCP servers for tests: settings, approvals, and an app that has their tools."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from oneclaw import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.mcp.client.approvals import Approvals, Approved, ApprovedTool
from oneclaw.mcp.client.mcp_server import servers_of
from oneclaw.operations.mcp import try_server

HERE = Path(__file__).parent
SDK = (sys.executable, str(HERE / "sdk_server.py"))
RAW = (sys.executable, str(HERE / "raw_server.py"))


def local(*command: str, **more: Any) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:]), **more}


def config_of(home: Path, servers: dict[str, dict[str, Any]], **more: Any) -> Config:
    """Settings with these servers, whose tools nobody is asked about."""
    (home / "workspace").mkdir(parents=True, exist_ok=True)
    values = {"mcp": {"servers": servers}, "permissions": {"needs": {"mcp": "granted"}}, **more}
    return Config(home=home, values=values)


async def approve(config: Config, *names: str) -> None:
    async with App(config).looking() as app:
        for name in names or config.settings.mcp.servers:
            async with try_server(app, name) as trial:
                trial.approve()


@asynccontextmanager
async def opened(config: Config, *, is_approved: bool = True) -> AsyncGenerator[App]:
    if is_approved:
        await approve(config)
    async with App(config) as app:
        yield app


async def call(app: App, name: str, /, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall(name, arguments))


def trust(config: Config, name: str, *tools: str) -> None:
    """Approve a server that is not started for it, with tools that take a text."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    fields = {"title": None, "description": "Say it again.", "input": schema, "output": None}
    [server] = [one for one in servers_of(config.settings.mcp, config.workspace_folder) if one.name == name]
    kept = {raw: ApprovedTool(f"{server.prefix}_{raw}", fields) for raw in tools}
    Approvals(config.home).write(name, Approved(server.fingerprint, server.shown, kept))


@asynccontextmanager
async def listening_server(words: Callable[[int], Sequence[str]]) -> AsyncGenerator[str]:
    """The address of a server that is started for a free port, once it listens there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(*words(port), cwd=HERE.parents[1])
    try:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                assert process.returncode is None
                await asyncio.sleep(0.05)
            else:
                writer.close()
                break
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()
