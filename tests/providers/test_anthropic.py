"""Anthropic requests: what is sent of a conversation, where the cache markers are, which thoughts go back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

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
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.anthropic import wire as anthropic
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import Request, ServerEvent

PNG = b"\x89PNG\r\n\x1a\nrest"
MARK = {"type": "ephemeral"}
Block = dict[str, Any]
FIND = ToolDefinition(
    name="find",
    description="Finds.",
    parameters={"type": "object", "properties": {"$q": {"type": "string"}}, "required": ["$q"]},
)
READ = ToolDefinition(name="read", parameters={"type": "object", "properties": {"path": {"type": "string"}}})
TOOLS = (READ, FIND)
HELLO = UserMessage("Hello")


def body_of(wire: Anthropic, request: Request) -> dict[str, Any]:
    return json.loads(wire.write(request))


def sent(*messages: Message) -> list[dict[str, Any]]:
    """The messages of a request without its markers."""
    body: dict[str, Any] = json.loads(
        Anthropic().write(Request("m", messages, tools=TOOLS)),
        object_hook=lambda each: {name: value for name, value in each.items() if name != "cache_control"},
    )
    return body["messages"]


def markers(value: Any, path: str = "") -> list[str]:
    if is_object(value):
        found = [path] if "cache_control" in value else []
        return found + [each for name in value for each in markers(value[name], f"{path}.{name}")]
    if is_array(value):
        return [each for at, inner in enumerate(value) for each in markers(inner, f"{path}[{at}]")]
    return []


def called(name: str, arguments: Any = "{}", call_id: str = "toolu_1") -> AssistantMessage:
    return AssistantMessage((CallPart(ToolCall(name, arguments, call_id)),), "calls", "anthropic")


def result(call_id: str = "toolu_1", **fields: Any) -> ToolResult:
    return ToolResult(call_id, "read", **fields)


# ------------------------------------------------------------------ the request


def test_the_key_goes_as_a_bearer_token_and_in_no_other_header() -> None:
    assert Anthropic().headers("sk-1") == {
        "anthropic-version": "2026-10-21",
        "Authorization": "Bearer sk-1",
    }
    assert Anthropic().headers(None) == {"anthropic-version": "2026-10-21"}
    assert Anthropic().path(Request("m", [HELLO])) == "/v1/messages"
    assert Anthropic().name == "anthropic"


def test_a_plain_request_is_whole() -> None:
    request = Request("claude", [HELLO], instructions="Be brief.", tools=(READ,))
    assert body_of(Anthropic(), request) == {
        "model": "claude",
        "max_tokens": 8192,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": MARK}],
        "tools": [{"name": "read", "input_schema": READ.parameters, "cache_control": MARK}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": MARK}]}],
    }


def test_without_instructions_and_tools_neither_is_sent() -> None:
    body = body_of(Anthropic(), Request("m", [HELLO], instructions=" \n"))
    assert body.keys() == {"model", "max_tokens", "stream", "messages"}


def test_options_are_sent_but_never_replace_what_a_request_is() -> None:
    options: Block = {"temperature": 0.2, "messages": [], "tools": [], "stream": False, "max_tokens": 5}
    body = body_of(Anthropic(), Request("m", [HELLO], tools=TOOLS, options=options))
    assert body["temperature"] == 0.2
    assert body["max_tokens"] == 5
    assert body["stream"] is True
    assert len(body["tools"]) == 2
    assert len(body["messages"]) == 1


def test_the_longest_answer_has_room_for_the_thoughts() -> None:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 10_000}}
    assert body_of(Anthropic(), Request("m", [HELLO], options=thinking))["max_tokens"] == 18_192
    named = Request("m", [HELLO], options=thinking, most_tokens=20_000)
    assert body_of(Anthropic(), named)["max_tokens"] == 20_000


def test_a_model_that_may_not_call_is_still_told_the_tools() -> None:
    options = {"tool_choice": {"type": "any"}}
    request = Request("m", [HELLO], tools=TOOLS, can_call=False, options=options)
    body = body_of(Anthropic(), request)
    assert [tool["name"] for tool in body["tools"]] == ["find", "read"]
    assert body["tool_choice"] == {"type": "none"}
    assert body_of(Anthropic(), replace(request, can_call=True))["tool_choice"] == {"type": "any"}


def test_past_calls_have_stand_ins_where_no_tools_are_left() -> None:
    messages = [HELLO, called("read"), ResultsMessage((result(),))]
    body = body_of(Anthropic(), Request("m", messages))
    assert [tool["name"] for tool in body["tools"]] == ["read"]
    assert body["tools"][0]["input_schema"] == {"type": "object"}
    assert body["tool_choice"] == {"type": "none"}


def test_no_tool_choice_is_sent_without_tools() -> None:
    request = Request("m", [HELLO], can_call=False, options={"tool_choice": {"type": "auto"}})
    assert "tool_choice" not in body_of(Anthropic(), request)


# ------------------------------------------------------------------ the cache


def conversation(rounds: int) -> list[Message]:
    messages: list[Message] = [HELLO]
    for number in range(rounds):
        messages.append(called("read", f'{{"path":"{number}"}}', f"toolu_{number}"))
        messages.append(ResultsMessage((result(f"toolu_{number}", value=f"text {number}"),)))
    return messages


@pytest.mark.parametrize("rounds", [0, 1, 2, 30])
def test_markers_are_at_the_tools_the_instructions_and_the_last_two_messages_of_the_user(rounds: int) -> None:
    request = Request("m", conversation(rounds), instructions="Be brief.", tools=TOOLS)
    last = 2 * rounds
    assert markers(body_of(Anthropic(), request)) == [
        ".system[0]",
        ".tools[1]",
        *([f".messages[{last - 2}].content[0]"] if rounds else []),
        f".messages[{last}].content[0]",
    ]


def test_the_next_round_begins_with_the_bytes_of_this_one() -> None:
    wire, mark = Anthropic(), b',"cache_control":{"type":"ephemeral"}'
    messages = conversation(3)
    request = Request("m", messages, instructions="Be brief.", tools=TOOLS)
    before = wire.write(request).replace(mark, b"")
    messages += conversation(5)[7:]
    after = wire.write(request).replace(mark, b"")
    assert after.startswith(before.removesuffix(b"]}"))
    assert len(after) > len(before)


def test_an_owner_who_names_cache_control_sets_all_of_it() -> None:
    request = Request("m", [HELLO], instructions="Be brief.", tools=TOOLS, options={"cache_control": MARK})
    body = body_of(Anthropic(), request)
    assert body["cache_control"] == MARK
    assert markers(body) == [""]


def test_the_order_of_tools_does_not_change_the_body() -> None:
    first = Request("m", [HELLO], tools=TOOLS)
    assert Anthropic().write(first) == Anthropic().write(replace(first, tools=TOOLS[::-1]))


# ------------------------------------------------------------------ messages


def test_pictures_stand_before_the_text_and_are_named_by_their_bytes() -> None:
    [message] = sent(UserMessage("What is it?", (Image(PNG, "image/jpeg"),)))
    assert message["content"] == [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgpyZXN0"},
        },
        {"type": "text", "text": "What is it?"},
    ]


def test_a_picture_no_model_reads_is_described() -> None:
    [message] = sent(UserMessage("", (Image(b"II*\0", "image/tiff"),)))
    assert message["content"] == [
        {"type": "text", "text": "(A picture of 4 bytes, image/tiff, that cannot be shown here.)"}
    ]


def test_results_have_their_object_their_pictures_and_their_error() -> None:
    parts = tuple(CallPart(ToolCall("read", "{}", call_id)) for call_id in ("a", "b"))
    failed = result("b", kind=Kind.TIMEOUT, message="Too slow.")
    results = ResultsMessage((result("a", value="text", images=(Image(PNG, "image/png"),)), failed))
    message = sent(HELLO, AssistantMessage(parts, "calls", "anthropic"), results)[2]
    assert message["role"] == "user"
    first, second = message["content"]
    assert [block["type"] for block in first["content"]] == ["text", "image"]
    assert first["content"][0]["text"] == '{"status":"success","result":"text"}'
    assert "is_error" not in first
    assert second["tool_use_id"] == "b"
    assert second["is_error"] is True
    assert json.loads(second["content"][0]["text"])["error_type"] == "timeout"


@pytest.mark.parametrize("call_id", ["call:1|fc_2", "", "x" * 200, "ünïcode"])
def test_ids_that_are_not_taken_are_changed_alike_in_call_and_result(call_id: str) -> None:
    _, assistant, results = sent(HELLO, called("read", "{}", call_id), ResultsMessage((result(call_id),)))
    wire_id = assistant["content"][0]["id"]
    assert wire_id == results["content"][0]["tool_use_id"]
    assert wire_id
    assert wire_id.replace("_", "").replace("-", "").isalnum()
    assert wire_id.isascii()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {}),
        ('{"a":1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ('{"a":', {"invalid_arguments": '{"a":'}),
        ("[1]", {"invalid_arguments": "[1]"}),
        ('{"a":' + "[" * 980 + "]" * 980 + "}", None),
    ],
)
def test_input_is_an_object_whatever_the_model_wrote(arguments: Any, expected: Any) -> None:
    given = sent(HELLO, called("read", arguments), ResultsMessage((result(),)))[1]["content"][0]["input"]
    assert isinstance(given, dict)
    assert expected is None or given == expected


def test_a_name_nobody_knows_is_made_one_that_is_taken() -> None:
    messages = sent(HELLO, called("functions.read file"), ResultsMessage((result(),)))
    assert messages[1]["content"][0]["name"] == "functions_read_file"


def test_another_wires_echoes_and_thoughts_are_left_out() -> None:
    foreign = AssistantMessage(
        (
            ThoughtPart("Hm.", {"type": "thinking", "signature": "s", "after": "x"}),
            ForeignPart({"type": "web_search_call", "id": "ws"}),
            TextPart("Yes.", {"citations": [1]}),
            CallPart(ToolCall("read", '{"path":"a"}', "call|1"), {"thoughtSignature": "x"}),
        ),
        "calls",
        "gemini",
    )
    message = sent(HELLO, foreign, ResultsMessage((result("call|1"),)))[1]
    assert [sorted(block) for block in message["content"]] == [
        ["text", "type"],
        ["id", "input", "name", "type"],
    ]


def test_an_answer_without_anything_to_send_is_left_out() -> None:
    empty = AssistantMessage((TextPart(" \n"), ThoughtPart("Hm.")), "cut", "anthropic")
    assert sent(HELLO, empty, UserMessage("Still there?")) == [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
        {"role": "user", "content": [{"type": "text", "text": "Still there?"}]},
    ]


@pytest.mark.parametrize(
    "messages", [(), (UserMessage(""),), (AssistantMessage((TextPart("Hi."),)),), (ResultsMessage(()),)]
)
def test_the_user_begins_and_ends_every_conversation(messages: Sequence[Message]) -> None:
    roles = [message["role"] for message in sent(*messages)]
    assert roles[0] == roles[-1] == "user"
    assert all(block["text"].strip() for message in sent(*messages) for block in message["content"])


def test_a_turn_that_paused_is_sent_back_as_it_is() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    paused = AssistantMessage((ForeignPart(search),), "calls", "anthropic")
    assert sent(HELLO, paused)[1:] == [{"role": "assistant", "content": [search]}]


def test_a_search_that_was_broken_off_is_not_sent_back() -> None:
    search: Block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    code: Block = {**search, "id": "srvtoolu_2", "name": "code_execution"}
    found: Block = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    caller = {"caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"}}
    call = CallPart(ToolCall("read", "{}", "toolu_1", "It was cut."), caller)
    parts = (ForeignPart(search), ForeignPart(found), ForeignPart(code), call)
    cut = AssistantMessage(parts, "cut", "anthropic")
    blocks = sent(HELLO, cut, ResultsMessage((result(),)))[1]["content"]
    assert blocks == [search, found, {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}]
    whole = sent(HELLO, replace(cut, finish="calls"), ResultsMessage((result(),)))[1]["content"]
    assert whole[2] == code
    assert whole[3]["caller"] == caller["caller"]


# ------------------------------------------------------------------ thoughts


def think(wire: Anthropic, request: Request, *blocks: dict[str, Any]) -> AssistantMessage:
    """An answer to the request, with a signed thought and a call."""
    thought = {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}
    call: Block = {"type": "tool_use", "id": f"toolu_{len(request.messages)}", "name": "read", "input": {}}
    reader = wire.reader(request)
    reader.take({"content": [*blocks, thought, call], "stop_reason": "tool_use"})
    return reader.message()


def thoughts(wire: Anthropic, request: Request) -> list[int]:
    """The places of the messages that are sent with a thought."""
    messages = body_of(wire, request)["messages"]
    kinds = [{block["type"] for block in message["content"]} for message in messages]
    return [at for at, found in enumerate(kinds) if found & {"thinking", "redacted_thinking"}]


def thinking_conversation(wire: Anthropic, rounds: int = 2) -> Request:
    messages: list[Message] = [HELLO]
    request = Request("m", messages, instructions="Be brief.", tools=TOOLS)
    for _ in range(rounds):
        answer = think(wire, request)
        messages += [answer, ResultsMessage((result(answer.calls[0].id, value="text"),))]
    return request


def test_thoughts_go_back_exactly_as_they_came() -> None:
    wire = Anthropic()
    redacted = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    request = Request("m", [HELLO], tools=TOOLS)
    answer = think(wire, request, redacted)
    again = replace(request, messages=[HELLO, answer, ResultsMessage((result("toolu_1"),))])
    assert body_of(wire, again)["messages"][1]["content"][:2] == [
        redacted,
        {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
    ]


def test_thoughts_go_back_after_a_restart() -> None:
    request = thinking_conversation(Anthropic())
    assert thoughts(Anthropic(), request) == [1, 3]


CHANGED_BEFORE: dict[str, dict[str, Any]] = {
    "model": {"model": "other"},
    "instructions": {"instructions": "Be long."},
    "tools": {"tools": (READ,)},
    "first": {"first": UserMessage("Hello!")},
}


@pytest.mark.parametrize("change", CHANGED_BEFORE.values(), ids=CHANGED_BEFORE.keys())
def test_thoughts_are_left_out_once_anything_before_them_is_another(change: dict[str, Any]) -> None:
    wire = Anthropic()
    request = thinking_conversation(wire)
    fields = {**change}
    first = fields.pop("first", HELLO)
    changed = replace(request, messages=[first, *request.messages[1:]], **fields)
    assert thoughts(wire, changed) == []
    # New thoughts come after the conversation as it is now, so they go back.
    answer = think(wire, changed)
    messages = [*changed.messages, answer, ResultsMessage((result(answer.calls[0].id),))]
    assert thoughts(wire, replace(changed, messages=messages)) == [5]


def test_only_the_thoughts_behind_a_shortened_result_are_left_out() -> None:
    wire = Anthropic()
    request = thinking_conversation(wire, rounds=3)
    messages = [*request.messages]
    messages[2] = ResultsMessage((result("toolu_1", value="(shortened)"),))
    assert thoughts(wire, replace(request, messages=messages)) == [1]
    assert thoughts(wire, request) == [1, 3, 5]


def test_without_the_fingerprint_thoughts_would_be_sent_behind_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = Anthropic()
    request = thinking_conversation(wire)
    monkeypatch.setattr(anthropic, "_sent", lambda message, text, link, written: text)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert thoughts(wire, replace(request, model="other")) == [1, 3]


def test_a_thought_behind_a_block_that_is_not_sent_is_left_out_too() -> None:
    wire = Anthropic()
    request = Request("m", [HELLO], tools=TOOLS)
    answer = think(wire, request, {"type": "text", "text": "\n\n"})
    messages = [HELLO, answer, ResultsMessage((result("toolu_1"),))]
    assert thoughts(wire, replace(request, messages=messages)) == []


def test_renamed_arguments_go_back_as_the_model_wrote_them() -> None:
    wire = Anthropic()
    request = Request("m", [HELLO], tools=TOOLS)
    schema = next(tool for tool in body_of(wire, request)["tools"] if tool["name"] == "find")["input_schema"]
    [name] = schema["properties"]
    assert name != "$q"
    reader = wire.reader(request)
    block = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {name: "x"}}
    reader.take({"content": [block], "stop_reason": "tool_use"})
    message = reader.message()
    assert message.calls[0].arguments == {"$q": "x"}
    again = replace(request, messages=[HELLO, message, ResultsMessage((result("toolu_1"),))])
    assert body_of(wire, again)["messages"][1]["content"] == [block]


def test_arguments_nested_without_end_are_left_to_the_engine() -> None:
    wire = Anthropic()
    reader = wire.reader(Request("m", [HELLO], tools=TOOLS))
    deep = '{"q":' + '{"a":' * 900 + "1" + "}" * 901
    block: Block = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": deep}
    reader.feed(
        ServerEvent("", json.dumps({"type": "content_block_start", "index": 0, "content_block": block}))
    )
    reader.feed(ServerEvent("", json.dumps({"type": "content_block_delta", "index": 0, "delta": delta})))
    message = reader.message()
    assert message.calls[0].name == "find"
    [_, assistant, _] = sent(HELLO, message, ResultsMessage((result("toolu_1"),)))
    assert assistant["content"][0]["input"].keys() == {"invalid_arguments"}


def test_a_message_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Anthropic()
    request = thinking_conversation(wire, rounds=20)
    wire.write(request)
    digested: list[int] = []
    digest = anthropic._digest  # pyright: ignore[reportPrivateUsage]

    def count(link: str, text: str) -> str:
        digested.append(1)
        return digest(link, text)

    monkeypatch.setattr(anthropic, "_digest", count)
    wire.write(request)
    assert len(digested) == 1  # of the instructions and tools


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("status", "kind", "said", "trouble"),
    [
        (401, "authentication_error", "invalid bearer token", "key"),
        (429, "rate_limit_error", "Too many requests", "limit"),
        (529, "overloaded_error", "Overloaded", "overload"),
        (500, "api_error", "Internal server error", "server"),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "window"),
        (400, "invalid_request_error", "Your credit balance is too low to access the API", "quota"),
        (400, "invalid_request_error", "max_tokens: must be positive", "request"),
    ],
)
def test_refusals_are_told_apart(status: int, kind: str, said: str, trouble: str) -> None:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": said}}).encode()
    error = Anthropic().explain(status, {}, body)
    assert error.trouble == trouble
    assert said in str(error)


def test_a_reader_is_made_for_the_tools_of_its_request() -> None:
    reader = Anthropic().reader(Request("m", [HELLO], tools=TOOLS))
    started = {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "read"}}
    assert [type(each).__name__ for each in reader.feed(ServerEvent("", json.dumps(started)))] == [
        "CallBegun"
    ]
