"""OneClaw: a run as an app has it, with its store (`stored`) or with one that keeps nothing (`memory`)."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from lap import Run, arguments, race

from oneclaw import Agent, App, Config, Limits, Scripted, __version__, tool
from oneclaw.agent.runs import Runs
from oneclaw.agent.talk import follow
from oneclaw.core.run_event import RunEvent, RunFinished
from oneclaw.providers.scripted import Call, ScriptedReply
from oneclaw.store.runs import RunRecord

AGENT = Agent(model="test/model", limits=Limits(rounds=None, calls=None))


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


class NoBook:
    """Messages, events, runs and calls that are not kept."""

    redact = str

    def add(self, *_: object, **__: object) -> None: ...

    async def start(self, record: RunRecord) -> RunRecord:
        return record

    async def finish(self, *_: object) -> None: ...

    async def close_late(self) -> None: ...

    async def of_runs(self, *_: object) -> list[Any]:
        return []


class NoStore:
    """A store that keeps nothing: all that a run does, but for storing."""

    messages = events = runs = calls = queued = NoBook()


async def main(entry: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        async with App(
            Config(home=Path(home)), tools=[add], builtins=False, providers={"test": model(0, 0)}
        ) as app:
            runs = app.runs
            if entry == "memory":
                app.engine._journal = None  # pyright: ignore[reportPrivateUsage]
                store: Any = NoStore()
                runs = Runs(app.engine, store, app.agents, app.catalog, runs.providers, app.new_session)

            def prepare(rounds: int, calls: int) -> Run:
                runs.providers.made["test"] = model(rounds, calls)

                async def run() -> int:
                    return await count(follow(lambda: runs.start(app.agents.add(AGENT), "go")))

                return run

            name = "in memory" if entry == "memory" else "journal and session stored"
            await race(f"oneclaw, {name}", __version__, prepare)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
