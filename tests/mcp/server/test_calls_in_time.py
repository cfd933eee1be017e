"""While a call runs: progress, cancelling, questions to a person, and changes of the list of tools."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from tests.mcp.server.conftest import Person, ServeTools, first_text, says, text_of

from oneclaw import Agent, Context, Scripted, tool
from oneclaw.mcp.server import elicitation
from oneclaw.mcp.server.result_files import PREFIX, ResultFiles
from oneclaw.mcp.server.tool_server import UnknownState
from oneclaw.operations.questions import answer_question, list_questions

pytestmark = pytest.mark.slow


@tool(effect="read")
async def count(context: Context) -> str:
    """Count to three."""
    for number in range(1, 4):
        context.progress(f"step {number}", number / 3)
        await asyncio.sleep(0.15)  # reports come at most ten times a second
    return "three"


@tool(effect="write", needs=["files.delete"])
def erase(name: str) -> str:
    """Erase something."""
    return f"erased {name}"


@tool(effect="read")
async def survey(context: Context) -> str:
    """Ask a person for a text, a choice and a form."""
    name = await context.ask("Your name?")
    colour = await context.ask("Your colour?", options=["red", "green"])
    schema = {"type": "object", "properties": {"age": {"type": "integer", "default": 7}}}
    form = await context.ask("Your age?", schema=schema)
    return f"{name} {colour} {form}"


@tool(effect="read", chars=1_000)
def long() -> str:
    """A long text."""
    return "".join(f"line {number}\n" for number in range(5_000))


WHOLE = {"type": "array", "items": {"type": "integer"}}


@tool(
    effect="read", chars=1_000, output={"type": "object", "properties": {"all": WHOLE}, "required": ["all"]}
)
def many() -> dict[str, Any]:
    """Many numbers, all of them promised."""
    return {"all": list(range(2_000))}


async def test_progress_rises_and_has_the_texts(serve_tools: ServeTools, era: Any) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with serve_tools([count]) as served, served.client(era) as client:
        result = await client.call_tool("count", {}, progress_callback=tell)
        assert text_of(result) == "three"
    assert [message for _, _, message in told] == ["step 1", "step 2", "step 3"]
    assert told == sorted(told)
    assert told[-1][:2] == (100.0, 100.0)


async def test_cancelling_a_request_cancels_the_call(serve_tools: ServeTools, era: Any) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    @tool(effect="read", isolation="inline")
    async def forever() -> str:
        """Waits."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    async with serve_tools([forever]) as served, served.client(era) as client:
        calling = asyncio.ensure_future(client.call_tool("forever", {}))
        await begun.wait()
        calling.cancel()
        await ended.wait()
        while served.sdk.tools._running:  # pyright: ignore[reportPrivateUsage]
            await asyncio.sleep(0.01)
        (record,) = await served.app.store.calls.history()
        assert record.kind == "cancelled"


async def test_a_permission_is_asked_for_at_the_client(serve_tools: ServeTools, era: Any) -> None:
    person = Person([says(answer="once"), types.ElicitResult(action="decline"), says(answer="session")])
    async with serve_tools([erase]) as served, served.client(era, person) as client:
        assert text_of(await client.call_tool("erase", {"name": "a"})) == "erased a"
        assert (await client.call_tool("erase", {"name": "b"})).is_error
        assert text_of(await client.call_tool("erase", {"name": "c"})) == "erased c"
        assert text_of(await client.call_tool("erase", {"name": "d"})) == "erased d"
    assert len(person.asked) == 3
    offered = [one["const"] for one in person.asked[0].requested_schema["properties"]["answer"]["oneOf"]]
    assert offered == ["once", "session", "no"]
    assert 'name = "a"' in person.asked[0].message


@pytest.mark.parametrize("answer", [says(answer="always"), says(answer="sure"), says()])
async def test_what_was_not_offered_is_a_no(serve_tools: ServeTools, era: Any, answer: Any) -> None:
    async with serve_tools([erase]) as served, served.client(era, Person([answer])) as client:
        assert (await client.call_tool("erase", {"name": "a"})).is_error


async def test_a_client_that_fails_to_ask_has_not_said_yes(serve_tools: ServeTools) -> None:
    """2025-11-25 only: a client of 2026-07-28 that fails to ask never comes back."""
    person = Person([RuntimeError("no screen")])
    async with serve_tools([erase]) as served, served.client("legacy", person) as client:
        assert (await client.call_tool("erase", {"name": "a"})).is_error


async def test_without_the_check_always_would_be_taken(
    serve_tools: ServeTools, era: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    monkeypatch.setitem(elicitation.OFFERED, "always", "Yes, always")
    async with serve_tools([erase]) as served, served.client(era, Person([says(answer="always")])) as client:
        assert text_of(await client.call_tool("erase", {"name": "a"})) == "erased a"


async def test_a_client_without_forms_leaves_the_question_to_oneclaw_answer(
    serve_tools: ServeTools, era: Any
) -> None:
    async with serve_tools([erase]) as served, served.client(era) as client:
        calling = asyncio.ensure_future(client.call_tool("erase", {"name": "a"}))
        while not (waiting := await list_questions(served.app.store, is_open=True, limit=5)):
            await asyncio.sleep(0.01)
        await answer_question(served.app.store, waiting[0], "once")
        assert text_of(await calling) == "erased a"


async def test_where_nobody_is_waited_for_the_call_is_denied(serve_tools: ServeTools, era: Any) -> None:
    async with (
        serve_tools([erase], questions__wait="never") as served,
        served.client(era) as client,
    ):
        refused = await client.call_tool("erase", {"name": "a"})
        assert refused.is_error
        assert "files.delete" in text_of(refused)


async def test_an_open_question_of_one_client_holds_up_no_other(serve_tools: ServeTools, era: Any) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def think(context: Any, params: Any) -> Any:
        asked.set()
        await answered.wait()
        return says(answer="once")

    async with (
        serve_tools([erase], questions__wait="never") as served,
        served.client(era, think) as slow,
        served.client(era) as mute,
        served.client(era, Person([says(answer="once")])) as quick,
    ):
        waiting = asyncio.ensure_future(slow.call_tool("erase", {"name": "a"}))
        await asked.wait()
        assert (await mute.call_tool("erase", {"name": "b"})).is_error
        assert text_of(await quick.call_tool("erase", {"name": "c"})) == "erased c"
        answered.set()
        assert text_of(await waiting) == "erased a"


async def test_a_tool_asks_texts_choices_and_forms(serve_tools: ServeTools, era: Any) -> None:
    person = Person([says(answer="Ann"), says(answer="green"), says()])
    async with serve_tools([survey]) as served, served.client(era, person) as client:
        assert text_of(await client.call_tool("survey", {})) == "Ann green {'age': 7}"


async def test_an_answer_for_another_call_is_refused(serve_tools: ServeTools) -> None:
    """2026-07-28: the state of one call opens no other, and only once."""
    async with serve_tools([erase]) as served:

        class Request:
            protocol_version, meta = "2026-07-28", None

            class session:
                client_params = None
                client_capabilities = types.ClientCapabilities(elicitation=types.ElicitationCapability())

        def params(name: str, **more: Any) -> Any:
            return types.CallToolRequestParams(name="erase", arguments={"name": name}, **more)

        server = served.sdk.tools
        first = await server.call_tool(Request, params("a"))
        (question,) = first["inputRequests"]
        answer = {"request_state": first["requestState"], "input_responses": {question: says(answer="once")}}
        for state in (answer, {**answer, "request_state": first["requestState"] + "x"}):
            with pytest.raises(UnknownState):
                await server.call_tool(Request, params("b" if state is answer else "a", **state))
        assert "isError" not in await server.call_tool(Request, params("a", **answer))
        with pytest.raises(UnknownState):
            await server.call_tool(Request, params("a", **answer))
        again = await server.call_tool(Request, params("c"))
        wrong = {"request_state": again["requestState"], "input_responses": {"other": says(answer="once")}}
        asked = await server.call_tool(Request, params("c", **wrong))
        assert asked["inputRequests"] == again["inputRequests"]


async def test_changes_of_the_tools_are_announced(serve_tools: ServeTools) -> None:
    async with serve_tools([erase]) as served, served.client("auto") as client:
        async with client.listen(tools_list_changed=True) as changes:
            await served.app.switch("erase", False)
            async for change in changes:
                assert type(change).__name__ == "ToolsListChanged"
                break
        assert "erase" not in {one.name for one in (await client.list_tools()).tools}


async def test_changes_are_announced_to_a_client_of_2025(serve_tools: ServeTools) -> None:
    heard = asyncio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            heard.set()

    async with serve_tools([erase]) as served, served.client("legacy", message_handler=hear) as client:
        capabilities = client.server_capabilities
        assert capabilities is not None
        assert capabilities.tools is not None
        assert capabilities.tools.list_changed
        await served.app.switch("erase", False)
        await heard.wait()
        assert "erase" not in {one.name for one in (await client.list_tools()).tools}


async def test_a_long_result_is_a_resource(serve_tools: ServeTools, era: Any) -> None:
    async with serve_tools([long]) as served, served.client(era) as client:
        result = await client.call_tool("long", {})
        assert len(first_text(result)) <= 1_000
        link = result.content[-1]
        assert isinstance(link, types.ResourceLink)
        listed = (await client.list_resources()).resources
        assert [str(one.uri) for one in listed] == [str(link.uri)]
        (whole,) = (await client.read_resource(str(link.uri))).contents
        assert isinstance(whole, types.TextResourceContents)
        assert whole.text.endswith("line 4999\n")


async def test_a_promised_structure_is_given_whole(serve_tools: ServeTools, era: Any) -> None:
    async with serve_tools([many]) as served, served.client(era) as client:
        result = await client.call_tool("many", {})
        assert result.structured_content == {"all": list(range(2_000))}


ESCAPES = ("../secret.txt", "..%2Fsecret.txt", "/etc/passwd", "link.txt", "a/b.txt", "")


@pytest.mark.parametrize("name", ESCAPES)
async def test_no_resource_leads_out_of_the_folder(serve_tools: ServeTools, era: Any, name: str) -> None:
    async with serve_tools([long]) as served, served.client(era) as client:
        folder = served.sdk.tools.session.folder
        assert folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        secret = folder.parent / "secret.txt"
        secret.write_text("secret")
        (folder / "link.txt").symlink_to(secret)
        with pytest.raises(Exception, match="resources/list"):
            await client.read_resource(PREFIX + name)
        assert (await client.list_resources()).resources == []


async def test_without_the_check_a_resource_would_lead_out(serve_tools: ServeTools) -> None:
    """The twin: `text` alone opens any name."""
    async with serve_tools() as served:
        folder = served.sdk.tools.session.folder
        assert folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / "secret.txt").write_text("secret")
        assert ResultFiles(folder).text("../secret.txt") == "secret"


async def test_agents_are_tools_where_that_is_enabled(serve_tools: ServeTools, era: Any) -> None:
    writer = Agent(name="writer", description="Writes.", model="scripted/demo")
    more: Any = {"agents": [writer], "providers": {"scripted": Scripted(["A poem."])}}
    async with serve_tools(asks_agents=True, **more) as served, served.client(era) as client:
        assert "ask_writer" in {one.name for one in (await client.list_tools()).tools}
        assert text_of(await client.call_tool("ask_writer", {"text": "Write."})) == "A poem."
    async with serve_tools(**more) as served, served.client(era) as client:
        assert "ask_writer" not in {one.name for one in (await client.list_tools()).tools}
