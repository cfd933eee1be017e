"""toolregistry: a registered tool invoked by name."""

import asyncio
import json
from importlib.metadata import version

from round import Road, add, race
from toolregistry import Tool, ToolMetadata, ToolRegistry

registry = ToolRegistry()
registry.register(Tool.from_function(add, metadata=ToolMetadata(timeout=30)))


async def one(text: str) -> str:
    outcome = await registry.ainvoke("add", json.loads(text))
    return json.dumps(outcome.result)


if __name__ == "__main__":
    road = Road("toolregistry", "ToolRegistry.ainvoke", version("toolregistry"), True, True, True)
    asyncio.run(race(road, one))
