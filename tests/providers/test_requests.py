"""Requests of every wire format, written: what a server understands of them, and what it would refuse.

That a plain request is the one the official client sends is shown in tests/journeys/test_official_clients.py.
"""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from tests.providers.formats.every import BY_WIRE
from tests.providers.formats.format import Called, Gave, Heard, Json, Said, complaints, says
from tests.providers.wires import MAKERS, each_wire, rows_of

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.providers.base import Request
from oneclaw.testing import TOOLS

PNG = b"\x89PNG\r\n\x1a\nrest"
PICTURE = Image(PNG, "image/png")
HELLO = UserMessage("Hello")
MODELS = {"gemini": "gemini-2.5-pro", "openai_responses": "gpt-4o"}


def asked(wire: str, *messages: Message, **fields: Any) -> Request:
    return replace(Request(MODELS.get(wire, "m"), messages or (HELLO,), tools=TOOLS), **fields)


def written(wire: str, *messages: Message, **fields: Any) -> Json:
    return json.loads(MAKERS[wire]().write(asked(wire, *messages, **fields)))


def heard(wire: str, *messages: Message, **fields: Any) -> Heard:
    """What a server understands of the request, and that it has nothing to refuse."""
    understood = BY_WIRE[wire].hear("", {}, written(wire, *messages, **fields))
    assert complaints(understood, wire) == []
    return understood


def called(wire: str, *calls: ToolCall, text: str = "", **result: Any) -> tuple[Message, ...]:
    """A question, an answer with these calls, and a result for each."""
    parts = [*([TextPart(text)] if text else []), *map(CallPart, calls)]
    results = [ToolResult(call.id, call.name, **result) for call in calls]
    return HELLO, AssistantMessage(tuple(parts), "calls", wire), ResultsMessage(tuple(results))


# The head.

BEARER = {"Authorization": "Bearer k"}
HEADS: dict[str, tuple[str, Json]] = {
    "anthropic": ("/v1/messages", {"anthropic-version": "2026-10-21", **BEARER}),
    "gemini": (
        "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        {"x-goog-api-key": "k"},
    ),
    "openai_chat": ("/chat/completions", BEARER),
    "openai_responses": ("/responses", BEARER),
}
LEAST = {
    "anthropic": {"model", "max_tokens", "stream", "messages"},
    "gemini": {"contents"},
    "openai_chat": {"model", "stream", "stream_options", "messages"},
    "openai_responses": {"model", "stream", "store", "input"},
}
OURS = {
    "anthropic": ("messages", "tools", "stream"),
    "gemini": ("contents", "tools", "system_instruction", "model"),
    "openai_chat": ("messages", "tools", "stream"),
    "openai_responses": ("input", "tools", "stream"),
}
"""What an option may not replace."""


@each_wire
def test_the_key_goes_in_one_header_and_nothing_goes_without_one(wire: str) -> None:
    maker, (path, headers) = MAKERS[wire](), HEADS[wire]
    assert (maker.name, maker.path(asked(wire)), maker.headers("k")) == (wire, path, headers)
    without = {name: value for name, value in headers.items() if "k" not in value.split()}
    assert maker.headers(None) == without


@each_wire
def test_what_nobody_asked_for_is_not_sent(wire: str) -> None:
    assert written(wire, tools=()).keys() == LEAST[wire]
    assert written(wire, tools=(), can_call=False).keys() == LEAST[wire]


@each_wire
def test_options_are_added_but_never_in_place_of_the_conversation(wire: str) -> None:
    plain = written(wire, instructions="Yes.", most_tokens=500)
    options = {"temperature": 0.2, **dict.fromkeys(OURS[wire], "no")}
    with_options = written(wire, instructions="Yes.", most_tokens=500, options=options)
    place = with_options["generationConfig"] if wire == "gemini" else with_options
    assert place.pop("temperature") == 0.2
    assert with_options == plain


@each_wire
def test_tools_that_may_not_be_called_are_left_out_or_forbidden(wire: str) -> None:
    options = {"tool_choice": "required", "parallel_tool_calls": False} if wire == "openai_responses" else {}
    forbidden = heard(wire, can_call=False, options=options)
    if wire.startswith("openai"):
        assert not forbidden.body.keys() & {"tools", "tool_choice", "parallel_tool_calls"}
        assert written(wire, options=options).items() >= options.items()
    else:  # told so, the model knows the tools of past calls, and what is cached stays the same
        assert forbidden.tools == heard(wire).tools
        choice = forbidden.body.get("tool_choice") or forbidden.body["toolConfig"]["functionCallingConfig"]
        assert choice in ({"type": "none"}, {"mode": "NONE"})


@each_wire
def test_the_order_of_tools_does_not_change_the_request(wire: str) -> None:
    there, back = (MAKERS[wire]().write(asked(wire, tools=each)) for each in (TOOLS, TOOLS[::-1]))
    assert there == back


# Messages.


@each_wire
def test_a_server_understands_the_whole_conversation(wire: str) -> None:
    calls = [ToolCall("read_file", '{"path": "a"}', "call_1"), ToolCall("get_time", {"zone": "b"}, "call_2")]
    results = (
        ToolResult("call_1", "read_file", {"lines": [1]}, images=(PICTURE, PICTURE)),
        ToolResult("call_2", "get_time", kind=Kind.TIMEOUT, message="Too slow."),
    )
    answer = AssistantMessage((TextPart("Both."), *map(CallPart, calls)), "calls", wire)
    look = UserMessage("Look.", (PICTURE,))
    understood = heard(wire, look, answer, ResultsMessage(results), UserMessage("And?"))
    assert understood.turns == (
        Said("user", "Look."),
        Said("model", "Both."),
        Called("call_1", "read_file", {"path": "a"}),
        Called("call_2", "get_time", {"zone": "b"}),
        Gave("call_1", {"status": "success", "result": {"lines": [1]}}),
        Gave("call_2", {"status": "error", "error_type": "timeout", "message": "Too slow."}),
        Said("user", "And?"),
    )
    assert understood.pictures == (PNG, PNG, PNG)
    assert heard(wire, UserMessage("", (PICTURE,))).users == []


@each_wire
@pytest.mark.parametrize("call_id", ["call:1|fc_2", "", "x" * 200, "ünïcode", "call_" + "a1b2c3d4-" * 6])
def test_ids_that_are_not_taken_are_changed_alike_in_call_and_result(wire: str, call_id: str) -> None:
    understood = heard(wire, *called(wire, ToolCall("read_file", {}, call_id)))
    [sent] = {turn.id for turn in understood.turns if not isinstance(turn, Said)}
    assert sent or wire == "gemini"  # where results may be told apart by their order


@each_wire
@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("", {}),
        ('{"a": 1}', {"a": 1}),
        (b'{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ({"a": float("nan")}, {"a": None}),
        ('{"a":', {"invalid_arguments": '{"a":'}),
        ("[1]", {"invalid_arguments": "[1]"}),
        (b"[]", {"invalid_arguments": "[]"}),
    ],
)
def test_arguments_go_back_as_an_object_whatever_the_model_wrote(
    wire: str, arguments: Any, sent: Json
) -> None:
    [(_, given)] = heard(wire, *called(wire, ToolCall("read_file", arguments, "call_1"))).calls
    assert given == sent


@each_wire
def test_arguments_nested_too_deep_to_be_written_do_not_end_the_conversation(wire: str) -> None:
    deep: Json = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for arguments in (deep, '{"a":' + "[" * 980 + "]" * 980 + "}"):
        [(_, given)] = heard(wire, *called(wire, ToolCall("read_file", arguments, "call_1"))).calls
        assert given.keys() == {"invalid_arguments"} or wire == "openai_responses"


@each_wire
@pytest.mark.parametrize("name", ["", "default_api:find", "9lives", "über", "x" * 200, "Web Search!"])
def test_a_name_that_no_tool_has_is_sent_as_one_that_is_taken(wire: str, name: str) -> None:
    [(sent, _)] = heard(wire, *called(wire, ToolCall(name, {}, "call_1"))).calls
    assert sent


@each_wire
def test_what_only_another_format_can_read_is_left_out(wire: str) -> None:
    secret = "only theirs"
    parts = (
        ThoughtPart(secret, {"signature": secret, "thoughtSignature": secret, "encrypted_content": secret}),
        ForeignPart({"type": secret, "part": {"text": secret}, "chunk": {"type": secret}}, secret),
        TextPart("Hi", {"thoughtSignature": secret, "citations": [secret], "type": "message", "id": secret}),
        CallPart(ToolCall("read_file", {"path": "a"}, "call_1"), {"extra_content": secret, "args": {"b": 1}}),
    )
    _, _, results = called(wire, ToolCall("read_file", {}, "call_1"), value="x")
    understood = heard(wire, HELLO, AssistantMessage(parts, "calls", "elsewhere"), results)
    assert understood.answers == ["Hi"]
    assert understood.calls == [("read_file", {"path": "a"})]
    assert not says(understood.body, secret)


@each_wire
def test_an_answer_with_nothing_to_send_is_left_out(wire: str) -> None:
    empty = AssistantMessage((TextPart(""), ThoughtPart("Hm.")), "cut", wire)
    again = UserMessage("Still there?")
    assert heard(wire, HELLO, empty, AssistantMessage(finish="stopped"), again) == heard(wire, HELLO, again)


@pytest.mark.parametrize("wire", ["anthropic", "gemini"])
@pytest.mark.parametrize(
    "messages", [(), (UserMessage(""),), (AssistantMessage((TextPart("Hi."),)),), (ResultsMessage(()),)]
)
def test_the_user_begins_every_conversation_and_says_something(
    wire: str, messages: tuple[Message, ...]
) -> None:
    body = json.loads(MAKERS[wire]().write(Request("m", messages)))
    [*said] = body.get("messages") or body["contents"]
    assert said[0]["role"] == "user"
    assert wire == "gemini" or said[-1]["role"] == "user"
    assert all(part["text"].strip() for each in said for part in each.get("content") or each["parts"])


@each_wire
def test_what_is_no_text_or_number_is_replaced(wire: str) -> None:
    given = {"s": "\ud800"} if wire != "gemini" else {"s": "\ud800", "n": float("nan")}
    call = ToolCall("read_file", {}, "call_1")
    understood = heard(wire, UserMessage("a\ud800b"), *called(wire, call, value=given)[1:])
    assert understood.users == ["a?b"]
    assert understood.values in ([{"s": "?"}], [{"s": "?", "n": None}])


@each_wire
def test_a_message_is_written_once(wire: str) -> None:
    maker, message = MAKERS[wire](), UserMessage("hello")
    request = asked(wire, message)
    before = maker.write(request)
    object.__setattr__(message, "text", "changed")
    assert maker.write(request) == before
    assert MAKERS[wire]().write(request) != before


@each_wire
def test_however_many_sets_of_tools_there_are_each_request_has_its_own(wire: str) -> None:
    maker = MAKERS[wire]()
    for number in range(40):
        tools = (replace(TOOLS[0], name=f"tool_{number}"),)
        body = json.loads(maker.write(asked(wire, tools=tools)))
        assert [*BY_WIRE[wire].hear("", {}, body).tools] == [f"tool_{number}"]


@each_wire
def test_a_conversation_only_grows_at_its_end(wire: str) -> None:
    maker, messages = MAKERS[wire](), list[Message]([HELLO])
    said: list[list[str]] = []
    heads: set[str] = set()
    for number in range(3):
        text = maker.write(asked(wire, *messages)).replace(b',"cache_control":{"type":"ephemeral"}', b"")
        body = json.loads(text)
        said.append([json.dumps(each) for each in body.pop(OURS[wire][0])])
        heads.add(json.dumps(body))
        messages += called(wire, ToolCall("read_file", {}, f"call_{number}"))[1:]
    assert len(heads) == 1
    for before, after in pairwise(said):
        assert after[: len(before)] == before
        assert len(after) > len(before)


# Refusals.


def error(message: Any, **more: Any) -> Json:
    return {"error": {"message": message, **more}}


REFUSALS: dict[str, list[tuple[int, Json, str, str]]] = {
    "anthropic": [
        (401, error("invalid bearer token", type="authentication_error"), "key", "invalid bearer token"),
        (429, error("Too many requests", type="rate_limit_error"), "limit", "Too many"),
        (529, error("Overloaded", type="overloaded_error"), "overload", "Overloaded"),
        (500, error("Internal server error", type="api_error"), "server", "Internal"),
        (400, error("prompt is too long: 210000 tokens > 200000 maximum"), "window", "too long"),
        (400, error("Your credit balance is too low to access the API"), "quota", "credit balance"),
        (400, error("max_tokens: must be positive", type="invalid_request_error"), "request", "max_tokens"),
    ],
    "gemini": [
        (400, error("API key not valid. Please pass a valid API key.", code=400), "key", "not valid"),
        (400, error("input token count (9) exceeds the maximum", code=400), "window", "input token count"),
    ],
    "openai_chat": [
        (401, error("Incorrect API key provided", code="invalid_api_key"), "key", "key"),
        (400, error("too long", code="context_length_exceeded"), "window", "window"),
        (429, error("You exceeded your current quota"), "quota", "credit"),
        (404, {"error": "model 'x' not found, try pulling it first"}, "request", "try pulling it first"),
        (429, error("Provider returned error", code=429, metadata={"raw": "busy now"}), "limit", "busy now"),
        (
            422,
            {"object": "error", "message": {"detail": [{"loc": ["body", "n"], "msg": "Not permitted"}]}},
            "request",
            "body.n: Not permitted",
        ),
        (400, error("Failed to call a function.", code="tool_use_failed"), "server", "Failed to call"),
    ],
    "openai_responses": [
        (401, error("Incorrect API key provided.", code="invalid_api_key"), "key", "Incorrect"),
        (400, error("Your input exceeds the context window of this model."), "window", "exceeds"),
        (429, error("No.", code="insufficient_quota"), "quota", "credit"),
        (400, error("Unsupported parameter: 'temperature'."), "request", "Unsupported"),
    ],
}


@pytest.mark.parametrize(("wire", "status", "body", "trouble", "words"), rows_of(REFUSALS))
def test_a_refusal_becomes_one_clear_sentence(
    wire: str, status: int, body: Json, trouble: str, words: str
) -> None:
    told = MAKERS[wire]().explain(status, {}, json.dumps(body).encode())
    assert (told.trouble, told.status) == (trouble, status)
    assert words in str(told)
    assert "{" not in str(told)
