"""Whole stories through the loop with every provider, over HTTP."""

import asyncio
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.agent.conftest import kept, stop_at
from tests.agent.validity import faults
from tests.journeys.wire_servers import (
    SECONDS,
    Answer,
    Broken,
    Refuse,
    Reply,
    answer,
    call,
    opened,
    story,
    talking,
)
from tests.providers.formats.every import BY_LABEL, FORMATS, each_format, label_of
from tests.providers.formats.format import Call, Format, Text, Thought, holds, says

from oneclaw import App, Image, Kind, Output, Tool, ToolError, tool
from oneclaw.core.answer import ArgumentsAdded, CallBegun, TextAdded
from oneclaw.core.event import ToolFinished, ToolStarted
from oneclaw.core.message import AssistantMessage, ResultsMessage, Usage
from oneclaw.core.run_event import ModelSwitched, RunFinished, UsageCounted
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.catalog import SMALL_TOOLS

each_pair = pytest.mark.parametrize(("first", "second"), list(permutations(FORMATS, 2)), ids=label_of)

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf"
    b"\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82"
)
SEAL = 'Eq+/0bäß≠\\n"quoted"=='
"""A signature with everything in it that careless JSON would spell another way."""


@tool(effect="read")
async def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    a: The first.
    b: The second.
    """
    return a + b


@tool(effect="read")
async def fail(why: str) -> str:
    """Fail.

    why: What to say.
    """
    raise ToolError(f"It failed: {why}.")


@tool(effect="read")
async def look() -> Output:
    """Look at the picture."""
    return Output("a dot", images=(Image(PNG, "image/png"),))


async def results_kept(app: App, session: str) -> list[Any]:
    return [
        result.value if result.ok else result.kind
        for message in (await kept(app, session))
        if isinstance(message, ResultsMessage)
        for result in message.results
    ]


async def started(app: App, **more: Any) -> tuple[list[Any], RunFinished]:
    events = [event async for event in app.run("default", "Go.", **more)]
    last = events[-1]
    assert isinstance(last, RunFinished)
    return events, last


@each_format
@pytest.mark.covers("FEAT004-AC-02", "FEAT004-FT-13", "RFC004-GO-06", "RFC004-UT-09")
async def test_one_call(format: Format, tmp_path: Path) -> None:
    replies = [answer("Let me see. ", Call("add", {"a": 2, "b": 3})), answer("It is 5.")]
    async with story(tmp_path, format, replies, tools=[add]) as (app, server):
        events, last = await started(app)
        assert (last.reason, last.text, last.rounds, last.calls) == ("done", "It is 5.", 2, 1)
        first, second = server.heard
        assert first.users == ["Go."]
        assert second.users == ["Go."]
        assert second.answers == ["Let me see. "]
        assert second.calls == [("add", {"a": 2, "b": 3})]
        assert second.results == [{"status": "success", "result": 5}]
        # What is said of a tool is the same in both requests, in the words of the format.
        assert first.tools == second.tools
        assert first.tools["add"] == definition_of_add(format)
        text = "".join(event.text for event in events if isinstance(event, TextAdded))
        assert text == "Let me see. It is 5."
        assert [event.tool for event in events if isinstance(event, CallBegun)] == ["add"]
        written = "".join(event.text for event in events if isinstance(event, ArgumentsAdded))
        assert json.loads(written) == {"a": 2, "b": 3}
        assert faults(await kept(app, last.session)) == []


def definition_of_add(format: Format) -> dict[str, Any]:
    second = {"type": "integer", "description": "The second.", "default": 1}
    if format.wire == "gemini":  # which does not know defaults
        second = {"type": "integer", "description": "The second. (default 1)"}
    properties = {"a": {"type": "integer", "description": "The first."}, "b": second}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": ["a"]}
    head = {"name": "add", "description": "Add two numbers."}
    match format.wire:
        case "anthropic":
            return {**head, "input_schema": schema}
        case "gemini":
            return {**head, "parametersJsonSchema": schema}
        case "openai_responses":
            return {"type": "function", **head, "parameters": schema, "strict": False}
        case _:
            return {**head, "parameters": schema}


@each_format
async def test_two_parallel_calls_of_which_one_fails(format: Format, tmp_path: Path) -> None:
    both = answer(Call("fail", {"why": "rain"}), Call("add", {"a": 40, "b": 2}))
    async with story(tmp_path, format, [both, answer("Half of it.")], tools=[add, fail]) as (app, server):
        _, last = await started(app)
        assert (last.reason, last.calls) == ("done", 2)
        second = server.heard[1]
        assert [name for name, _ in second.calls] == ["fail", "add"]
        assert second.results == [
            {"status": "error", "error_type": "execution_error", "message": "It failed: rain."},
            {"status": "success", "result": 42},
        ]


@each_format
@pytest.mark.covers("FEAT004-AC-11", "FEAT004-FT-12", "KAI-EF-03")
async def test_a_chain_of_three_rounds_with_file_tools(format: Format, tmp_path: Path) -> None:
    replies = [
        call("write_file", {"path": "notes/plan.txt", "content": "one\ntwo ä\n"}),
        call("read_file", {"path": "notes/plan.txt"}),
        call("list_files", {"path": "notes"}),
        answer("There is a plan."),
    ]
    async with story(tmp_path, format, replies) as (app, server):
        _, last = await started(app)
        assert (last.reason, last.text, last.rounds) == ("done", "There is a plan.", 4)
        values = server.heard[3].values
        assert "two ä" in str(values[1])
        assert "plan.txt" in str(values[2])
        # Each request is the one before and what came of it.
        for before, after in zip(server.heard, server.heard[1:], strict=False):
            assert after.turns[: len(before.turns)] == before.turns
            assert after.tools == before.tools
    assert (tmp_path / "workspace/notes/plan.txt").read_text() == "one\ntwo ä\n"


@each_format
@pytest.mark.covers("FEAT004-EC-08")
async def test_a_chain_of_more_than_ten_rounds_goes_on(format: Format, tmp_path: Path) -> None:
    replies: list[Reply] = [call("add", {"a": number}) for number in range(12)]
    async with story(tmp_path, format, [*replies, answer("Twelve.")], tools=[add]) as (app, server):
        _, last = await started(app)
        assert (last.reason, last.rounds, last.calls) == ("done", 13, 12)
        assert server.heard[-1].values == [number + 1 for number in range(12)]


@each_format
@pytest.mark.parametrize("name", ["ad", "Weather.getToday", "x" * 100, "päivä sää"])
async def test_an_invented_tool_is_refused_and_sent_back_by_a_name_that_is_allowed(
    format: Format, name: str, tmp_path: Path
) -> None:
    replies = [call(name, {"a": 1}), answer("There is no such tool.")]
    async with story(tmp_path, format, replies, tools=[add]) as (app, server):
        _, last = await started(app)
        assert last.reason == "done"
        assert (await results_kept(app, last.session)) == [Kind.TOOL_NOT_FOUND]
        assert server.heard[1].values == ["tool_not_found"]  # the server judges the name itself
        if name == "ad":
            assert "add" in server.heard[1].results[0]["message"]


@each_format
async def test_the_longest_name_a_tool_may_have_comes_back_as_it_went(format: Format, tmp_path: Path) -> None:
    name = "a" * 63 + "9"

    @tool(name=name, effect="read")
    async def long_named() -> str:
        """Has a long name."""
        return "here"

    async with story(tmp_path, format, [call(name), answer("Done.")], tools=[long_named]) as (app, server):
        await started(app)
        assert name in server.heard[0].tools
        assert server.heard[1].values == ["here"]


@each_format
async def test_pictures_of_a_tool_and_of_the_user_reach_the_model(format: Format, tmp_path: Path) -> None:
    replies = [answer(Call("look", {}), Call("add", {"a": 1})), answer("A dot."), answer("Still a dot.")]
    async with story(tmp_path, format, replies, tools=[look, add]) as (app, server):
        _, last = await started(app)
        assert server.heard[1].pictures == (PNG,)
        assert server.heard[1].values == ["a dot", 2]
        await app.ask("default", "And this?", session=last.session, images=[Image(PNG, "image/png")])
        assert server.heard[2].pictures == (PNG, PNG)
        roles = [message["role"] for message in server.heard[1].body.get("messages", ())]
        if format.wire == "openai_chat":  # results hold text only there: the picture follows them
            assert roles[-3:] == ["tool", "tool", "user"]


@each_format
async def test_a_follow_up_goes_on_with_the_same_conversation(format: Format, tmp_path: Path) -> None:
    replies = [call("add", {"a": 1}), answer("It is 2."), call("add", {"a": 2}), answer("It is 3.")]
    async with story(tmp_path, format, replies, tools=[add]) as (app, server):
        _, first = await started(app)
        second = await app.ask("default", "And one more?", session=first.session)
        assert second.session == first.session
        assert second.text == "It is 3."
        heard = server.heard[3]
        assert heard.users == ["Go.", "And one more?"]
        assert heard.answers == ["It is 2."]
        assert heard.values == [2, 3]
        assert faults(await kept(app, first.session)) == []


@each_pair
async def test_a_session_goes_on_with_another_provider_and_back(
    first: Format, second: Format, tmp_path: Path
) -> None:
    sealed = Thought("I think so.", SEAL)
    begun = [
        answer(sealed, Text("First. "), Call("add", {"a": 1}), Call("fail", {"why": "x"})),
        answer("Two."),
    ]
    async with (
        talking(first, [*begun, answer("Back again.")]) as one,
        talking(second, [answer(sealed, Call("add", {"a": 2})), answer("Three.")]) as other,
        opened(tmp_path, one, other, tools=[add, fail]) as app,
    ):
        _, last = await started(app)
        await app.ask("default", "More.", session=last.session, model=other.model)
        ended = await app.ask("default", "And back.", session=last.session)
        assert ended.text == "Back again."
        taken = other.heard[0]
        assert taken.users == ["Go.", "More."]
        assert taken.calls == [("add", {"a": 1}), ("fail", {"why": "x"})]
        assert taken.values == [2, "execution_error"]
        # What one provider sealed is nothing to another, be it of the same format.
        assert not says(taken.body, SEAL)
        heard = one.heard[2]
        assert heard.users == ["Go.", "More.", "And back."]
        assert heard.values == [2, "execution_error", 3]
        assert heard.answers[-1] == "Three."
        assert faults(await kept(app, last.session)) == []


@each_pair
async def test_a_fallback_of_another_format_takes_over_in_the_middle_of_a_run(
    first: Format, second: Format, tmp_path: Path
) -> None:
    ran: list[int] = []

    @tool
    async def act(number: int) -> str:
        """Do it.

        number: Which.
        """
        ran.append(number)
        return f"did {number}"

    async with (
        talking(first, [call("act", {"number": 1}), Refuse(400, "the model is retired")]) as one,
        talking(second, [call("act", {"number": 2}), answer("Both done.")]) as other,
        opened(tmp_path, one, other, values={"models.fallbacks": [other.model]}, tools=[act]) as app,
    ):
        events, last = await started(app)
        assert (last.reason, last.text) == ("done", "Both done.")
        switched = [event for event in events if isinstance(event, ModelSwitched)]
        assert [(event.failed, event.model) for event in switched] == [(one.model, other.model)]
        assert "the model is retired" in switched[0].reason
        assert ran == [1, 2]
        assert other.heard[1].values == ["did 1", "did 2"]
        assert faults(await kept(app, last.session)) == []


@each_format
async def test_a_run_that_was_stopped_is_resumed_by_another_app(format: Format, tmp_path: Path) -> None:
    replies = [answer(Thought("Hm.", SEAL), Call("add", {"a": 1})), Broken("hang", (Text("It is"),))]
    async with talking(format, replies) as server:
        async with opened(tmp_path, server, tools=[add]) as app:
            session = await stop_at(app, TextAdded)
        server.replies += [answer("It is 2.")]
        async with opened(tmp_path, server, tools=[add]) as app:
            resumed = [event async for event in app.resume(session)]
            assert isinstance(resumed[-1], RunFinished)
            assert (resumed[-1].reason, resumed[-1].text) == ("done", "It is 2.")
            assert faults(await kept(app, session)) == []
        heard = server.heard[-1]
        assert heard.values == [2]
        assert holds(heard.body, format.echo(Thought("Hm.", SEAL)))  # it outlived the program


@each_format
async def test_usage_and_cost_are_counted(format: Format, tmp_path: Path) -> None:
    thinks = 0 if format.wire == "anthropic" else 5  # it does not tell thoughts from answers
    spent = Usage(input=1_000, output=50, cached=400, reasoning=thinks)
    replies = [Answer((Call("add", {"a": 1}),), spent), Answer((Text("Two."),), spent)]
    model = f"{format.label}/{format.model}"
    prices = {f"models.{model}.input_price": 10.0, f"models.{model}.output_price": 100.0}
    async with story(tmp_path, format, replies, values=prices, tools=[add]) as (app, _):
        events, last = await started(app)
        assert last.usage == spent + spent
        assert last.cost == pytest.approx(2 * (1_000 * 10 + 50 * 100) / 1e6)
        counted = [event for event in events if isinstance(event, UsageCounted)]
        assert [event.usage for event in counted] == [spent, spent]
        assert [event.total.input for event in counted] == [1_000, 2_000]
        assert counted[-1].total_cost == last.cost
        answers = [each for each in (await kept(app, last.session)) if isinstance(each, AssistantMessage)]
        assert [message.usage for message in answers] == [spent, spent]


@each_format
async def test_optional_arguments_come_back_as_left_out(format: Format, tmp_path: Path) -> None:
    """A strict format makes the model write every argument, null where it means none."""
    given: list[dict[str, Any]] = []
    closed: dict[str, Any] = {"type": "object", "additionalProperties": False}
    properties = {
        "path": {"type": "string"},
        "limit": {"type": "integer"},
        "nested": {**closed, "properties": {"deep": {"type": "string"}}},
    }
    parameters = {**closed, "properties": properties, "required": ["path"]}
    definition = ToolDefinition(name="scan", description="Scan.", parameters=parameters, effect="read")

    async def execute(arguments: dict[str, Any], _: Any) -> str:
        given.append(arguments)
        return "ok"

    is_strict = format.wire.startswith("openai")
    values = {f"providers.{format.label}.strict": True} if is_strict else {}
    wrote: dict[str, Any] = {"path": "a", "nested": {}}
    if is_strict:
        wrote = {"path": "a", "limit": None, "nested": {"deep": None}}
    replies = [call("scan", wrote), answer("Scanned.")]
    async with story(
        tmp_path, format, replies, values=values, tools=[Tool(definition, execute)], builtins=False
    ) as (app, server):
        _, last = await started(app)
        assert last.reason == "done"
        assert given == [{"path": "a", "nested": {}}]
        assert server.heard[1].results == [{"status": "success", "result": "ok"}]  # nothing was mended
        if is_strict:
            sent = server.heard[0].tools["scan"]
            assert sent["strict"] is True
            assert sorted(sent["parameters"]["required"]) == ["limit", "nested", "path"]


@each_format
async def test_thoughts_go_back_as_they_came(format: Format, tmp_path: Path) -> None:
    first, second = Thought("Let me think ä.", SEAL), Thought("Again.", SEAL + "2")
    replies = [
        answer(first, Call("add", {"a": 1})),
        answer(second, Call("add", {"a": 2}), Call("add", {"a": 3})),
        answer("Done."),
    ]
    async with story(tmp_path, format, replies, tools=[add]) as (app, server):
        _, last = await started(app)
        assert last.reason == "done"
        assert not holds(server.heard[0].body, format.echo(first))
        assert holds(server.heard[1].body, format.echo(first))
        assert says(server.heard[1].body, SEAL)
        assert holds(server.heard[2].body, format.echo(first))
        assert holds(server.heard[2].body, format.echo(second))


@pytest.mark.parametrize("format", [each for each in FORMATS if each.wire != "gemini"], ids=label_of)
async def test_thoughts_go_to_no_other_model_of_the_same_provider(format: Format, tmp_path: Path) -> None:
    """Only the model that sealed a thought can read it; others refuse the request (Gemini's take it)."""
    thought = Thought("Hm.", SEAL)
    replies = [answer(thought, Text("Well. "), Call("add", {"a": 1})), answer("Two."), answer("Three.")]
    async with story(tmp_path, format, replies, tools=[add]) as (app, server):
        _, last = await started(app)
        await app.ask("default", "More.", session=last.session, model=f"{server.model}-next")
        heard = server.heard[2]
        assert heard.answers == ["Well. ", "Two."]
        assert heard.values == [2]
        assert not says(heard.body, SEAL)


async def test_a_small_model_that_takes_over_gets_the_tools_for_small_models_at_once(tmp_path: Path) -> None:
    async with (
        talking(BY_LABEL["anthropic"], [call("add", {"a": 1}), Refuse(400, "retired")]) as big,
        talking(BY_LABEL["ollama"], [call("fetch_url", {"path": "a"}), answer("Two.")]) as small,
    ):
        values = {"models.fallbacks": [small.model], f"models.{small.model}.small": True}
        async with opened(tmp_path, big, small, values=values, tools=[add]) as app:
            _, last = await started(app)
            assert last.text == "Two."
            assert "add" in big.heard[1].tools
            assert "fetch_url" in big.heard[1].tools
            assert [sorted(set(heard.tools) - {*SMALL_TOOLS, "add"}) for heard in small.heard] == [[], []]
            assert small.heard[1].values == [2, "tool_not_available"]


@pytest.mark.parametrize("is_on", [True, False])
async def test_calls_written_as_text_are_read_where_the_owner_says_so(is_on: bool, tmp_path: Path) -> None:
    format = BY_LABEL["ollama"]
    text = 'Let me see.\n<tool_call>\n{"name": "add", "arguments": {"a": 20, "b": 22}}\n</tool_call>'
    replies: list[Reply] = [answer(text), answer("It is 42.")] if is_on else [answer(text)]
    values = {f"providers.{format.label}.text_calls": is_on}
    async with story(tmp_path, format, replies, values=values, tools=[add]) as (app, server):
        events, last = await started(app)
        assert last.calls == int(is_on)
        assert ("<tool_call>" in last.text) != is_on
        if is_on:
            shown = "".join(event.text for event in events if isinstance(event, TextAdded))
            assert "<tool_call>" not in shown
            assert server.heard[1].values == [42]


@each_format
@pytest.mark.parametrize("in_call", [False, True], ids=["in text", "in a call"])
async def test_a_stop_in_the_middle_of_a_stream_closes_the_connection_and_leaves_a_valid_history(
    format: Format, in_call: bool, tmp_path: Path
) -> None:
    ran: list[str] = []

    @tool
    async def act(what: str) -> str:
        """Do it.

        what: What.
        """
        ran.append(what)
        return what

    parts = (Text("I will "), Call("act", {"what": "harm"})) if in_call else (Text("I will "),)
    until = CallBegun if in_call else TextAdded
    async with story(tmp_path, format, [Broken("hang", parts)], tools=[act]) as (app, server):
        session = await stop_at(app, until)
        async with asyncio.timeout(SECONDS):
            await server.left.wait()
        assert ran == []
        messages = await kept(app, session)
        assert faults(messages) == []
        stopped = messages[-1]
        assert isinstance(stopped, AssistantMessage)
        assert stopped.finish == "stopped"
        assert stopped.calls == ()
        assert "I will ".startswith(stopped.text)
        assert stopped.text
        server.replies.append(answer("I did not."))
        again = await app.ask("default", "And?", session=session)
        assert again.text == "I did not."
        assert server.heard[1].answers == [stopped.text]


@each_format
async def test_a_stop_while_calls_run_gives_each_its_result(format: Format, tmp_path: Path) -> None:
    ran: list[str] = []

    @tool(effect="write", seconds=60)
    async def act(what: str) -> str:
        """Do it.

        what: What.
        """
        ran.append(what)
        if what == "slow":
            await asyncio.Event().wait()
        return what

    both = answer(Call("act", {"what": "quick"}), Call("act", {"what": "slow"}))
    async with story(tmp_path, format, [both, answer("Stopped.")], tools=[act]) as (app, server):
        session = await stop_at(app, ToolFinished)
        assert sorted(ran) == ["quick", "slow"]
        assert (await results_kept(app, session)) == ["quick", Kind.CANCELLED]
        await app.ask("default", "And?", session=session)
        assert server.heard[1].values == ["quick", "cancelled"]
        assert sorted(ran) == ["quick", "slow"]


@each_format
async def test_calls_without_ids_or_with_the_same_id_are_told_apart(format: Format, tmp_path: Path) -> None:
    same = answer(Call("add", {"a": 1}, "call_0"), Call("add", {"a": 2}, "call_0"))
    async with story(tmp_path, format, [same, same, answer("Done.")], tools=[add]) as (app, server):
        events, last = await started(app)
        begun = [event.call_id for event in events if isinstance(event, ToolStarted)]
        assert len(set(begun)) == 4
        assert server.heard[2].values == [2, 3, 2, 3]
        assert faults(await kept(app, last.session)) == []
