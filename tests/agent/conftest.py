"""Agents that run with a scripted model, in a home of their own."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

import pytest

from oneclaw import Agent, App, Config, Scripted
from oneclaw.core.message import Message
from oneclaw.core.run_event import RunEvent, RunFinished
from oneclaw.providers.base import Provider
from oneclaw.providers.scripted import ScriptedReply

Open = Callable[..., Awaitable[App]]


@pytest.fixture
async def open_app(tmp_path: Path) -> AsyncIterator[Open]:
    """`app = await open_app(replies, …)`: an open app whose model `test/model` plays the replies."""
    async with AsyncExitStack() as stack:

        async def start(
            replies: Iterable[ScriptedReply] | Provider = (),
            *,
            settings: dict[str, Any] | None = None,
            **more: Any,
        ) -> App:
            model = Scripted(replies) if isinstance(replies, Iterable) else replies
            providers: dict[str, Provider] = {"test": model, **more.pop("providers", {})}
            values = {"models.default": "test/model", **(settings or {})}
            values = {key: value for key, value in values.items() if value is not None}
            home = more.pop("home", tmp_path / "home")
            return await stack.enter_async_context(
                App(Config(home=home, values=values), providers=providers, **more)
            )

        yield start


async def drive(
    app: App, text: str = "go", agent: Agent | str = "default", **more: Any
) -> tuple[list[RunEvent], RunFinished]:
    """Run to the end; all events, and the last."""
    events = [event async for event in app.run(agent, text, **more)]
    last = events[-1]
    assert isinstance(last, RunFinished)
    return events, last


async def stop_at(app: App, kind: type, text: str = "go") -> str:
    """Leave a run at its first event of this kind; its session."""
    session = ""
    async with aclosing(app.run("default", text)) as events:
        async for event in events:
            session = getattr(event, "session", session)
            if isinstance(event, kind):
                break
    return session


async def kept(app: App, session: str) -> list[Message]:
    """The conversation as it is stored."""
    return [stored.message for stored in await app.store.messages.load(session)]
