"""openai-agents: a function tool, straight (`tool`, without a limit) or as its runner calls it (`invoke`)."""

import asyncio
import json
import sys
from importlib.metadata import version

from agents import function_tool
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from round import Road, add, race

tool = function_tool(add, timeout=30)


def context(text: str) -> ToolContext[None]:
    return ToolContext(None, tool_name="add", tool_call_id="c1", tool_arguments=text)


async def straight(text: str) -> str:
    return json.dumps(await tool.on_invoke_tool(context(text), text))


async def invoked(text: str) -> str:
    return json.dumps(await invoke_function_tool(function_tool=tool, context=context(text), arguments=text))


if __name__ == "__main__":
    number = version("openai-agents")
    if sys.argv[1] == "tool":
        road, one = Road("openai-agents", "FunctionTool.on_invoke_tool", number, True, False, False), straight
    else:
        road, one = Road("openai-agents", "invoke_function_tool", number, True, True, False), invoked
    asyncio.run(race(road, one))
