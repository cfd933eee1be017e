"""Answers of every wire format, read: parts, reasons to end, usage and errors. Each format gives its rows."""

from dataclasses import replace
from typing import Any

import pytest
from tests.providers.formats.every import BY_WIRE, each_format
from tests.providers.formats.format import Call, Format, Text, Thought
from tests.providers.wires import each_wire, feed, new_reader, read, rows_of

from oneclaw.core.answer import Answered, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.message import AssistantMessage, CallPart, Finish, TextPart, ThoughtPart, Usage
from oneclaw.providers.base import ProviderError
from oneclaw.testing import WIRES
from oneclaw.testing.answers import arguments_of, check_answer
from oneclaw.testing.contract import Checklist

PARTS = (
    Thought("Hm ä.", "c2lnbmVk"),
    Text("I will look."),
    Call("read_file", {"path": "a"}, "call_1"),
    Call("list_all", {}, "call_2"),
)
SPENT = Usage(input=100, output=30, cached=60, cache_written=20, reasoning=10)


def spent_on(format: Format) -> Usage:
    return replace(SPENT, cache_written=0) if format.wire == "gemini" else SPENT  # it does not tell


def plain(message: AssistantMessage) -> list[Any]:
    """The parts with the arguments of calls as objects, and the rest of the message."""
    parts = [
        replace(part, call=replace(part.call, arguments=dict(arguments_of(part.call))))  # type: ignore[arg-type]
        if isinstance(part, CallPart)
        else part
        for part in message.parts
    ]
    return [parts, message.finish, message.wire, message.usage]


@each_format
def test_parts_keep_their_order_and_are_told_as_they_come(format: Format) -> None:
    reader = new_reader(format.wire)
    begun, ending = format.stream(PARTS, spent_on(format))
    progress = feed(reader, *begun)
    assert not reader.is_complete
    progress += feed(reader, *ending)
    message = reader.message()
    assert reader.is_complete
    checklist = Checklist(format.label)
    check_answer([*progress, Answered(message)], checklist)
    checklist.close()
    assert [*dict.fromkeys(type(each) for each in progress)] == [
        ThoughtAdded,
        TextAdded,
        CallBegun,
        ArgumentsAdded,
    ]
    assert [each.text for each in progress if isinstance(each, TextAdded)] == ["I will", " look."]
    assert [type(part) for part in message.parts] == [ThoughtPart, TextPart, CallPart, CallPart]
    assert message.text == "I will look."
    assert [(call.id, call.name, arguments_of(call), call.fault) for call in message.calls] == [
        ("call_1", "read_file", {"path": "a"}, ""),
        ("call_2", "list_all", {}, ""),
    ]
    assert (message.finish, message.wire, message.usage) == ("calls", format.wire, spent_on(format))


@each_wire
def test_a_whole_body_is_a_stream_of_one(wire: str) -> None:
    format = BY_WIRE[wire]
    reader = new_reader(wire)
    progress = list(reader.take(format.body(PARTS, spent_on(format))))
    assert reader.is_complete
    begun, ending = format.stream(PARTS, spent_on(format))
    assert plain(reader.message()) == plain(read(wire, *begun, *ending))
    checklist = Checklist(wire)
    check_answer([*progress, Answered(reader.message())], checklist)
    checklist.close()


@each_wire
def test_many_pieces_of_text_are_one_part(wire: str) -> None:
    begun, _ = BY_WIRE[wire].stream([Text("xy")], Usage())
    [at] = [at for at, each in enumerate(begun) if b'"y"' in each]
    message = read(wire, *begun[:at], *[begun[at]] * 5_000)
    assert message.text == "x" + "y" * 5_000
    assert len(message.parts) == 1


# Why an answer ended.

FINISHES: dict[str, dict[Any, Finish]] = {
    "anthropic": {
        **dict.fromkeys(("end_turn", "stop_sequence", "tool_use", "something_new", None, 7), "stop"),
        **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
        **dict.fromkeys(("pause_turn", "compaction"), "calls"),
        "refusal": "refusal",
    },
    "gemini": {
        **dict.fromkeys(("STOP", "OTHER", "TOO_MANY_TOOL_CALLS", "UNEXPECTED_TOOL_CALL", "NEW_ONE"), "stop"),
        **dict.fromkeys(("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT"), "refusal"),
        **dict.fromkeys(("SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "refusal"),
        "MAX_TOKENS": "length",
    },
    "openai_chat": {
        **dict.fromkeys(("stop", "eos", "end_turn", "eos_token", "STOP", "tool_calls", "whatever"), "stop"),
        **dict.fromkeys(("length", "max_tokens", "MAX_TOKENS", "model_length", "max_length"), "length"),
        **dict.fromkeys(("content_filter", "safety", "recitation", "blocked", "refusal"), "refusal"),
        "max_output_tokens": "length",
    },
    "openai_responses": {
        **dict.fromkeys(("max_output_tokens", "anything", None), "length"),
        "content_filter": "refusal",
    },
}


@pytest.mark.parametrize(("wire", "reason", "finish"), rows_of({w: FINISHES[w].items() for w in WIRES}))
def test_every_reason_to_end_has_its_finish(wire: str, reason: Any, finish: Finish) -> None:
    begun, ending = BY_WIRE[wire].stream([Text("So far")], Usage(), reason)
    reader = new_reader(wire)
    feed(reader, *begun, ending[0], *ending[-1:])
    assert reader.is_complete
    assert reader.message().finish == finish
    assert reader.message().text.startswith("So far")
    if finish in ("stop", "calls"):  # calls are to be run, whatever the reason is called
        begun, ending = BY_WIRE[wire].stream(PARTS, Usage(), reason)
        assert read(wire, *begun, *ending).finish == "calls"
        assert not any(call.fault for call in read(wire, *begun, *ending).calls)


@pytest.mark.parametrize(("wire", "reason"), [("anthropic", "refusal"), ("gemini", "SAFETY")])
def test_a_call_of_an_answer_that_a_filter_stopped_does_not_run(wire: str, reason: str) -> None:
    begun, ending = BY_WIRE[wire].stream(PARTS, Usage(), reason)
    assert all("filter" in call.fault for call in read(wire, *begun, *ending).calls)


@pytest.mark.parametrize("wire", ["anthropic", "openai_responses"])
def test_nothing_is_taken_in_after_the_end(wire: str) -> None:
    begun, ending = BY_WIRE[wire].stream(PARTS, Usage())
    reader = new_reader(wire)
    feed(reader, *begun, *ending)
    before = reader.message()
    assert feed(reader, *begun, {"type": "error"}, "[DONE]", "{") == []
    assert reader.message() == before


# Usage.


def chat_usage(prompt: Any, completion: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, **more}}


def gemini_usage(**counts: Any) -> dict[str, Any]:
    return {"usageMetadata": counts}


THOUGHTS: dict[str, Any] = {"total_tokens": 354, "completion_tokens_details": {"reasoning_tokens": 340}}
ODD = {"usage": {"input_tokens": True, "output_tokens": -1}}
READ = {"usage": {"input_tokens": 7, "cache_read_input_tokens": 20}}
USAGES: dict[str, list[tuple[list[Any], Usage]]] = {
    "anthropic": [
        (
            [
                {"type": "message_start", "message": READ},
                {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 9, "input_tokens": None}},
                {"type": "message_delta", "delta": {}, "usage": {"output_tokens": "10", "input_tokens": -1}},
            ],
            Usage(27, 9, 20),
        )
    ],
    "gemini": [
        (
            [
                gemini_usage(promptTokenCount=100, candidatesTokenCount=1),
                gemini_usage(toolUsePromptTokenCount=7, candidatesTokenCount=10),
                gemini_usage(trafficType="X"),
            ],
            Usage(107, 10),
        ),
        ([gemini_usage(promptTokenCount="9", candidatesTokenCount=-1, thoughtsTokenCount=None)], Usage()),
    ],
    "openai_chat": [
        ([chat_usage(10, 7, prompt_cache_hit_tokens=6)], Usage(10, 7, 6)),
        ([chat_usage(10, 7, cached_tokens=6)], Usage(10, 7, 6)),
        ([chat_usage(12, 2, **THOUGHTS)], Usage(12, 342, reasoning=340)),
        ([{"choices": [], "x_groq": chat_usage(3, 4)}], Usage(3, 4)),
        ([chat_usage(None, "7", prompt_tokens_details=[])], Usage()),
        ([chat_usage(True, -1, total_tokens=1e400)], Usage()),
    ],
    "openai_responses": [([{"type": "response.completed", "response": ODD}], Usage())],
}


@pytest.mark.parametrize(("wire", "events", "usage"), rows_of(USAGES))
def test_tokens_are_counted_the_same_whoever_counts_them(wire: str, events: list[Any], usage: Usage) -> None:
    assert read(wire, *events).usage == usage


# Errors inside an answer.


def told(error: Any) -> dict[str, Any]:
    return {"type": "error", "error": error}


def failed(status: str = "failed", **response: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {"status": status, **response}}


def ended_with(reason: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


ERRORS: dict[str, list[tuple[Any, str]]] = {
    "anthropic": [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overload"),
        ({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}, "limit"),
        ({"type": "error", "error": {"type": "api_error", "message": "Internal server error"}}, "server"),
        (
            {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}},
            "window",
        ),
        ({"type": "error", "error": {}}, "server"),
        ({"type": "error", "error": None}, "server"),
        ({"type": "error", "error": "down"}, "server"),
        ({"error": {"type": "overloaded_error"}}, "overload"),
    ],
    "gemini": [
        ({"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}, "overload"),
        ({"error": {"code": 429, "message": "Slow.", "status": "RESOURCE_EXHAUSTED"}}, "limit"),
        ({"error": {"status": "UNAVAILABLE"}}, "overload"),
        ({"error": {"code": "x", "message": 5}}, "server"),
        ({"error": "broken"}, "server"),
        ({"error": [1]}, "server"),
    ],
    "openai_chat": [
        ({"error": {"message": "Overloaded", "type": "overloaded_error"}}, "overload"),
        ({"error": {"message": "Slow down", "code": 429}}, "limit"),
        ({"error": {"message": "Bad gateway", "code": 502}, "choices": [{"delta": None}]}, "server"),
        ({"error": "out of memory"}, "server"),
        ({"object": "error", "message": "no", "code": "400"}, "request"),
        (ended_with("error"), "overload"),
        (ended_with("insufficient_system_resource"), "overload"),
        ({"error": {"message": "No", "code": "tool_use_failed", "status_code": 400}}, "server"),
    ],
    "openai_responses": [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "Slow down."}, "limit"),
        ({"type": "error", "error": {"type": "server_error", "message": "Sorry."}}, "server"),
        ({"error": {"code": "insufficient_quota", "message": "No."}}, "quota"),
        (failed(error={"code": "invalid_prompt", "message": "Bad."}), "request"),
        (failed(error={"code": "bio_policy", "message": "No."}), "request"),
        (failed(error={"code": "failed_to_download_image", "message": "No."}), "request"),
        (failed(), "server"),
        (failed("cancelled"), "server"),
        ({"type": "error", "error": "text"}, "server"),
        ({"code": "400", "error": "Argument not supported"}, "server"),
    ],
}


@pytest.mark.parametrize(
    ("wire", "event", "trouble"), [(wire, *row) for wire in WIRES for row in ERRORS[wire]]
)
def test_an_error_inside_an_answer_is_raised_and_what_came_before_is_kept(
    wire: str, event: Any, trouble: str
) -> None:
    reader = new_reader(wire)
    feed(reader, *BY_WIRE[wire].stream([Text("Before.")], Usage())[0])
    with pytest.raises(ProviderError) as raised:
        feed(reader, event)
    assert raised.value.trouble == trouble
    assert reader.message().text == "Before."
    assert not reader.is_complete


QUIET: dict[str, list[str]] = {
    "anthropic": ["[DONE]", '{"type": "ping"}', '{"type": "new_thing"}', '{"type": 5}', "{}"],
    "gemini": ["", "  ", "[DONE]", "null", "5", '"text"', "[]", "[null, 5]", "{}"],
    "openai_chat": [
        *("null", "[]", "5", '"x"', "{}", '{"choices": null}', '{"choices": [null]}', '{"choices": [5]}')
    ],
    "openai_responses": ["[DONE]", "[]", "3", "null", "{}", '{"type": "response.new.thing"}', '{"type": 5}'],
}


@pytest.mark.parametrize(("wire", "event"), rows_of(QUIET))
def test_an_event_that_says_nothing_is_passed_over(wire: str, event: str) -> None:
    reader = new_reader(wire)
    assert list(feed(reader, event)) == []
    assert not reader.is_complete
    assert reader.message().parts == ()


NESTED = '{"a":' + "[" * 500 + "]" * 500 + "}"


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        *(("anthropic", event) for event in ("[]", "7", "null", '{"a":' * 2000, NESTED)),
        *(("gemini", event) for event in ('{"candidates": ', '{"a": ' + "9" * 5000 + "}", NESTED)),
    ],
)
def test_what_is_no_event_is_a_broken_stream(wire: str, event: str) -> None:
    reader = new_reader(wire)
    feed(reader, *BY_WIRE[wire].stream([Text("Before.")], Usage())[0])
    with pytest.raises(ProviderError) as raised:
        feed(reader, event)
    assert raised.value.trouble == "stream"
    assert reader.message().text == "Before."
