"""Prints the least milliseconds of processor time of a run among many at once: `crowd.py ROUNDS CROWD …`."""

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from oneclaw import Agent, App, Config, Scripted, tool
from oneclaw.core.message import AssistantMessage
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, ScriptedReply

AGENT = Agent(model="test/model")
CALLS = 3
SCRIPT: list[ScriptedReply] = [*([Call("add", {"a": number, "b": 1})] for number in range(CALLS)), "done"]


@tool(effect="read")
async def add(a: int, b: int) -> int:
    """Add two numbers.

    a: one
    b: two
    """
    return a + b


class Many(Scripted):
    """Plays the script in every conversation from its beginning."""

    def answer(self, request: Request) -> AsyncGenerator[Any]:
        said = sum(isinstance(message, AssistantMessage) for message in request.messages)
        return Scripted([SCRIPT[said]], keep=False).answer(request)


async def run_crowd(app: App, size: int) -> float:
    """The milliseconds of each run of a crowd."""
    gc.collect()  # nobody pays for what the crowd before has left
    start = time.process_time()
    ends = await asyncio.gather(*(app.ask(AGENT, "go") for _ in range(size)))
    took = time.process_time() - start
    if any(end.calls != CALLS for end in ends):
        raise SystemExit("A run made too few calls.")
    return took / size * 1e3


async def main(rounds: int, crowds: list[int]) -> None:
    least = dict.fromkeys(crowds, float("inf"))
    with tempfile.TemporaryDirectory() as home:
        config, providers = Config(home=Path(home)), {"test": Many([])}
        async with App(config, tools=[add], builtins=False, providers=providers) as app:
            await run_crowd(app, 2)
            for _ in range(rounds):
                for size in crowds:
                    times = max(crowds) // size
                    took = [await run_crowd(app, size) for _ in range(times)]
                    least[size] = min(least[size], sum(took) / times)
    print(*least.values())


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), [int(word) for word in sys.argv[2:]]))
