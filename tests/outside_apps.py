"""Apps with tools from files, for tests."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.tool_files import tool

from oneclaw import App, Config, ToolCall
from oneclaw.core.call import ToolResult

WAIT_SECONDS = 30.0
DRIVE = """
const greeting = "drive";
function helper(what, p) { return `${greeting} ${what} ${JSON.stringify(p.id ?? null)}`; }
async function listFiles(p) { return helper("list", p); }
const readFile = async (p) => helper("read", p);
function uploadFile(p) { return helper("upload", p); }
"""
ID = {"type": "object", "properties": {"id": {"type": "string"}}}
GROUP = [
    tool("drive_list", "listFiles", parameters=ID),
    tool("drive_read", "readFile", parameters=ID),
    tool("drive_upload", "uploadFile", parameters=ID),
]


def config(tmp_path: Path, **values: Any) -> Config:
    """The settings of a test; `a__b=1` sets `a.b`."""
    settings = {name.replace("__", "."): value for name, value in values.items()}
    return Config(home=tmp_path / "home", workspace=tmp_path / "work", values=settings)


async def call(app: App, name: str, /, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall(name, arguments))


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(WAIT_SECONDS):
        while not is_so():
            await asyncio.sleep(0.02)


def from_files(app: App) -> list[str]:
    """The tools that came from the folders of the test."""
    return [one.name for one in app.sources.outside if one.origin != "built-in"]


def shown(app: App) -> str:
    return "\n".join(map(str, app.problems))
