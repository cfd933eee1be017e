"""MCP servers for tests: settings, approvals, and an app that has their tools."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from oneclaw import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
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


async def call(app: App, name: str, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall(name, arguments))
