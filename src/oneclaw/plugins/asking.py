"""Asks plugins in processes of their own for their tool descriptions."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.plugins.description_cache import CachedDescription
from oneclaw.plugins.source import PluginImport
from oneclaw.plugins.work import Description
from oneclaw.run.runner import CallRunner

PROCESSES = 4


async def ask_each(
    sources: Mapping[str, PluginImport], seconds: float, memory_bytes: int
) -> AsyncGenerator[tuple[str, CachedDescription]]:
    """Descriptions by plugin as they arrive. Closing early ends the processes."""
    runner = CallRunner(processes=PROCESSES, memory_bytes=memory_bytes)
    tasks = {asyncio.ensure_future(_ask(runner, source, seconds)): name for name, source in sources.items()}
    waiting = set(tasks)
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield tasks[task], task.result()
    finally:
        for task in waiting:
            task.cancel()
        await runner.close()


async def _ask(runner: CallRunner, source: PluginImport, seconds: float) -> CachedDescription:
    definition = ToolDefinition(name="describe", isolation="process", seconds=seconds, effect="read")
    try:
        value = await runner.run(Tool(definition, Description(source)), {}, Context(), seconds)
    except ToolError as error:
        return CachedDescription(failure=_reason(error, seconds))
    except Exception as error:
        return CachedDescription(failure=describe(error))
    if not isinstance(value, dict):
        return CachedDescription(failure="Its process gave something else than a description of its tools.")
    return CachedDescription(cast(dict[str, Any], value))


def _reason(error: ToolError, seconds: float) -> str:
    if error.kind is Kind.TIMEOUT:
        return f"It was stopped: importing it took longer than {seconds:g} seconds."
    said = (
        describe(error).removeprefix("Tool execution failed: ").replace("The tool's process", "its process")
    )
    return f"It cannot be imported: {said}"
