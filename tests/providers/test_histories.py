"""Any valid conversation, with answers of any provider in it, is one that each provider takes."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from tests.providers.formats.every import BY_WIRE
from tests.providers.formats.format import Json, complaints
from tests.providers.gemini_turns import check_turns
from tests.providers.judges import TYPES, judge
from tests.providers.typed_dicts import problems
from tests.providers.wires import MAKERS, each_wire

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
from oneclaw.providers.base import Request
from oneclaw.testing import TOOLS

PNG = Image(b"\x89PNG\r\n\x1a\n", "image/png")
MODELS: dict[str, tuple[str, ...]] = {
    "anthropic": ("claude-sonnet-4-5",),
    "gemini": ("gemini-2.5-pro", "gemini-3-pro-preview"),
    "openai_chat": ("gpt-4o", "o3", "mistral-large-latest"),
    "openai_responses": ("gpt-5", "gpt-4o"),
}
SEARCH: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
CITATION: Json = {
    "type": "web_search_result_location",
    "cited_text": "x",
    "encrypted_index": "e",
    "title": None,
    "url": "https://example.com",
}
REASONING: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
SAID: Json = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "so", "annotations": []}],
}
SEARCHED: Json = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "x"},
}
CUSTOM: Json = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c9", "name": "sql", "input": "SELECT"}
PATCH: Json = {"type": "apply_patch_call", "id": "ap_1", "call_id": "c8", "operation": {}}
CODE: Json = {"part": {"executableCode": {"language": "PYTHON", "code": "1"}}}
DETAIL: Json = {"reasoning_details": [{"type": "reasoning.text", "text": "x"}]}
SIGNED: Json = {"thoughtSignature": "c2ln"}
ECHOES: dict[str, dict[type[Part], list[Any]]] = {
    "anthropic": {
        TextPart: [{"citations": [CITATION]}],
        ThoughtPart: [{"type": "thinking", "signature": "s", "after": "elsewhere"}],
        CallPart: [{"caller": {"type": "direct"}}],
        ForeignPart: [SEARCH, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}],
    },
    "gemini": {
        TextPart: [SIGNED, {"thoughtSignature": 5}],
        ThoughtPart: [SIGNED, {}],
        CallPart: [SIGNED, {"args": {"z": 1}}, {"args": 5}],
        ForeignPart: [CODE, {"part": 5}, {"about": {"groundingMetadata": {}}}, {}],
    },
    "openai_chat": {
        TextPart: [],
        ThoughtPart: [{"field": "reasoning_content"}, DETAIL],
        CallPart: [{"extra_content": {"google": {"thought_signature": "s"}}}],
        ForeignPart: [{"x": [1]}],
    },
    "openai_responses": {
        TextPart: [SAID],
        ThoughtPart: [REASONING, {"type": "reasoning", "id": "rs_2", "summary": []}],
        CallPart: [{"type": "function_call", "id": "fc_1", "arguments": "{}", "status": "completed"}],
        ForeignPart: [SEARCHED, CUSTOM, PATCH],
    },
}
"""What the parts of an answer have beside their text, by the format and the part they came in."""
TEXTS = st.sampled_from(["", "hello", "\ud800 odd", "naïve \u2028", "<tool_call>"])
NAMES = st.sampled_from(["read_file", "gone", "made:up", "", "9", "y" * 120])
ARGUMENTS = st.sampled_from([{}, {"q": 1}, "", '{"a": 1}', "[1]", "{broken", '{"a": NaN}', b"\xff"])
IDS = ("a", "call_1", "toolu_01", "x" * 80, "functions.f:0", "", "ünïcode", "local_call_1")
PICTURES = (PNG, Image(b"GIF89a", "image/gif"), Image(b"BM", "image/bmp"))
IMAGES = st.lists(st.sampled_from(PICTURES), max_size=2)


def parts_of(wire: str) -> st.SearchStrategy[Part]:
    def echo(kind: type[Part]) -> st.SearchStrategy[Any]:
        return st.sampled_from([None, *ECHOES.get(wire, {}).get(kind, [])])

    calls = st.builds(ToolCall, NAMES, ARGUMENTS, st.just(""), st.sampled_from(["", "It was cut."]))
    foreign = st.builds(ForeignPart, echo(ForeignPart).filter(lambda found: found is not None))
    return st.one_of(
        st.builds(TextPart, TEXTS, echo(TextPart)),
        st.builds(ThoughtPart, TEXTS, echo(ThoughtPart)),
        st.builds(CallPart, calls, echo(CallPart)),
        *([foreign] if wire in ECHOES else []),
    )


def answers_of(wire: str) -> st.SearchStrategy[AssistantMessage]:
    finishes = st.sampled_from(["stop", "calls", "length", "refusal", "cut", "stopped"])
    models = st.sampled_from(["", "test/gpt-4o", "test/gpt-5", "test/other"])
    parts = st.lists(parts_of(wire), max_size=5).map(tuple)
    return st.builds(AssistantMessage, parts, finishes, st.just(wire), models)


ANSWERS = st.sampled_from([*ECHOES, ""]).flatmap(answers_of)
USERS = st.builds(UserMessage, TEXTS, IMAGES.map(tuple))


def valid(said: list[UserMessage | AssistantMessage], images: list[Image], tag: int) -> list[Message]:
    """A conversation that begins with the user, in which each call has an id of its own and a result."""
    messages: list[Message] = [UserMessage("go")]
    made = 0
    for message in said:
        if isinstance(message, UserMessage):
            messages.append(message)
            continue
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, CallPart):
                made += 1
                call_id = f"{IDS[(made + tag) % len(IDS)]}{made}"
                part = replace(part, call=replace(part.call, id=call_id))
            parts.append(part)
        answer = replace(message, parts=tuple(parts))
        kinds = (None, Kind.TIMEOUT)
        results = [
            ToolResult(call.id, call.name[:100], "x", kinds[at % 2], "m", images=tuple(images))
            for at, call in enumerate(answer.calls)
        ]
        messages += [answer, *([ResultsMessage(tuple(results))] if results else [])]
    return messages


@each_wire
@given(data=st.data())
def test_any_valid_conversation_is_taken(wire: str, data: st.DataObject) -> None:
    """The judges are the types of the official SDKs, and the servers of these tests."""
    messages = valid(
        data.draw(st.lists(USERS | ANSWERS, max_size=6)), data.draw(IMAGES), data.draw(st.integers(0, 9))
    )
    request = Request(
        data.draw(st.sampled_from(MODELS[wire])),
        messages,
        "Be brief.",
        data.draw(st.sampled_from([TOOLS, ()])),
        data.draw(st.booleans()),
        900,
    )
    written = MAKERS[wire]().write(request)
    body = judge(wire, without_echoes(written) if wire == "openai_chat" else written)
    heard = BY_WIRE[wire].hear("", {}, body)
    assert complaints(heard, wire) == []
    assert json.dumps(body).count("cache_control") <= 4
    if wire == "gemini":
        check_turns(body["contents"])
    if wire == "openai_responses":
        check_pairs(body["input"])


def without_echoes(body: bytes) -> bytes:
    """A chat without the keys that OpenAI's types do not have: what other servers wrote and get back."""
    beyond = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")
    read = json.loads(
        body, object_hook=lambda each: {name: inner for name, inner in each.items() if name not in beyond}
    )
    return json.dumps(read).encode()


def check_pairs(items: list[Json]) -> None:
    """What the Responses API refuses: calls without outputs, reasoning without what it led to."""
    kinds = [item.get("type", "") for item in items]
    named = [(kind, item["call_id"]) for kind, item in zip(kinds, items, strict=True) if "call_id" in item]
    called, answered = (
        sorted(call_id for kind, call_id in named if kind.endswith(end)) for end in ("_call", "_call_output")
    )
    assert called == answered
    led_to = {"reasoning", "message", "function_call", "web_search_call", "custom_tool_call"}
    for kind, following in pairwise([*kinds, None]):
        assert kind != "reasoning" or following in led_to


@pytest.mark.parametrize("wire", TYPES)
def test_the_judge_sees_a_key_that_is_unknown_and_one_that_is_missing(wire: str) -> None:
    body = json.loads(MAKERS[wire]().write(Request("m", [UserMessage("Hello")], tools=TOOLS)))
    tools = body["tools"]
    tools[0]["extra"] = 1
    del body["stream"]
    found = problems(body, TYPES[wire])
    assert "$.stream is missing" in found
    assert "$.tools[0].extra is unknown" in found


def test_the_judge_sees_what_is_wrong_deep_inside() -> None:
    tool: Json = {"type": "function", "name": "x", "parameters": {}, "strict": True}
    good: Json = {"model": "m", "stream": True, "input": [SAID], "tools": [tool]}
    assert problems(good, ResponseCreateParamsStreaming) == []
    wrongs: list[Json] = [
        {**good, "tools": [{"type": "function", "name": "x", "parameters": {}}]},
        {**good, "input": [{**SAID, "content": [{"type": "text", "text": "so"}]}]},
        {**good, "input": [{"type": "function_call_output", "call_id": "a"}]},
    ]
    for wrong in wrongs:
        assert problems(wrong, ResponseCreateParamsStreaming), wrong
