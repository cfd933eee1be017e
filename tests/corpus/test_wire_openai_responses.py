"""Requests for the Responses API: real tools, any history, held to OpenAI's types and what was recorded."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from openai.types.responses import ResponseInputItemParam
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from tests.corpus.conftest import Judged, Rows, some
from tests.providers.rulebook import broken
from tests.providers.typed_dicts import problems

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.openai_responses.wire import OpenAIResponses, does_reason
from oneclaw.tools.builtin import load_all

Item = dict[str, Any]
PNG = Image(b"\x89PNG\r\n\x1a\n", "image/png")
REASONING: Item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
LOST: Item = {"type": "reasoning", "id": "rs_2", "summary": []}
SAID: Item = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "so", "annotations": []}],
}
SEARCHED: Item = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "x"},
}
CUSTOM: Item = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c9", "name": "sql", "input": "SELECT"}
CALLED: Item = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "read_file", "arguments": "{}"}


def judge(body: bytes) -> dict[str, Any]:
    read = json.loads(body)
    assert problems(read, ResponseCreateParamsStreaming) == []
    return read


@pytest.mark.parametrize("strict", [True, False])
def test_every_real_tool_is_taken_by_the_types_and_breaks_no_rule(
    tools: tuple[ToolDefinition, ...], strict: bool, judged: Judged
) -> None:
    written = judge(OpenAIResponses(strict).write(Request("gpt-5", [UserMessage("hello")], tools=tools)))
    assert len({tool["name"] for tool in written["tools"]}) == len(tools)
    assert any(tool["strict"] for tool in written["tools"]) is strict
    for tool in written["tools"]:
        with judged(tool["name"]):
            assert set(tool) - {"description"} == {"type", "name", "parameters", "strict"}
            assert broken(tool["parameters"], "openai_strict" if tool["strict"] else "openai") == [], tool[
                "name"
            ]


def test_the_judge_finds_what_is_wrong() -> None:
    tool: Item = {"type": "function", "name": "x", "parameters": {}, "strict": True}
    good: dict[str, Any] = {"model": "m", "stream": True, "input": [SAID], "tools": [tool]}
    assert problems(good, ResponseCreateParamsStreaming) == []
    wrongs: list[Item] = [
        {**good, "messages": []},
        {**good, "tools": [{**tool, "function": {}}]},
        {**good, "tools": [{"type": "function", "name": "x", "parameters": {}}]},
        {**good, "input": [{**SAID, "content": [{"type": "text", "text": "so"}]}]},
        {**good, "input": [{"type": "function_call_output", "call_id": "a"}]},
    ]
    for wrong in wrongs:
        assert problems(wrong, ResponseCreateParamsStreaming), wrong


def test_a_call_of_every_real_tool_comes_back_to_it_and_is_sent_again_as_it_was(
    tools: tuple[ToolDefinition, ...],
) -> None:
    wire, tools = OpenAIResponses(), tools[::6]
    request = Request("gpt-5", [UserMessage("go")], tools=tools)
    names = [tool["name"] for tool in json.loads(wire.write(request))["tools"]]
    output = [
        {"type": "function_call", "id": f"fc_{n}", "call_id": f"c{n}", "name": name, "arguments": '{"a": 1}'}
        for n, name in enumerate(names)
    ]
    reader = wire.reader(request)
    reader.take({"status": "completed", "output": output})
    answer = reader.message()
    assert {call.name for call in answer.calls} == {tool.name for tool in tools}
    results = ResultsMessage(tuple(ToolResult(call.id, call.name, "ok") for call in answer.calls))
    written = judge(wire.write(Request("gpt-5", [*request.messages, answer, results], tools=tools)))
    assert written["input"][1 : len(names) + 1] == output
    check_pairs(written["input"])


def check_pairs(items: list[Item]) -> None:
    """What the provider refuses: calls without outputs, reasoning without what it led to."""
    called = [
        item["call_id"] for item in items if item.get("type", "").endswith("_call") and item.get("call_id")
    ]
    answered = [item["call_id"] for item in items if item.get("type", "").endswith("_call_output")]
    assert sorted(called) == sorted(answered)
    assert len(set(called)) == len(called)
    kinds = [item.get("type") for item in items]
    led_to = {"reasoning", "message", "function_call", "web_search_call", "custom_tool_call"}
    for kind, following in pairwise([*kinds, None]):
        assert kind != "reasoning" or following in led_to


def call(name: str = "read_file", call_id: str = "a", **more: Any) -> CallPart:
    return CallPart(ToolCall(name, {"path": "x"}, call_id), **more)


def histories() -> Iterator[tuple[str, list[Message]]]:
    hello = UserMessage("hello")
    ok = ToolResult("a", "read_file", "text")
    error = ToolResult("b", "read_file", None, Kind.FILE_NOT_FOUND, "There is no file.", repairs=("mended",))
    pictures = ToolResult("b", "read_file", {"seen": [1, None, 2.5]}, images=(PNG, PNG))
    two = (call(), call("list_files", "b"))
    yield "a word", [hello]
    yield "a picture", [UserMessage("look", (PNG,)), UserMessage("", (PNG,))]
    yield "nothing", [UserMessage("")]
    for name, result in (("error", error), ("pictures", pictures)):
        answer = AssistantMessage((TextPart("so"), *two), "calls", "openai_responses")
        yield name, [hello, answer, ResultsMessage((ok, result)), hello]
    everything: tuple[Part, ...] = (
        ThoughtPart("hm", REASONING),
        ForeignPart(SEARCHED),
        ThoughtPart("lost", LOST),
        TextPart("so", SAID),
        ThoughtPart("never echoed"),
        ForeignPart({"type": "apply_patch_call", "id": "ap_1", "call_id": "c8", "operation": {}}),
        ThoughtPart("", REASONING),
        ForeignPart(CUSTOM),
        ThoughtPart("", REASONING),
        call(echo=CALLED),
        ThoughtPart("", REASONING),
    )
    for wire in ("openai_responses", "openai_chat", "anthropic", "gemini", ""):
        yield f"all of {wire}", [hello, AssistantMessage(everything, "calls", wire), ResultsMessage((ok,))]
    for finish in ("stopped", "cut", "length", "refusal"):
        cut = CallPart(ToolCall("default_api:no such", '{"cut', "toolu_" + "x" * 60, "It was cut."))
        refused = ToolResult(cut.call.id, cut.call.name, None, Kind.CANCELLED, "It was cut.")
        parts = (ThoughtPart("half"), TextPart("ha"), cut)
        yield (
            finish,
            [hello, AssistantMessage(parts, finish, "openai_responses"), ResultsMessage((refused,)), hello],
        )
    yield "empty", [hello, AssistantMessage((), "stopped", "openai_responses"), hello]


@pytest.mark.parametrize("can_call", [True, False])
def test_every_history_is_taken_by_the_types_and_pairs_what_belongs_together(can_call: bool) -> None:
    tools = tuple(tool.definition for tool in load_all())
    wire = OpenAIResponses()
    for _, messages in histories():
        request = Request(
            "gpt-5",
            messages,
            "Be brief.",
            tools,
            can_call=can_call,
            most_tokens=900,
            options={"temperature": 1},
        )
        check_pairs(judge(wire.write(request))["input"])


def recorded(rows: Rows) -> list[dict[str, Any]]:
    found = [row for row in rows("provider_wire") if row["path"].endswith("/responses")]
    return list(some([row for row in found if row["status"] == 200], "row of the Responses API"))


def test_what_is_asked_of_a_model_was_asked_of_it_in_what_was_recorded(rows: Rows, judged: Judged) -> None:
    for row in recorded(rows):
        with judged(row["id"]):
            model = row["request"]["model"]
            asked = "reasoning.encrypted_content" in (row["request"].get("include") or ())
            if asked or has_thought(row["response"]):
                assert does_reason(Request(model, ())), model
            elif says_no_effort(row["response"]):
                assert not does_reason(Request(model, ())), model


def has_thought(response: Any) -> bool:
    """Whether an answer took thoughts, as its items or its count say."""
    text = response if isinstance(response, str) else json.dumps(response)
    return re.search(r'"type": ?"reasoning"|"reasoning_tokens": ?[1-9]', text) is not None


def says_no_effort(response: Any) -> bool:
    """Whether an answer says that the model does not think; some recordings leave that out."""
    text = response if isinstance(response, str) else json.dumps(response)
    return re.search(r'"effort": ?null', text) is not None


def to_messages(items: list[Item], model: str) -> list[Message]:
    """A recorded conversation as ours."""
    messages: list[Message] = []
    names: dict[str, str] = {}
    for item in items:
        kind = item.get("type", item.get("role"))
        if kind == "user":
            messages.append(UserMessage(item["content"]))
        elif kind == "function_call_output":
            result = ToolResult(item["call_id"], names[item["call_id"]], item["output"])
            before = messages.pop() if isinstance(messages[-1], ResultsMessage) else ResultsMessage(())
            assert isinstance(before, ResultsMessage)
            messages.append(ResultsMessage((*before.results, result)))
        else:
            before = messages.pop() if isinstance(messages[-1], AssistantMessage) else AssistantMessage()
            assert isinstance(before, AssistantMessage)
            names[item.get("call_id", "")] = item.get("name", "")
            parts = (*before.parts, to_part(kind, item))
            messages.append(AssistantMessage(parts, wire="openai_responses", model=f"openai/{model}"))
    return messages


def is_ours(given: Any) -> bool:
    """Whether a conversation can be compared: a list of items, and what the user says is text."""
    if isinstance(given, str):
        return False
    return all(isinstance(item.get("content", ""), str) for item in given if item.get("role") == "user")


def to_part(kind: str | None, item: Item) -> Part:
    if kind == "reasoning":
        return ThoughtPart("", item)
    if kind == "function_call":
        return CallPart(ToolCall(item["name"], item["arguments"], item["call_id"]), item)
    if kind == "message":
        return TextPart("", item)
    return TextPart(item["content"]) if kind == "assistant" else ForeignPart(item)


def test_recorded_conversations_are_written_as_they_were_accepted(rows: Rows, judged: Judged) -> None:
    for row in recorded(rows):
        with judged(row["id"]):
            request = row["request"]
            if not is_ours(request["input"]):
                continue
            items = [
                item
                for item in request["input"]
                if item.get("role") != "system" and item.get("content") != ""
            ]
            if any(item.get("type") == "function_call_output" for item in items[:1]):
                continue  # the call is kept at the provider, by `previous_response_id`
            for item in items:
                if item.get("status", "") is None:
                    del item["status"]  # was taken, though the types have no null there
            wire = OpenAIResponses()
            messages = to_messages(items, request["model"])
            # Held to what was accepted, not to the types: those want fields that the provider does not.
            written = json.loads(wire.write(Request(request["model"], messages)))["input"]
            assert len(written) == len(items)
            for ours, theirs in zip(written, items, strict=True):
                assert ours.keys() == theirs.keys()
                same = {key for key in ours if key != "output"}
                assert {key: ours[key] for key in same} == {key: theirs[key] for key in same}
                assert type(ours.get("output")) is type(theirs.get("output"))


def test_answers_are_sent_back_as_the_next_recorded_request_has_them(rows: Rows, judged: Judged) -> None:
    """A recorded answer is read, written, and found again in the request that followed it."""
    for row, following in pairwise(recorded(rows)):
        with judged(row["id"]):
            if (
                row["response_kind"] != "json"
                or row["id"].partition("#")[0] != following["id"].partition("#")[0]
            ):
                continue
            wire = OpenAIResponses()
            reader = wire.reader(request := Request(row["request"]["model"], ()))
            try:
                reader.take(row["response"])
            except ProviderError:
                continue
            ours = json.loads(wire.write(Request(request.model, [reader.message()])))["input"]
            assert problems(ours, list[ResponseInputItemParam]) == []
            theirs = {item["id"]: item for item in following["request"]["input"] if "id" in item}
            for item in ours:
                known = theirs.get(item.get("id"))
                if known is not None and item["type"] in ("reasoning", "function_call"):
                    assert {key: item[key] for key in known if known[key] is not None} == {
                        key: value for key, value in known.items() if value is not None
                    }
