"""Anthropic requests: what is sent of a conversation, where the cache markers are, which thoughts go back."""

import json
from dataclasses import replace
from typing import Any

import pytest

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    ResultsMessage,
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


def test_an_owner_who_names_cache_control_sets_all_of_it() -> None:
    request = Request("m", [HELLO], instructions="Be brief.", tools=TOOLS, options={"cache_control": MARK})
    body = body_of(Anthropic(), request)
    assert body["cache_control"] == MARK
    assert markers(body) == [""]


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
