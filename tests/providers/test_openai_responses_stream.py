"""Answers of the Responses API: streams in every order and state, whole bodies, and hostile ones."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from tests.providers import wires

from oneclaw.core.answer import AnswerProgress, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.message import AssistantMessage, CallPart, ForeignPart, TextPart, ThoughtPart
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.openai_responses.stream import ResponsesReader
from oneclaw.providers.openai_responses.wire import OpenAIResponses

Event = dict[str, Any]
TOOLS = (
    ToolDefinition(
        name="read_file",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}, "encoding": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
)


WIRE = OpenAIResponses()


def new_reader() -> ResponsesReader:
    return WIRE.reader(Request("gpt-5", (), tools=TOOLS))


def feed(events: Iterable[Any]) -> tuple[AssistantMessage, list[AnswerProgress]]:
    reader = new_reader()
    progress = wires.feed(reader, *events)
    return reader.message(), progress


def added(index: int, **item: Any) -> Event:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, **item: Any) -> Event:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def delta(kind: str, index: int, text: str, **more: Any) -> Event:
    return {"type": f"response.{kind}.delta", "output_index": index, "delta": text, **more}


def end(status: str = "completed", **response: Any) -> Event:
    return {"type": f"response.{status}", "response": {"status": status, **response}}


def function(number: int, arguments: str = "", **more: Any) -> Event:
    call = {"id": f"fc_{number}", "call_id": f"call_{number}", "name": "read_file", "arguments": arguments}
    return {"type": "function_call", **call, **more}


def said(text: str, number: int = 1, **more: Any) -> Event:
    content: list[Event] = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content, **more}


def texts(progress: Iterable[AnswerProgress]) -> str:
    return "".join(each.text for each in progress if isinstance(each, TextAdded))


def test_deltas_of_two_calls_interleave_by_place_or_by_id() -> None:
    for by in ("output_index", "item_id"):
        where = (
            [{"output_index": 0}, {"output_index": 1}]
            if by == "output_index"
            else [{"item_id": "fc_1"}, {"item_id": "fc_2"}]
        )
        pieces = [(0, '{"path":'), (1, '{"path":"b'), (0, '"a"}'), (1, '"}')]
        deltas = [
            {"type": "response.function_call_arguments.delta", "delta": text, **where[n]}
            for n, text in pieces
        ]
        events = [added(0, **function(1)), added(1, **function(2)), *deltas]
        closed = [
            {"type": "response.function_call_arguments.done", "arguments": "", **place} for place in where
        ]
        message, _ = feed([*events, *closed, end()])
        assert [(call.id, call.arguments) for call in message.calls] == [
            ("call_1", '{"path":"a"}'),
            ("call_2", '{"path":"b"}'),
        ]


@pytest.mark.parametrize(
    "late",
    [
        [{"type": "response.function_call_arguments.done", "output_index": 0, "arguments": '{"path":"x"}'}],
        [done(0, **function(1, '{"path":"x"}'))],
        [end(output=[function(1, '{"path":"x"}')])],
    ],
)
def test_arguments_may_come_only_at_the_end(late: list[Event]) -> None:
    message, progress = feed([added(0, **function(1)), *late, end()])
    assert [call.arguments for call in message.calls] == ['{"path":"x"}']
    assert progress == [CallBegun(0, "read_file"), ArgumentsAdded(0, '{"path":"x"}')]


def test_a_call_may_be_named_only_at_the_end() -> None:
    named = {
        "type": "response.function_call_arguments.done",
        "output_index": 0,
        "arguments": "{}",
        "name": "read_file",
    }
    message, progress = feed([delta("function_call_arguments", 0, "{}"), named, end()])
    assert message.calls[0].name == "read_file"
    assert progress == [CallBegun(0, "read_file"), ArgumentsAdded(0, "{}")]


def test_optional_arguments_that_strict_schemas_have_as_null_are_taken_out_again() -> None:
    message, _ = feed([done(0, **function(1, '{"path":"x","encoding":null}')), end()])
    assert message.calls[0].arguments == {"path": "x"}


def test_empty_arguments_are_none_given() -> None:
    message, _ = feed([done(0, **function(1, "", name="other", status="completed")), end()])
    assert message.calls[0].arguments == "{}"
    assert message.calls[0].fault == ""


def test_arguments_sent_as_an_object_are_read() -> None:
    message, _ = feed([done(0, **{**function(1, name="other"), "arguments": {"a": 1}}), end()])
    assert message.calls[0].arguments == '{"a":1}'


@pytest.mark.parametrize("arguments", [5, [1], True])
def test_arguments_that_are_no_object_never_become_none(arguments: Any) -> None:
    message, _ = feed([done(0, **{**function(1), "arguments": arguments}), end()])
    assert message.calls[0].arguments == json.dumps(arguments, separators=(",", ":"))


def test_a_server_that_gives_new_item_ids_each_time_is_followed_by_place() -> None:
    message, progress = feed(
        [
            added(0, **{**function(1), "id": "a"}),
            delta("function_call_arguments", 0, '{"path":"x"}', item_id="b"),
            done(0, **{**function(1, '{"path":"x"}'), "id": "c"}),
            added(1, **{**said(""), "id": "d"}),
            delta("output_text", 1, "Hi.", item_id="e"),
            done(1, **{**said("Hi."), "id": "f"}),
            end(output=[{**function(1, '{"path":"x"}'), "id": "g"}, {**said("Hi."), "id": "h"}]),
        ]
    )
    assert len(message.calls) == 1
    assert message.text == texts(progress) == "Hi."


def test_a_server_that_gives_every_item_the_same_place_is_followed_by_id() -> None:
    calls = [function(1, '{"path":"a"}'), function(2, '{"path":"b"}')]
    message, _ = feed([*(done(0, **item) for item in calls), end(output=calls)])
    assert [call.arguments for call in message.calls] == ['{"path":"a"}', '{"path":"b"}']
    message, _ = feed([*(event for item in calls for event in (added(0, **item), done(0, **item))), end()])
    assert [call.arguments for call in message.calls] == ['{"path":"a"}', '{"path":"b"}']


def test_a_server_that_gives_neither_ids_nor_places_is_followed_in_order() -> None:
    def bare(event: Event) -> Event:
        item = {name: value for name, value in event.get("item", {}).items() if name != "id"}
        fresh = {name: value for name, value in event.items() if name not in ("output_index", "item_id")}
        return {**fresh, "item": item} if item else fresh

    calls = [function(number, '{"path":"x"}') for number in (1, 2)]
    each = [
        [
            added(0, **{**item, "arguments": ""}),
            delta("function_call_arguments", 0, '{"path":'),
            done(0, **item),
        ]
        for item in calls
    ]
    text = [added(0, type="message"), delta("output_text", 0, "Hel"), delta("output_text", 0, "lo")]
    events = [bare(event) for event in (*text, done(0, **said("Hello")), *each[0], *each[1])]
    message, progress = feed([*events, end()])
    assert [call.id for call in message.calls] == ["call_1", "call_2"]
    assert message.text == texts(progress) == "Hello"
    assert len(message.parts) == 3


def test_a_list_at_the_end_adds_nothing_to_what_came_whole() -> None:
    stream = [done(0, type="reasoning", id="rs_1", summary=[]), done(1, **said("Hi."))]
    message, _ = feed([*stream, end(output=[{**said("Hi."), "id": "another"}])])
    assert message.text == "Hi."


def test_text_that_comes_before_its_item_is_of_it() -> None:
    message, _ = feed([delta("output_text", 0, "Hi"), added(0, **said("")), done(0, **said("Hi.")), end()])
    assert message.parts == (TextPart("Hi.", said("Hi.")),)


def test_what_came_in_parts_is_told_once_and_the_rest_later() -> None:
    part = {
        "type": "response.content_part.done",
        "output_index": 0,
        "part": {"type": "output_text", "text": "Hello"},
    }
    text = {"type": "response.output_text.done", "output_index": 0, "text": "Hello"}
    message, progress = feed([delta("output_text", 0, "Hel"), text, part, done(0, **said("Hello!")), end()])
    assert progress == [TextAdded("Hel"), TextAdded("lo"), TextAdded("!")]
    assert message.text == "Hello!"


def test_paragraphs_of_a_summary_are_kept_apart_as_told() -> None:
    summary = [{"type": "summary_text", "text": "One"}, {"type": "summary_text", "text": "Two"}]
    events = [
        delta("reasoning_summary_text", 0, text, summary_index=index)
        for index, text in enumerate(["One", "Two"])
    ]
    whole = done(0, type="reasoning", id="rs_1", summary=summary)
    for stream in ([*events, whole], [whole]):
        message, progress = feed([*stream, end()])
        [thought] = message.parts
        assert isinstance(thought, ThoughtPart)
        told = "".join(each.text for each in progress if isinstance(each, ThoughtAdded))
        assert thought.text == told == "One\n\nTwo"


def test_reasoning_text_of_open_models_is_a_thought() -> None:
    message, progress = feed([delta("reasoning_text", 0, "Hm."), end()])
    assert message.parts == (ThoughtPart("Hm."),)
    assert progress == [ThoughtAdded("Hm.")]


def test_a_refusal_is_text_and_says_so() -> None:
    content = [{"type": "refusal", "refusal": "I cannot."}]
    stream = [
        delta("refusal", 0, "I "),
        delta("refusal", 0, "cannot."),
        done(0, **{**said(""), "content": content}),
    ]
    message, progress = feed([*stream, end()])
    assert (message.finish, message.text, texts(progress)) == ("refusal", "I cannot.", "I cannot.")


def test_the_cut_call_of_an_incomplete_answer_must_not_run() -> None:
    whole = function(1, '{"path":"a"}', status="completed")
    cut = function(2, '{"path":"b', status="incomplete")
    message, _ = feed([done(0, **whole), done(1, **cut), end("incomplete")])
    first, second = message.parts
    assert isinstance(first, CallPart)
    assert isinstance(second, CallPart)
    assert (first.call.fault, bool(second.call.fault)) == ("", True)
    assert second.echo is None


@pytest.mark.parametrize("status", [None, "in_progress"])
def test_a_call_cut_before_its_first_argument_must_not_run(status: str | None) -> None:
    message, _ = feed([done(0, **function(1, "", status=status)), end("incomplete")])
    assert message.calls[0].fault


def test_a_call_that_was_never_said_to_be_whole_must_not_run_unless_it_is() -> None:
    for text, is_whole in (('{"path":"a"}', True), ('{"path":"a', False), ("", False)):
        message, _ = feed([added(0, **function(1)), delta("function_call_arguments", 0, text), end()])
        assert (message.calls[0].fault == "") is is_whole


def test_without_the_guard_a_cut_call_would_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_none(reader: ResponsesReader, item: Any, text: str) -> str:
        return ""

    monkeypatch.setattr(ResponsesReader, "_fault", find_none)
    message, _ = feed([added(0, **function(1)), delta("function_call_arguments", 0, '{"path":"a')])
    assert message.calls[0].fault == ""


def test_reasoning_that_was_not_finished_is_not_sent_back() -> None:
    stream = [added(0, type="reasoning", id="rs_1", summary=[], encrypted_content="half")]
    message, _ = feed([*stream, delta("reasoning_summary_text", 0, "Hm")])
    assert message.parts == (ThoughtPart("Hm"),)


def test_items_we_do_not_know_are_kept_whole() -> None:
    item = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "news"},
    }
    stream = [
        added(0, type="web_search_call", id="ws_1"),
        {"type": "response.web_search_call.searching"},
        done(0, **item),
    ]
    message, _ = feed(
        [*stream, done(1, type="brand_new", data=1), end(output=[item, {"type": "brand_new", "data": 1}])]
    )
    assert message.parts == (
        ForeignPart(item, "web search call: news"),
        ForeignPart({"type": "brand_new", "data": 1}, "brand new"),
    )
    assert message.finish == "stop"


@pytest.mark.parametrize("body", [{}, {"output": None}, {"choices": []}, [], None])
def test_a_body_of_another_kind_is_said_to_be_one(body: Any) -> None:
    with pytest.raises(ProviderError, match="Responses API"):
        new_reader().take(body)


def test_a_body_with_an_error_or_not_yet_done_is_no_answer() -> None:
    with pytest.raises(ProviderError):
        new_reader().take({"error": {"message": "No.", "type": "invalid_request_error"}})
    with pytest.raises(ProviderError, match="Argument not supported"):
        new_reader().take({"code": "400", "error": "Argument not supported"})
    reader = new_reader()
    reader.take({"status": "queued", "output": []})
    assert not reader.is_complete


def test_an_echo_nested_beyond_reason_is_not_kept() -> None:
    nested = '{"a":' * 300 + "1" + "}" * 300
    event = (
        '{"type":"response.output_item.done","output_index":0,"item":{"type":"odd","id":"x","data":'
        + nested
        + "}}"
    )
    message, _ = feed([event, delta("output_text", 1, "Hi."), end()])
    assert message.parts == (TextPart("Hi."),)
    deep = '{"type":"response.output_item.done","item":{"type":"function_call","name":"f","arguments":'
    message, _ = feed([deep + nested + "}}", end()])
    assert message.calls[0].arguments == "arguments that are nested too deeply"


def test_reading_takes_time_in_proportion_to_what_comes() -> None:
    """Counted, not timed: each delta is kept as it came, and joined when it is asked for."""
    reader = new_reader()
    wires.feed(reader, *[delta("output_text", 0, "x") for _ in range(2_000)])
    [item] = reader._items  # pyright: ignore[reportPrivateUsage]
    assert len(item.pieces["text", 0]) == 2_000
