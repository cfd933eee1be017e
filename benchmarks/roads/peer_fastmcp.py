"""fastmcp: a tool, straight (`tool`) or through its server in the same process (`server`)."""

import asyncio
import json
import sys
from importlib.metadata import version

from fastmcp import FastMCP
from fastmcp.tools import Tool
from round import Road, add, race

tool = Tool.from_function(add, timeout=30)
server: FastMCP[None] = FastMCP("bench")
server.add_tool(tool)


async def straight(text: str) -> str:
    result = await tool.run(json.loads(text))
    return json.dumps(result.structured_content)


async def served(text: str) -> str:
    result = await server.call_tool("add", json.loads(text))
    return json.dumps(result.structured_content)


if __name__ == "__main__":
    number = version("fastmcp")
    if sys.argv[1] == "tool":
        road, one = Road("fastmcp", "Tool.run", number, True, True, False), straight
    else:
        road, one = Road("fastmcp", "FastMCP.call_tool", number, True, True, True), served
    asyncio.run(race(road, one))
