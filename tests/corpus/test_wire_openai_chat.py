"""Chat requests: real tools, any history, held to OpenAI's types and to requests that were accepted."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from tests.corpus.conftest import Judged, read_rows, some
from tests.providers.rulebook import broken
from tests.providers.typed_dicts import problems

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.make.foreign import adopt
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
from oneclaw.providers.base import Request
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.tools.builtin import load_all

Item = dict[str, Any]
PNG = Image(b"\x89PNG\r\n\x1a\n", "image/png")
BEYOND = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")
"""Keys that OpenAI's types do not have: what other servers wrote, sent back to the model that wrote it."""


def judge(body: bytes) -> Item:
    read = json.loads(body)
    assert problems(read, CompletionCreateParamsStreaming) == []
    return read


@pytest.mark.parametrize("strict", [True, False])
def test_every_real_tool_is_taken_by_the_types_and_breaks_no_rule(
    tools: tuple[ToolDefinition, ...], strict: bool, judged: Judged
) -> None:
    body = judge(OpenAIChat(strict).write(Request("gpt-4o", [UserMessage("hello")], tools=tools)))
    functions = [tool["function"] for tool in body["tools"]]

    assert len({function["name"] for function in functions}) == len(tools)
    assert any(function.get("strict") for function in functions) is strict
    for function in functions:
        with judged(function["name"]):
            dialect = "openai_strict" if function.get("strict") else "openai"
            assert broken(function["parameters"], dialect) == [], function["name"]


def test_every_real_call_goes_out_and_comes_back(tools: tuple[ToolDefinition, ...]) -> None:
    parts = tuple(CallPart(ToolCall(tool.name, {"a": 1}, f"c{at}")) for at, tool in enumerate(tools))
    results = tuple(ToolResult(f"c{at}", tool.name, at) for at, tool in enumerate(tools))
    wire = OpenAIChat()
    history = [UserMessage("go"), AssistantMessage(parts, "calls"), ResultsMessage(results)]
    messages = judge(wire.write(Request("gpt-4o", history, tools=tools)))["messages"]
    sent = {tool["function"]["name"] for tool in judge(wire.write(Request("m", [], tools=tools)))["tools"]}
    reader = wire.reader(Request("m", [], tools=tools))
    answer: Item = {"choices": [{"message": messages[1], "finish_reason": "tool_calls"}]}
    list(reader.take(answer))

    assert {call["function"]["name"] for call in messages[1]["tool_calls"]} == sent
    assert [call.name for call in reader.message().calls] == [tool.name for tool in tools]
    assert [call.id for call in reader.message().calls] == [f"c{at}" for at in range(len(tools))]


TEXTS = st.sampled_from(["", "hello", "\ud800 odd", "naïve \u2028", "<tool_call>"])
IDS = st.sampled_from(["a", "call_1", "toolu_01", "x" * 80, "functions.f:0", "", "ünïcode", "a b"])
ARGUMENTS = st.sampled_from(["", "{}", '{"a": 1}', "[1]", "{broken", '{"a": NaN}', "null"])
ECHOES = st.sampled_from(
    [
        None,
        {"field": "reasoning_content"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "x"}]},
        {"signature": "abc"},
        {"type": "reasoning", "id": "rs_1"},
    ]
)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, TEXTS, st.sampled_from([None, {"x": 1}])),
    st.builds(ThoughtPart, TEXTS, ECHOES),
    st.builds(ForeignPart, st.sampled_from([{"type": "web_search_call"}, {"x": [1]}])),
    st.builds(
        CallPart,
        st.builds(ToolCall, st.sampled_from(["read_file", "gone", "Odd Name!", ""]), ARGUMENTS, IDS),
        st.sampled_from([None, {"extra_content": {"google": {"thought_signature": "s"}}}, {"id": "fc_1"}]),
    ),
)
WIRES = st.sampled_from(["", "anthropic", "gemini", "openai_responses", "openai_chat"])
MODELS = st.sampled_from(["", "openai/gpt-4o", "openai/other", "gpt-4o"])


def with_results(message: AssistantMessage) -> list[Message]:
    if not message.calls:
        return [message]
    kinds = (None, Kind.TIMEOUT)
    results = tuple(
        ToolResult(call.id, call.name, "x", kinds[at % 2], "m", images=(PNG,) * (at % 3))
        for at, call in enumerate(message.calls)
    )
    return [message, ResultsMessage(results)]


ANSWERS = st.builds(
    AssistantMessage,
    st.lists(PARTS, max_size=5).map(tuple),
    st.sampled_from(["stop", "calls", "length", "refusal", "cut", "stopped"]),
    WIRES,
    MODELS,
)
USERS = st.builds(UserMessage, TEXTS, st.sampled_from([(), (PNG,), (PNG, PNG)]))
HISTORIES: st.SearchStrategy[list[Message]] = st.lists(
    st.one_of(USERS.map(lambda each: [each]), ANSWERS.map(with_results)), max_size=6
).map(lambda groups: [message for group in groups for message in group])


def without_echoes(value: Any) -> Any:
    return json.loads(
        json.dumps(value),
        object_hook=lambda each: {name: inner for name, inner in each.items() if name not in BEYOND},
    )


@given(HISTORIES, st.sampled_from(["gpt-4o", "o3", "mistral-large-latest"]), st.booleans(), st.booleans())
def test_any_history_is_taken_by_the_types_and_every_result_has_its_call(
    history: list[Message], model: str, has_tools: bool, can_call: bool
) -> None:
    tools = (READ,) if has_tools else ()
    written = OpenAIChat().write(Request(model, history, "Be brief.", tools, can_call, 100))
    body = json.loads(written)

    assert problems(without_echoes(body), CompletionCreateParamsStreaming) == []
    own = [each for each in history if isinstance(each, AssistantMessage) and each.wire == "openai_chat"]
    if not any(each.model.endswith(model) for each in own):
        assert without_echoes(body) == body
    check_order(body["messages"])
    for message in body["messages"]:
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


READ = next(tool.definition for tool in load_all() if tool.name == "read_file")


def check_order(messages: list[Item]) -> None:
    """The calls of an answer are followed at once by their results, and there are no others."""
    open_ids: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_ids.pop(0)
            continue
        assert not open_ids
        assert message["role"] != "assistant" or "content" in message or message["tool_calls"]
        open_ids = [call["id"] for call in message.get("tool_calls", [])]
        assert all(open_ids)
    assert not open_ids


def recorded() -> list[Item]:
    found = [row for row in read_rows("provider_wire") if row["path"].endswith("/chat/completions")]
    return [row for row in found if row["status"] == 200 and is_ours(row["request"])]


def is_ours(request: Item) -> bool:
    """Whether a conversation has only what we write ourselves: texts, calls and their results."""
    for item in request["messages"]:
        said = item.get("content") or ""
        if not isinstance(said, str) and any(part["type"] != "text" for part in said):
            return False
    return True


def role_of(item: Item) -> str:
    return "system" if item["role"] == "developer" else item["role"]


def to_messages(items: list[Item]) -> list[Message]:
    """A recorded conversation as ours."""
    messages: list[Message] = []
    for item in items:
        said = item.get("content") or ""
        text = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
        if item["role"] == "user":
            messages.append(UserMessage(text))
        elif item["role"] == "assistant":
            calls = [
                CallPart(ToolCall(call["function"]["name"], call["function"]["arguments"], call["id"]))
                for call in item.get("tool_calls") or ()
            ]
            messages.append(AssistantMessage((*([TextPart(text)] if text else []), *calls)))
        elif item["role"] == "tool":
            result = ToolResult(item["tool_call_id"], "", text)
            if isinstance(messages[-1], ResultsMessage):
                messages[-1] = ResultsMessage((*messages[-1].results, result))
            else:
                messages.append(ResultsMessage((result,)))
    return messages


def test_our_requests_have_the_shape_of_those_that_were_accepted(judged: Judged) -> None:
    for row in some(recorded(), "request of a chat"):
        with judged(row["id"]):
            request = row["request"]
            offered = [tool["function"] for tool in request.get("tools") or () if "function" in tool]
            offered.sort(key=lambda function: function["name"])  # ours go out in the order of their names
            tools = tuple(adopt(function).definition for function in offered)
            system = [item["content"] for item in request["messages"] if role_of(item) == "system"]
            history = to_messages(request["messages"])
            body = judge(OpenAIChat().write(Request(request["model"], history, "".join(system), tools)))

            assert [*map(role_of, body["messages"])] == [*map(role_of, request["messages"])]
            for ours, theirs in zip(body["messages"], request["messages"], strict=True):
                assert ours.keys() <= theirs.keys()
                assert [call.keys() for call in ours.get("tool_calls", [])] == [
                    call.keys() for call in theirs.get("tool_calls") or ()
                ]
                for call, other in zip(
                    ours.get("tool_calls", []), theirs.get("tool_calls") or (), strict=True
                ):
                    assert call["function"]["name"] == other["function"]["name"]
                    assert json.loads(call["function"]["arguments"]) == json.loads(
                        other["function"]["arguments"]
                    )
            for tool, function in zip(body.get("tools", []), offered, strict=True):
                assert tool["function"]["name"] == function["name"]
                assert tool["function"].keys() <= {"name", "description", "parameters", "strict"}
            # Recorded: what only we send, and why it may be sent.
            assert body.keys() - request.keys() <= {"stream", "stream_options", "tools"}


def test_a_conversation_only_grows_at_its_end() -> None:
    history: list[Message] = [UserMessage("go")]
    wire = OpenAIChat()
    bodies: list[bytes] = []
    for number in range(3):
        bodies.append(wire.write(Request("m", history, "Be brief.", (READ,))))
        call = CallPart(ToolCall("read_file", "{}", f"c{number}"))
        history = [
            *history,
            AssistantMessage((call,), "calls"),
            ResultsMessage((ToolResult(f"c{number}", "read_file", "x"),)),
        ]
    for before, after in pairwise(json.loads(body) for body in bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert after["tools"] == before["tools"]
