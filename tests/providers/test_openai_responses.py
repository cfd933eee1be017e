"""What the Responses API is sent: the head, the tools, and each kind of message."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from oneclaw.core.call import Image, ToolCall, ToolResult
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
from oneclaw.providers.openai_responses import wire as openai_responses
from oneclaw.providers.openai_responses.wire import OpenAIResponses

Item = dict[str, Any]
PNG = Image(b"\x89PNG\r\n\x1a\nrest", "image/png")
READ = ToolDefinition(
    name="read_file",
    description="Read a file.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "encoding": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": False,
    },
)
REASONING: Item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
SAID: Item = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
}
CALLED: Item = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "read_file",
    "arguments": '{"path": "a",  "encoding":null}',
    "status": "completed",
}
SEARCHED: Item = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search"},
}
WIRE = OpenAIResponses()


def body(*messages: Message, wire: OpenAIResponses = WIRE, **fields: Any) -> dict[str, Any]:
    return json.loads(wire.write(replace(Request("gpt-5", messages), **fields)))


def items(*messages: Message, **fields: Any) -> list[dict[str, Any]]:
    return body(*messages, **fields)["input"]


def own(*parts: Part, model: str = "openai/gpt-5") -> AssistantMessage:
    return AssistantMessage(parts, wire="openai_responses", model=model)


def call(arguments: Mapping[str, Any] | str | bytes = "{}", name: str = "read_file") -> ToolCall:
    return ToolCall(name, arguments, "call_1")


def test_the_head_asks_for_a_stream_of_which_nothing_is_stored() -> None:
    sent = body(UserMessage("hi"), instructions="Be brief.", most_tokens=500)
    assert sent == {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "stream": True,
        "store": False,
        "max_output_tokens": 500,
        "include": ["reasoning.encrypted_content"],
        "input": [{"role": "user", "content": "hi"}],
    }


def test_fewer_tokens_than_the_provider_takes_are_raised_to_the_least() -> None:
    assert body(most_tokens=1)["max_output_tokens"] == 16


@pytest.mark.parametrize(
    "model",
    [
        *("gpt-5", "gpt-5.5-2026-01-01", "o1", "o4-mini"),
        *("openai/o3", "ft:o4-mini:us", "codex-mini-latest", "grok-4"),
    ],
)
def test_a_model_that_reasons_is_asked_for_what_it_thought(model: str) -> None:
    assert body(model=model)["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    "model",
    [
        *("gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest", "chatgpt-4o"),
        *("grok-4-fast-non-reasoning", "foo1", "llama-3"),
    ],
)
def test_a_model_that_does_not_reason_is_not_asked_for_it_as_it_would_refuse(model: str) -> None:
    assert "include" not in body(model=model)


def test_a_model_the_owner_has_reason_is_asked_for_what_it_thought() -> None:
    assert body(model="mine", options={"reasoning": {"effort": "low"}})["include"]
    assert "include" not in body(model="mine", options={"reasoning": {"effort": None}})


def test_tools_are_flat_and_say_whether_they_are_strict() -> None:
    [strict] = body(tools=(READ,))["tools"]
    assert (strict["type"], strict["name"], strict["description"]) == (
        "function",
        "read_file",
        "Read a file.",
    )
    assert strict["strict"] is True
    assert strict["parameters"]["required"] == ["path", "encoding"]
    [loose] = body(wire=OpenAIResponses(strict=False), tools=(READ,))["tools"]
    assert loose["strict"] is False
    assert loose["parameters"]["required"] == ["path"]


def test_an_answer_goes_back_as_it_came_with_its_reasoning_before_what_it_led_to() -> None:
    restored = ToolCall("read_file", {"path": "a"}, "call_1")
    answer = own(
        ThoughtPart("", REASONING),
        TextPart("I look.", SAID),
        ThoughtPart("", {**REASONING, "id": "rs_2"}),
        CallPart(restored, CALLED),
    )
    assert items(answer) == [REASONING, SAID, {**REASONING, "id": "rs_2"}, CALLED]


@pytest.mark.parametrize(
    ("wire", "model"), [("anthropic", "openai/gpt-5"), ("openai_responses", "xai/grok-4"), ("", "")]
)
def test_an_answer_of_another_wire_or_model_goes_without_what_only_that_can_read(
    wire: str, model: str
) -> None:
    parts = (
        ThoughtPart("hm", REASONING),
        TextPart("I look.", SAID),
        ForeignPart(SEARCHED, "search"),
        CallPart(call({"path": "a"}), CALLED),
    )
    assert items(AssistantMessage(parts, wire=wire, model=model)) == [
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": '{"path":"a"}'},
    ]


def test_an_answer_is_written_anew_for_another_model_and_kept_for_the_first() -> None:
    answer = own(ThoughtPart("", REASONING), TextPart("I look.", SAID))
    wire = OpenAIResponses()
    assert items(answer, wire=wire) == [REASONING, SAID]
    assert items(answer, wire=wire, model="gpt-4o") == [{"role": "assistant", "content": "I look."}]
    assert items(answer, wire=wire) == [REASONING, SAID]


def test_reasoning_the_provider_did_not_keep_goes_and_the_items_behind_it_go_without_their_ids() -> None:
    lost: Item = {"type": "reasoning", "id": "rs_1", "summary": []}
    answer = own(
        ThoughtPart("", lost), ForeignPart(SEARCHED), ThoughtPart("", lost), CallPart(call(), CALLED)
    )
    [only] = items(answer)
    assert only["type"] == "function_call"
    assert "id" not in only
    assert [item["type"] for item in items(answer, options={"store": True})] == [
        "reasoning",
        "web_search_call",
        "reasoning",
        "function_call",
    ]


def test_reasoning_without_the_item_it_led_to_is_left_out() -> None:
    assert items(own(TextPart("I look.", SAID), ThoughtPart("", REASONING))) == [SAID]
    assert items(own(ThoughtPart("", REASONING), TextPart(""), TextPart("I look.", SAID))) == [SAID]


def test_without_the_guards_what_the_provider_cannot_read_would_be_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = own(ThoughtPart("", REASONING), TextPart("I look.", SAID), model="xai/grok-4")
    lost: Item = {"type": "reasoning", "id": "rs_1", "summary": []}

    def is_always_own(message: AssistantMessage, model: str) -> bool:
        return True

    def is_always_sent(part: ThoughtPart, is_stored: bool) -> Mapping[str, Any] | None:
        return part.echo

    monkeypatch.setattr(openai_responses, "_made_by", is_always_own)
    assert items(other, wire=OpenAIResponses()) == [REASONING, SAID]
    monkeypatch.setattr(openai_responses, "_write_thought", is_always_sent)
    assert items(own(ThoughtPart("", lost), TextPart("I look.", SAID)), wire=OpenAIResponses()) == [
        lost,
        SAID,
    ]


def test_what_the_provider_ran_itself_goes_back_as_it_came() -> None:
    shell: Item = {"type": "shell_call", "id": "sh_1", "call_id": "c1", "action": {}, "status": "completed"}
    output: Item = {"type": "shell_call_output", "id": "sho_1", "call_id": "c1", "output": []}
    assert items(own(ForeignPart(SEARCHED), ForeignPart(shell), ForeignPart(output))) == [
        SEARCHED,
        shell,
        output,
    ]


def test_a_call_that_waits_for_an_output_we_have_not_is_not_left_open() -> None:
    patch: Item = {
        "type": "apply_patch_call",
        "id": "ap_1",
        "call_id": "c1",
        "status": "completed",
        "operation": {},
    }
    custom = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c2", "name": "sql", "input": "SELECT"}
    first, second = items(own(ForeignPart(patch), ForeignPart(custom), ForeignPart({"id": "no type"})))
    assert first == custom
    assert (second["type"], second["call_id"]) == ("custom_tool_call_output", "c2")


def test_arguments_go_back_in_the_very_words_of_the_model() -> None:
    [item] = items(own(CallPart(call('{"a":  1}'))))
    assert item["arguments"] == '{"a":  1}'


def test_an_echo_whose_arguments_are_broken_is_mended() -> None:
    [item] = items(own(CallPart(call('{"pat'), {**CALLED, "arguments": '{"pat'})))
    assert item["id"] == "fc_1"
    assert "invalid_arguments" in json.loads(item["arguments"])


def test_a_long_id_of_the_provider_stays_as_it_came() -> None:
    long = "call_" + "a1b2c3d4-" * 6
    asked = own(CallPart(ToolCall("read_file", "{}", long), {**CALLED, "call_id": long}))
    call_item, result = items(asked, ResultsMessage((ToolResult(long, "read_file"),)))
    assert call_item["call_id"] == result["call_id"] == long
