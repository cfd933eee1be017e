"""OneClaw: the loop in memory (`memory`), and as an app has it, journal and session stored (`stored`)."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

from lap import Run, arguments, race

from oneclaw import Agent, App, Config, Engine, Limits, Scripted, Session, __version__, tool
from oneclaw.agent.chain import Chain, Link
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.loop import Run as Loop
from oneclaw.core.message import UserMessage
from oneclaw.core.registry import Registry
from oneclaw.core.run_event import RunEvent, RunFinished
from oneclaw.providers.model import Model
from oneclaw.providers.scripted import Call, ScriptedReply
from oneclaw.run.runner import CallRunner

AGENT = Agent(model="test/model", limits=Limits(rounds=None, calls=None))
MODEL = Model("test/model", 1_000_000)


@tool(effect="read")
async def add(a: int, b: int) -> int:
    """Add two numbers.

    a: one
    b: two
    """
    return a + b


def model(rounds: int, calls: int) -> Scripted:
    replies: list[ScriptedReply] = [
        [Call("add", arguments(number, each)) for each in range(calls)] for number in range(rounds)
    ]
    return Scripted([*replies, "done"], keep=False)


async def count(events: AsyncGenerator[RunEvent]) -> int:
    async for event in events:
        if isinstance(event, RunFinished):
            assert event.reason == "done", event
            return event.calls
    return 0


async def main(entry: str) -> None:
    async with AsyncExitStack() as stack:
        engine = Engine(Registry([add]), CallRunner())
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        providers = {"test": model(0, 0)}
        app = await stack.enter_async_context(
            App(Config(home=home), tools=[add], builtins=False, providers=providers)
        )

        def in_memory(rounds: int, calls: int) -> Run:
            played = model(rounds, calls)

            async def run() -> int:
                chain = Chain([MODEL.name], lambda _: Link(MODEL, played, "model"))
                finished = await Loop(AGENT, Conversation(Session("s")), engine, chain).go(UserMessage("go"))
                assert finished.reason == "done", finished
                return finished.calls

            return run

        def stored(rounds: int, calls: int) -> Run:
            app.runs.providers.made["test"] = model(rounds, calls)

            async def run() -> int:
                return await count(app.run(AGENT, "go"))

            return run

        if entry == "memory":
            await race("oneclaw, in memory", __version__, in_memory)
        else:
            await race("oneclaw, journal and session stored", __version__, stored)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
