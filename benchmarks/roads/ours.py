"""oneclaw: the whole road (`road`), with the journal as well (`journal`), or as the app wires it (`app`)."""

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from round import Road, add, race

import oneclaw
from oneclaw import ToolCall
from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.define.function import tool
from oneclaw.core.engine import Engine
from oneclaw.core.event import Event
from oneclaw.core.hook import Hooks
from oneclaw.core.permit.policy import Policy, Rules
from oneclaw.core.registry import Registry
from oneclaw.core.session import Session, Workspace
from oneclaw.run.runner import CallRunner
from oneclaw.store.store import Store

TOOL = tool(effect="read", needs=["files.read"])(add)


def see_before(*_: Any) -> None:
    """A hook that lets every call pass."""


def see_after(*_: Any) -> None:
    """A hook that leaves every result as it is."""


def hear(_: Event) -> None:
    """Somebody who listens."""


HOOKS = Hooks(before=(see_before,), after=(see_after,))


async def build(what: str, folder: Path, stack: AsyncExitStack) -> Engine:
    """An engine on which every step of the road has something to do."""
    if what == "app":
        app = await stack.enter_async_context(App(Config(home=folder), tools=[TOOL], hooks=HOOKS))
        return app.engine
    runner = CallRunner()
    stack.push_async_callback(runner.close)
    journal = stack.enter_context(Store(folder / "oneclaw.db")).calls if what == "journal" else None
    return Engine(
        Registry([TOOL]),
        runner,
        policy=Policy(everyone=Rules(allow=("add",))),
        hooks=HOOKS,
        journal=journal,
        session=Session("bench", workspace=Workspace(folder)),
    )


async def main(what: str) -> None:
    entry = {"road": "Engine.call", "journal": "Engine.call, journal", "app": "App, all of it"}[what]
    road = Road("oneclaw", entry, oneclaw.__version__, True, True, True, what != "road")
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            engine = await build(what, Path(folder), stack)
            engine.subscribe(hear)

            async def one(text: str) -> str:
                return (await engine.call(ToolCall("add", text, "c1"))).to_json()

            async def many(texts: Sequence[str]) -> list[str]:
                calls = [ToolCall("add", text, f"c{number}") for number, text in enumerate(texts)]
                return [result.to_json() for result in await engine.call_all(calls)]

            await race(road, one, many)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
