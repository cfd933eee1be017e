"""Asks plugins what tools they have: each in a process of its own, side by side, with limits that hold."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, cast

from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.plugins.kept import Told
from oneclaw.plugins.source import Source
from oneclaw.plugins.work import Description
from oneclaw.run.runner import Runner

PROCESSES = 4


def ask_all(sources: Sequence[Source], seconds: float, memory_bytes: int) -> list[Told]:
    """What each plugin says, in order; takes a thread of its own, as the caller's may have a loop running."""
    loop = asyncio.new_event_loop()
    try:
        with ThreadPoolExecutor(1, "oneclaw-plugins") as thread:
            task = loop.create_task(_ask_all(sources, seconds, memory_bytes))
            asked = thread.submit(loop.run_until_complete, task)
            try:
                return asked.result()
            except BaseException:  # Ctrl-C: the processes end before we do
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(task.cancel)
                raise
    finally:
        loop.close()


async def _ask_all(sources: Sequence[Source], seconds: float, memory_bytes: int) -> list[Told]:
    runner = Runner(processes=PROCESSES, memory_bytes=memory_bytes)
    try:
        return await asyncio.gather(*(_ask(runner, source, seconds) for source in sources))
    finally:
        await runner.close()


async def ask_each(
    sources: Mapping[str, Source], seconds: float, memory_bytes: int
) -> AsyncGenerator[tuple[str, Told]]:
    """What each plugin says, by its name, as soon as it has said it. Closed early, their processes end."""
    runner = Runner(processes=PROCESSES, memory_bytes=memory_bytes)
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


async def _ask(runner: Runner, source: Source, seconds: float) -> Told:
    definition = ToolDefinition(name="describe", isolation="process", seconds=seconds, effect="read")
    try:
        value = await runner.run(Tool(definition, Description(source)), {}, Context(), seconds)
    except ToolError as error:
        return Told(failure=_reason(error, seconds))
    except Exception as error:
        return Told(failure=describe(error))
    if not isinstance(value, dict):
        return Told(failure="Its process gave something else than a description of its tools.")
    return Told(cast(dict[str, Any], value))


def _reason(error: ToolError, seconds: float) -> str:
    if error.kind is Kind.TIMEOUT:
        return f"It was stopped: importing it took longer than {seconds:g} seconds."
    said = (
        describe(error).removeprefix("Tool execution failed: ").replace("The tool's process", "its process")
    )
    return f"It cannot be imported: {said}"
