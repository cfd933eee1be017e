"""search_history in an app: an agent finds its own conversations and those of agents it may ask."""

from pathlib import Path

import pytest

from oneclaw.agent.agent import Agent
from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.message import UserMessage
from oneclaw.core.session import Session


@pytest.fixture
def app(tmp_path: Path) -> App:
    agents = [Agent(name="lead", agents=("helper",)), Agent(name="helper"), Agent(name="stranger")]
    return App(Config(tmp_path / "home"), agents=agents, outside=False)


async def search(app: App, session: Session) -> list[str]:
    result: ToolResult = await app.engine.call(ToolCall("search_history", {"query": "ferry"}), session)
    assert result.ok, result.message
    return [] if isinstance(result.value, str) else sorted(row["text"] for row in result.value["messages"])


async def test_an_agent_finds_what_it_may_read(app: App) -> None:
    async with app:
        for agent in ("lead", "helper", "stranger"):
            await app.store.messages.append(app.new_session(agent), UserMessage(f"a ferry of {agent}"))
        lead, helper = app.new_session("lead"), app.new_session("helper")
        await app.store.messages.append(lead, UserMessage("the ferry of this very conversation"))
        assert await search(app, lead) == ["a ferry of helper", "a ferry of lead"]
        assert await search(app, helper) == ["a ferry of helper"]
        # Whoever is asked by another reaches what both of them reach.
        asked = Session("asked", "helper", lead.workspace, parent=app.new_session("stranger"))
        assert await search(app, asked) == []
