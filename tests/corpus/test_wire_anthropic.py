"""Requests to Anthropic with real tools and all kinds of histories: the SDK's types know every key."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from anthropic.types import ContentBlockParam, TextBlockParam, ToolParam, message_create_params
from anthropic.types.beta import message_create_params as beta_params
from pydantic import TypeAdapter
from tests.corpus.conftest import Judged, Rows, some
from tests.providers.rulebook import broken
from tests.providers.typed_dicts import problems

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.make.foreign import adopt
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Finish,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import Request
from oneclaw.tools.builtin import load_all

PARAMS = message_create_params.MessageCreateParamsStreaming
BETA = beta_params.MessageCreateParamsStreaming
PNG = Image(b"\x89PNG\r\n\x1a\nrest", "image/png")
Body = dict[str, Any]
BLOCKS: TypeAdapter[Any] = TypeAdapter(list[ContentBlockParam])
TOOLS: TypeAdapter[Any] = TypeAdapter(list[ToolParam])
SYSTEM: TypeAdapter[Any] = TypeAdapter(list[TextBlockParam])


def written(*messages: Message, tools: tuple[ToolDefinition, ...] = (), **fields: Any) -> Body:
    return json.loads(Anthropic().write(Request("claude-sonnet-5", messages, tools=tools, **fields)))


def validate(body: Body) -> None:
    """By the SDK's own types; what is iterable is checked only while one walks through it."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    consume(BLOCKS.validate_python(blocks))
    consume(TOOLS.validate_python(body.get("tools", [])))
    consume(SYSTEM.validate_python(body.get("system", [])))


def consume(value: Any) -> None:
    if isinstance(value, dict):
        for each in cast(Body, value).values():
            consume(each)
    elif not isinstance(value, str) and hasattr(value, "__iter__"):
        for each in value:
            consume(each)


def test_every_real_tool_is_taken(tools: tuple[ToolDefinition, ...], judged: Judged) -> None:
    body = written(UserMessage("Hello"), tools=tools, instructions="Be brief.")
    assert problems(body, PARAMS) == []
    validate(body)
    assert len({tool["name"] for tool in body["tools"]}) == len(tools)
    for tool in body["tools"]:
        with judged(tool["name"]):
            assert broken(tool["input_schema"], "anthropic") == [], tool["name"]


def call(name: str, arguments: Any, call_id: str, **fields: Any) -> CallPart:
    return CallPart(ToolCall(name, arguments, call_id, fields.pop("fault", "")), **fields)


def answer(*parts: Part, finish: Finish = "calls", wire: str = "anthropic") -> AssistantMessage:
    return AssistantMessage(parts, finish, wire)


def results(*call_ids: str, **fields: Any) -> ResultsMessage:
    return ResultsMessage(tuple(ToolResult(each, "read_file", **fields) for each in call_ids))


def signed(*, after: str) -> AssistantMessage:
    return answer(ThoughtPart("Hm.", {"type": "thinking", "signature": "s", "after": after}))


HISTORIES: dict[str, tuple[Message, ...]] = {
    "nothing": (),
    "text": (UserMessage("Hello"), answer(TextPart("Hi."), finish="stop"), UserMessage("And?")),
    "pictures": (UserMessage("Look", (PNG, Image(b"BM", "image/bmp"))),),
    "one call": (UserMessage("a"), answer(call("read_file", '{"path":"a"}', "toolu_1")), results("toolu_1")),
    "parallel calls": (
        UserMessage("a"),
        answer(TextPart("Both."), call("read_file", {}, "1"), call("list_files", "", "2")),
        results("1", "2", value={"a": [1, None]}, images=(PNG,)),
    ),
    "errors": (
        UserMessage("a"),
        answer(call("read_file", "{", "1", fault="Cut."), finish="cut"),
        results("1", kind=Kind.VALIDATION_ERROR, message="Cut."),
    ),
    "unknown tool, odd id": (
        UserMessage("a"),
        answer(call("no such.tool", "[]", "call|fc:ü")),
        results("call|fc:ü", kind=Kind.TOOL_NOT_FOUND, message="No."),
    ),
    "thoughts of another conversation": (UserMessage("a"), signed(after="elsewhere"), UserMessage("b")),
    "other wires": (
        UserMessage("a"),
        answer(
            ThoughtPart("Hm.", {"id": "rs_1", "encrypted_content": "x"}),
            ForeignPart({"type": "web_search_call", "id": "ws_1"}),
            TextPart("So.", {"id": "msg_1"}),
            call("read_file", "{}", "call_1", echo={"id": "fc_1"}),
            wire="openai_responses",
        ),
        results("call_1"),
        answer(call("read_file", {"path": "b"}, "f", echo={"thoughtSignature": "x"}), wire="gemini"),
        results("f"),
    ),
    "foreign blocks": (
        UserMessage("a"),
        answer(
            ForeignPart(
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
            ),
            ForeignPart({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}),
            TextPart(
                "So.",
                {
                    "citations": [
                        {
                            "type": "web_search_result_location",
                            "cited_text": "x",
                            "encrypted_index": "e",
                            "title": None,
                            "url": "https://example.com",
                        }
                    ]
                },
            ),
            finish="stop",
        ),
        UserMessage(""),
    ),
    "stopped": (UserMessage("a"), answer(TextPart("Well"), finish="stopped", wire=""), UserMessage("Go on")),
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
@pytest.mark.parametrize("can_call", [True, False])
@pytest.mark.parametrize("has_tools", [True, False])
def test_every_kind_of_history_is_taken(
    history: tuple[Message, ...], can_call: bool, has_tools: bool
) -> None:
    tools = tuple(tool.definition for tool in load_all()) if has_tools else ()
    body = written(*history, tools=tools, can_call=can_call, instructions="Be brief.")
    assert problems(body, PARAMS) == []
    validate(body)
    assert json.dumps(body).count("cache_control") <= 4
    check_calls(body["messages"])


def check_calls(messages: list[Body]) -> None:
    """Each call is answered in the next message, and nothing else is."""
    asked: set[str] = set()
    for message in messages:
        blocks = message["content"]
        assert {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"} == asked
        asked = {block["id"] for block in blocks if block["type"] == "tool_use"}
    assert not asked


def test_the_judge_sees_a_key_that_is_unknown_and_one_that_is_missing() -> None:
    body = written(UserMessage("Hello"))
    body["messages"][0]["content"][0]["extra"] = 1
    del body["max_tokens"]
    assert problems(body, PARAMS) == [
        "$.max_tokens is missing",
        "$.messages[0].content[0].extra is unknown",
    ]


def test_recorded_answers_go_back_with_keys_the_sdk_knows(rows: Rows, judged: Judged) -> None:
    bodies = [(row["id"], row["body"]) for row in rows("provider_streams")]
    bodies += [(row["id"], row["response"]) for row in rows("provider_wire")]
    whole = [each for each in bodies if is_object(each[1]) and each[1].get("type") == "message"]
    wire, asked = Anthropic(), Request("m", [UserMessage("Hello")])
    for name, body in some(whole, "whole answer of Anthropic"):
        with judged(name):
            reader = wire.reader(asked)
            list(reader.take(body))
            message = reader.message()
            answered = (results(*(call.id for call in message.calls)),) if message.calls else ()
            sent = json.loads(wire.write(Request("m", [*asked.messages, message, *answered])))
            # Told by the provider, unknown to every type of the SDK, which sends it back as it came as well.
            assert [each for each in problems(sent, BETA) if ".abort_reason is unknown" not in each] == []


# ------------------------------------------------------------------ recorded requests


def blocks_of(message: Body) -> list[Body]:
    said = message["content"]
    return [{"type": "text", "text": said}] if isinstance(said, str) else said


def is_ours(request: Body) -> bool:
    """Whether a conversation is one we write ourselves: the user begins; texts, calls and their results."""
    if request["messages"][0]["role"] != "user":
        return False
    kinds = [block["type"] for message in request["messages"] for block in blocks_of(message)]
    return {"text", "tool_use", "tool_result"}.issuperset(kinds)


def converted(messages: list[Body]) -> Iterator[Message]:
    """The messages of a recorded request as ours."""
    for message in messages:
        blocks = blocks_of(message)
        if message["role"] == "assistant":
            yield answer(*(converted_part(block) for block in blocks))
        elif blocks[0]["type"] == "tool_result":
            yield ResultsMessage(tuple(ToolResult(block["tool_use_id"], "t") for block in blocks))
        else:
            yield UserMessage("\n".join(block["text"] for block in blocks))


def converted_part(block: Body) -> Part:
    if block["type"] == "text":
        return TextPart(block["text"])
    return call(block["name"], block["input"], block["id"])


def shape(message: Body) -> tuple[str, list[Body]]:
    """A message without what is ours to choose: how results are said, markers, the parting of text."""
    blocks: list[Body] = []
    for block in blocks_of(message):
        kept = {name: each for name, each in block.items() if name not in ("cache_control", "is_error")}
        if block["type"] == "tool_result":
            kept["content"] = [{"type": "text"}]
        if block["type"] == "text" and message["role"] == "user" and blocks:
            blocks[-1]["text"] += "\n" + block["text"]
            continue
        blocks.append(kept)
    return message["role"], blocks


def test_recorded_requests_are_written_as_they_were_accepted(rows: Rows, judged: Judged) -> None:
    for row in rows("provider_wire"):
        request = row["request"]
        if row["path"].endswith("/messages") and row["status"] == 200 and is_ours(request):
            with judged(row["id"]):
                ours = written(*converted(request["messages"]))
                assert [*map(shape, ours["messages"])] == [*map(shape, request["messages"])]


def test_recorded_tools_are_written_as_they_were_accepted(rows: Rows, judged: Judged) -> None:
    for row in rows("provider_wire"):
        with judged(row["id"]):
            for tool in row["request"].get("tools") or () if row["path"].endswith("/messages") else ():
                if "input_schema" not in tool or tool.get("defer_loading"):
                    continue
                definition = adopt({**tool, "parameters": tool["input_schema"]}).definition
                [ours] = written(UserMessage("a"), tools=(definition,))["tools"]
                assert ours.keys() - {"cache_control"} <= tool.keys()
                assert ours["name"] == tool["name"]
                assert (
                    ours["input_schema"]["properties"].keys()
                    == tool["input_schema"].get("properties", {}).keys()
                )
