"""pydantic-ai: a function toolset, straight (`toolset`) or through the manager of a run (`manager`)."""

import asyncio
import json
import sys
from importlib.metadata import version

from pydantic_ai import RunContext
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage
from round import Road, add, race


async def main(entry: str) -> None:
    toolset: FunctionToolset[None] = FunctionToolset([add], timeout=30)
    context: RunContext[None] = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    tool = (await toolset.get_tools(context))["add"]
    manager = await ToolManager(toolset).for_run_step(context)

    async def straight(text: str) -> str:
        arguments = tool.args_validator.validate_json(text)
        return json.dumps(await toolset.call_tool("add", arguments, context, tool))

    async def managed(text: str) -> str:
        return json.dumps(await manager.handle_call(ToolCallPart("add", text, "c1")))

    number = version("pydantic-ai-slim")
    if entry == "toolset":
        await race(Road("pydantic-ai", "FunctionToolset.call_tool", number, True, True, False), straight)
    else:
        await race(Road("pydantic-ai", "ToolManager.handle_call", number, True, True, True), managed)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
