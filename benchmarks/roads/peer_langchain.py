"""langchain: a structured tool called with a tool call."""

import asyncio
import json
from importlib.metadata import version

from langchain_core.tools import StructuredTool
from round import Road, add, race

tool = StructuredTool.from_function(coroutine=add)


async def one(text: str) -> str:
    call = {"type": "tool_call", "name": "add", "args": json.loads(text), "id": "c1"}
    message = await tool.ainvoke(call)
    return str(message.content)


if __name__ == "__main__":
    road = Road("langchain-core", "StructuredTool.ainvoke", version("langchain-core"), True, False, False)
    asyncio.run(race(road, one))
