"""Chat requests: what is sent of a conversation, and how servers and models differ in what they take."""

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest

from oneclaw.core.call import Image, ToolCall, ToolResult
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
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request
from oneclaw.providers.openai_chat.wire import OpenAIChat

PNG = Image(b"\x89PNG\r\n\x1a\nrest", "image/png")
PNG_URL = "data:image/png;base64,iVBORw0KGgpyZXN0"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = ToolDefinition(name="weather", description="The weather.", parameters=CITY)
CLOCK = ToolDefinition(name="clock")
TOOLS = (WEATHER, CLOCK)
HELLO = UserMessage("Hello")


def body_of(request: Request, wire: OpenAIChat | None = None) -> dict[str, Any]:
    return json.loads((wire or OpenAIChat()).write(request))


def sent(*messages: Message, model: str = "m") -> list[dict[str, Any]]:
    return body_of(Request(model, messages, tools=TOOLS))["messages"]


def call(call_id: str, arguments: Mapping[str, Any] | str = "{}", name: str = "clock") -> CallPart:
    return CallPart(ToolCall(name, arguments, call_id))


def answer(*parts: Any, model: str = "openai/m", wire: str = "openai_chat") -> AssistantMessage:
    return AssistantMessage(parts, "calls", wire, model)


def test_tools_are_sent_in_one_order_and_strict_only_where_it_is_known() -> None:
    strict = body_of(Request("m", [HELLO], tools=TOOLS))["tools"]
    loose = body_of(Request("m", [HELLO], tools=TOOLS), OpenAIChat(strict=False))["tools"]

    assert [tool["function"]["name"] for tool in strict] == ["clock", "weather"]
    assert strict[1]["function"]["strict"] is True
    assert all("strict" not in tool["function"] for tool in loose)
    assert loose[1] == {
        "type": "function",
        "function": {"name": "weather", "description": "The weather.", "parameters": CITY},
    }


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("gpt-4o", "max_tokens"),
        ("gpt-oss-120b", "max_tokens"),
        ("llama3.1:8b", "max_tokens"),
        ("openrouter-o3-clone", "max_tokens"),
        ("o3-mini", "max_completion_tokens"),
        ("gpt-5.2", "max_completion_tokens"),
        ("openai/gpt-5", "max_completion_tokens"),
    ],
)
def test_the_longest_answer_is_named_as_the_model_knows_it(model: str, field: str) -> None:
    body = body_of(Request(model, [HELLO], most_tokens=100))

    assert {name: value for name, value in body.items() if name.startswith("max_")} == {field: 100}


def test_an_option_of_the_owner_replaces_a_field_or_leaves_it_out() -> None:
    options = {"max_completion_tokens": 7, "stream_options": False}
    body = body_of(Request("m", [HELLO], most_tokens=100, options=options))
    assert body.pop("messages") == [{"role": "user", "content": "Hello"}]
    assert body == {"model": "m", "stream": True, "max_completion_tokens": 7}


def test_an_answer_without_text_has_no_content() -> None:
    assert set(sent(HELLO, answer(call("a")))[1]) == {"role", "tool_calls"}


def test_pictures_of_results_follow_all_results_in_one_message_that_names_their_calls() -> None:
    messages = sent(
        answer(call("a"), call("b"), call("c")),
        ResultsMessage(
            (
                ToolResult("a", "clock", "one", images=(PNG, PNG)),
                ToolResult("b", "clock", "two"),
                ToolResult("c", "clock", "three", images=(PNG,)),
            )
        ),
    )

    assert [message["role"] for message in messages] == ["assistant", "tool", "tool", "tool", "user"]
    picture = {"type": "image_url", "image_url": {"url": PNG_URL}}
    assert messages[-1]["content"] == [
        {"type": "text", "text": "Images in the result of the call a of clock:"},
        picture,
        picture,
        {"type": "text", "text": "Images in the result of the call c of clock:"},
        picture,
    ]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_plain_thoughts_go_back_with_calls_only_and_only_to_their_model(field: str) -> None:
    thought = ThoughtPart("hm", {"field": field})
    with_call, without = answer(thought, call("a")), answer(thought, TextPart("Hi"))

    assert sent(with_call)[0][field] == "hm"
    assert field not in sent(without)[0]
    assert field not in sent(with_call, model="other")[0]


def test_reasoning_details_go_back_whole_to_the_model_that_wrote_them() -> None:
    details = [{"type": "reasoning.encrypted", "data": "AAA="}, {"type": "reasoning.text", "text": "b"}]
    parts = [ThoughtPart("", {"reasoning_details": [detail]}) for detail in details]
    message = answer(parts[0], TextPart("Hi"), parts[1], model="openrouter/google/gemini-3")

    assert sent(message, model="google/gemini-3")[0]["reasoning_details"] == details
    assert "reasoning_details" not in sent(message, model="gemini-4")[0]


def test_the_signature_of_a_call_goes_back_beside_it() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    message = answer(CallPart(ToolCall("clock", "{}", "a"), extra))

    assert sent(message)[0]["tool_calls"][0]["extra_content"] == extra["extra_content"]
    assert "extra_content" not in sent(message, model="n")[0]["tool_calls"][0]


def test_chunks_of_a_content_go_back_in_their_order() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    reference = {"type": "reference", "reference_ids": [1]}
    message = answer(ThoughtPart("hm", {"chunk": thought}), TextPart("Hi"), ForeignPart({"chunk": reference}))

    assert sent(message)[0]["content"] == [thought, {"type": "text", "text": "Hi"}, reference]
    assert sent(message, model="n")[0]["content"] == "Hi"


MISTRAL = "mistral-large-latest"


def test_mistral_gets_ids_of_nine_letters_and_digits() -> None:
    messages = sent(
        answer(call("call_1_abc"), call("abcDEF123")),
        ResultsMessage((ToolResult("call_1_abc", "clock", 1), ToolResult("abcDEF123", "clock", 2))),
        model=MISTRAL,
    )
    ids = [asked["id"] for asked in messages[0]["tool_calls"]]

    assert ids == [message["tool_call_id"] for message in messages[1:]]
    assert ids[1] == "abcDEF123"
    assert len(ids[0]) == 9
    assert ids[0].isalnum()


def test_mistral_is_sent_no_user_right_behind_a_tool() -> None:
    history = (
        answer(call("a")),
        ResultsMessage((ToolResult("a", "clock", 1, images=(PNG,)),)),
        answer(call("b")),
        ResultsMessage((ToolResult("b", "clock", 1),)),
        UserMessage("And?"),
    )
    roles = [message["role"] for message in sent(*history, model=MISTRAL)]

    assert not any(pair == ("tool", "user") for pair in itertools.pairwise(roles))
    elsewhere = [message["role"] for message in sent(*history)]
    assert ("tool", "user") in itertools.pairwise(elsewhere)


def test_mistrals_own_server_is_not_asked_for_what_it_refuses() -> None:
    assert "stream_options" not in body_of(Request(MISTRAL, [HELLO]))
    assert "stream_options" in body_of(Request("mistralai/mistral-small", [HELLO]))
    assert "stream_options" in body_of(Request("mistral:7b", [HELLO]))
