"""The tools of an agent, for a client of either era: listed as they are, called through the engine."""

import json
from typing import Any

import mcp_types as types
import pytest
from tests.mcp.server.conftest import ERAS, ServeTools, first_text, text_of

from oneclaw import Agent, Image, Output, ToolError, tool

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@tool(effect="read")
def shout(text: str) -> str:
    """Turn text into capitals."""
    return text.upper()


@tool(
    effect="read", output={"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
)
def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b}


@tool(effect="read", output={"type": "array", "items": {"type": "integer"}})
def numbers() -> list[int]:
    """Some numbers."""
    return [1, 2, 3]


@tool(effect="read")
def picture() -> Output:
    """A picture."""
    return Output("a cat", (Image(PNG, "image/png"),))


@tool(effect="read")
def broken() -> str:
    """Fails."""
    raise ToolError("The disk is on fire; buy another.")


async def test_the_list_is_what_the_agent_may_use_and_no_more(serve_tools: ServeTools, era: Any) -> None:
    reader = Agent(name="reader", allow=["read_*", "shout"], deny=["read_secret"])
    async with (
        serve_tools([shout, add], "reader", agents=[reader]) as served,
        served.client(era) as client,
    ):
        assert client.protocol_version == ERAS[era]
        listed = (await client.list_tools()).tools
        session = served.app.new_session("reader")
        assert [one.name for one in listed] == [one.name for one in served.app.engine.available(session)]
        assert {one.name for one in listed} == {"read_file", "shout"}
        refused = await client.call_tool("add", {"a": 1, "b": 2})
        assert refused.is_error
        assert "not available for this agent" in text_of(refused)


async def test_schemas_are_untouched(serve_tools: ServeTools, era: Any) -> None:
    async with serve_tools([shout, add, numbers]) as served, served.client(era) as client:
        listed = {one.name: one for one in (await client.list_tools()).tools}
        for definition in served.app.engine.available(served.sdk.tools.session):
            assert listed[definition.name].input_schema == definition.parameters
            assert listed[definition.name].description == definition.description
        assert listed["add"].output_schema == add.definition.output
        is_told = listed["numbers"].output_schema is not None
        assert is_told == (era == "auto")  # before 2026-07-28 a schema is that of an object


async def test_results_have_text_structure_and_pictures(serve_tools: ServeTools, era: Any) -> None:
    async with serve_tools([shout, add, numbers, picture]) as served, served.client(era) as client:
        assert text_of(await client.call_tool("shout", {"text": "hé"})) == "HÉ"
        added = await client.call_tool("add", {"a": 1, "b": "2"})
        assert added.structured_content == {"sum": 3}
        assert json.loads(first_text(added)) == {"sum": 3}
        assert "(Note: " in text_of(added)
        counted = await client.call_tool("numbers", {})
        assert text_of(counted) == "[1,2,3]"
        assert counted.structured_content == ([1, 2, 3] if era == "auto" else None)
        shown = await client.call_tool("picture", {})
        image = shown.content[1]
        assert isinstance(image, types.ImageContent)
        assert image.mime_type == "image/png"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("shout", {"txet": 1}, "text"),
        ("broken", {}, "The disk is on fire; buy another."),
        ("shuot", {}, "The nearest names are: shout"),
        ("x" * 10_000, {}, "not found"),
    ],
)
async def test_an_error_is_a_result(
    serve_tools: ServeTools, era: Any, name: str, arguments: dict[str, Any], said: str
) -> None:
    async with serve_tools([shout, broken]) as served, served.client(era) as client:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        assert said in text_of(result)


async def test_a_call_is_in_the_journal(serve_tools: ServeTools, era: Any) -> None:
    async with serve_tools([shout]) as served, served.client(era) as client:
        await client.call_tool("shout", {"text": "a"})
        found = await served.app.store.calls.history()
        assert [(one.tool, one.session) for one in found] == [("shout", served.sdk.tools.session.id)]
