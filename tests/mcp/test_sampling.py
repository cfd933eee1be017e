"""The agent's own model answers a server, if the owner allows it; and finds one tool of many."""

from pathlib import Path

import pytest
from tests.agent.conftest import drive
from tests.mcp.servers import RAW, SDK, approve, config_of, local

from oneclaw import App
from oneclaw.core.event import ToolFinished
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, Scripted

pytestmark = pytest.mark.slow


async def test_a_server_asks_the_model_of_the_agent_only_where_the_owner_allows_it(tmp_path: Path) -> None:
    for is_allowed in (True, False):
        home = tmp_path / str(is_allowed)
        config = config_of(home, {"test": local(*SDK, sampling=is_allowed)})
        await approve(config)
        asked: list[Request] = []

        def hello(request: Request, asked: list[Request] = asked) -> str:
            asked.append(request)
            return "Hello from the model."

        replies = [Call("test_sample"), *([hello] if is_allowed else []), "Done."]
        async with App(config, providers={"own": Scripted(replies)}) as app:
            events, finished = await drive(app, "Go.", model="own/x")
            [result] = [one.result.text for one in events if isinstance(one, ToolFinished)]
            assert finished.text == "Done."
            assert ("own/x: Hello from the model." in result) is is_allowed
            assert [request.tools for request in asked] == ([()] if is_allowed else [])


async def test_a_model_finds_and_calls_one_of_a_thousand_tools(tmp_path: Path) -> None:
    config = config_of(tmp_path, {"raw": local(*RAW, "many", "1000")})
    await approve(config)
    told: list[list[str]] = []

    def search(request: Request) -> Call:
        told.append([tool.name for tool in request.tools])
        return Call("search_tools", query="tool number 777", limit=1)

    def use(request: Request) -> Call:
        told.append([tool.name for tool in request.tools])
        return Call("raw_tool_777", text="found")

    async with App(config, providers={"own": Scripted([search, use, "Done."])}) as app:
        events, finished = await drive(app, "Go.", model="own/x")
        assert finished.text == "Done."
        assert "search_tools" in told[0]
        assert not any(name.startswith("raw_") for name in told[0])
        assert told[1] == [*told[0], "raw_tool_777"]
        assert "found" in [one.result.text for one in events if isinstance(one, ToolFinished)][-1]
