"""Tools of MCP servers that are too many for the window: deferred, found by words, and appended in order."""

from pathlib import Path

from oneclaw import App
from oneclaw.agent.tool_index import ToolIndex
from oneclaw.agent.tool_search import DESCRIBE, SEARCH, ToolSearch
from oneclaw.config import Config
from oneclaw.core.call import ToolCall
from oneclaw.core.define.function import tool
from oneclaw.core.permit.need import MCP
from oneclaw.core.registry import as_tool
from oneclaw.core.session import Session
from oneclaw.core.source import FixedSource
from oneclaw.core.tool import Context, Tool, ToolDefinition

WORDS = ("weather", "ticket", "invoice", "song", "recipe", "planet", "train", "garden", "letter", "bridge")


def definition(number: int) -> ToolDefinition:
    word, other = WORDS[number % 10], WORDS[number // 10 % 10]
    return ToolDefinition(
        name=f"hub_{word}_{number}",
        description=f"Find the {word} of a {other}, number {number}.",
        parameters={"type": "object", "properties": {f"{other}_id": {"type": "string"}}},
        needs=(MCP,),
    )


async def run(arguments: dict[str, object], context: Context) -> str:
    return "done"


@tool
def own(text: str) -> str:
    """Say it."""
    return text


async def test_many_tools_are_deferred_found_and_appended(tmp_path: Path) -> None:
    many = [Tool(definition(number), run) for number in range(300)]
    search = ToolSearch(lambda: app.engine, 0.05)
    sources = [FixedSource("hub", many), search]
    app = App(Config(home=tmp_path), tools=[own], sources=sources, builtins=False)
    async with app:
        session = app.new_session()
        tools = app.engine.available(session)
        assert len(search.offer(tools, 10_000_000, session)) == 301, "there is room for all"
        first = search.offer(tools, 100_000, session)
        assert [one.name for one in first] == ["own", SEARCH, DESCRIBE]
        assert search.offer(tools, 100_000, session) is first

        found = await app.engine.call(ToolCall(SEARCH, {"query": "weather of gardens 170"}), session)
        names = [one["name"] for one in found.value]
        assert names[0] == "hub_weather_170"
        second = search.offer(tools, 100_000, session)
        assert second[: len(first)] == first, "what was told before stays in its place"
        assert [one.name for one in second[len(first) :]] == names

        told = await app.engine.call(ToolCall(DESCRIBE, {"name": "hub_song_3"}), session)
        assert told.value["parameters"]["properties"] == {"weather_id": {"type": "string"}}
        assert search.offer(tools, 100_000, session)[-1].name == "hub_song_3"
        assert search.offer(tools, 100_000, Session(id="other")) == first, "each session finds its own"
        wrong = await app.engine.call(ToolCall(DESCRIBE, {"name": "hub_song_4"}), session)
        assert "nearest names" in wrong.message


def test_one_of_ten_thousand_tools_is_found() -> None:
    index = ToolIndex(definition(number) for number in range(10_000))
    assert "hub_ticket_4321" in {one.name for one in index.search("ticket 4321", 5)}


def test_names_in_camel_case_and_endings_are_found() -> None:
    index = ToolIndex([as_tool(own).definition, definition(1)])
    assert index.search("saying")[0].name == "own"
    assert index.search("ticketId")[0].name == "hub_ticket_1"
    assert index.search("nothing like it") == []
