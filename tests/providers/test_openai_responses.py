"""What the Responses API is sent: the head, the tools, and each kind of message."""

import base64
import json
from collections.abc import Mapping
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
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request, Wire
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


def test_it_is_a_wire_with_its_path_and_a_bearer_key() -> None:
    wire: Wire = OpenAIResponses(strict=False)
    assert wire.name == "openai_responses"
    assert wire.path(Request("gpt-5", ())) == "/responses"
    assert wire.headers("sk-1") == {"Authorization": "Bearer sk-1"}
    assert wire.headers(None) == {}


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


def test_what_nobody_asked_for_is_not_sent() -> None:
    assert set(body(UserMessage("hi"), model="gpt-4o")) == {"model", "stream", "store", "input"}


def test_fewer_tokens_than_the_provider_takes_are_raised_to_the_least() -> None:
    assert body(most_tokens=1)["max_output_tokens"] == 16


@pytest.mark.parametrize(
    "model",
    [
        "gpt-5",
        "gpt-5.5-2026-01-01",
        "o1",
        "o4-mini",
        "openai/o3",
        "ft:o4-mini:us",
        "codex-mini-latest",
        "grok-4",
    ],
)
def test_a_model_that_reasons_is_asked_for_what_it_thought(model: str) -> None:
    assert body(model=model)["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o",
        "gpt-4.1-mini",
        "gpt-5-chat-latest",
        "grok-4-fast-non-reasoning",
        "foo1",
        "llama-3",
        "chatgpt-4o",
    ],
)
def test_a_model_that_does_not_reason_is_not_asked_for_it_as_it_would_refuse(model: str) -> None:
    assert "include" not in body(model=model)


def test_a_model_the_owner_has_reason_is_asked_for_what_it_thought() -> None:
    assert body(model="mine", options={"reasoning": {"effort": "low"}})["include"]
    assert "include" not in body(model="mine", options={"reasoning": {"effort": None}})


def test_options_are_added_but_never_in_place_of_the_conversation() -> None:
    options = {
        "input": "no",
        "tools": [],
        "stream": False,
        "temperature": 0.2,
        "include": ["x"],
        "store": True,
    }
    sent = body(UserMessage("hi"), options=options, tools=(READ,))
    assert sent["input"] == [{"role": "user", "content": "hi"}]
    assert (sent["stream"], sent["temperature"], sent["include"], sent["store"]) == (True, 0.2, ["x"], True)
    assert len(sent["tools"]) == 1


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


def test_tools_that_may_not_be_called_are_left_out_with_the_options_that_speak_of_them() -> None:
    options = {"tool_choice": "required", "parallel_tool_calls": False}
    asked = own(CallPart(call()))
    sent = body(
        asked,
        ResultsMessage((ToolResult("call_1", "read_file"),)),
        tools=(READ,),
        can_call=False,
        options=options,
    )
    assert not sent.keys() & {"tools", "tool_choice", "parallel_tool_calls"}
    assert [item["type"] for item in sent["input"]] == ["function_call", "function_call_output"]
    assert body(tools=(READ,), options=options)["tool_choice"] == "required"


def test_pictures_of_the_user_stand_behind_the_text_as_data() -> None:
    url = "data:image/png;base64," + base64.b64encode(PNG.data).decode()
    picture = {"type": "input_image", "detail": "auto", "image_url": url}
    [said] = items(UserMessage("look", (PNG,)))
    assert said == {"role": "user", "content": [{"type": "input_text", "text": "look"}, picture]}
    assert items(UserMessage("", (PNG,)))[0]["content"] == [picture]


def test_results_are_answered_by_call_id_and_pictures_are_shown() -> None:
    done = ToolResult("call_1", "read_file", "text")
    failed = ToolResult("call_2", "read_file", kind=Kind.FILE_NOT_FOUND, message="No such file.")
    shown = ToolResult("call_3", "look", "here", images=(PNG,))
    first, second, third = items(ResultsMessage((done, failed, shown)))
    assert first == {"type": "function_call_output", "call_id": "call_1", "output": done.to_json()}
    assert json.loads(second["output"])["error_type"] == "file_not_found"
    assert [each["type"] for each in third["output"]] == ["input_text", "input_image"]


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


def test_an_empty_answer_is_no_item() -> None:
    assert items(own(), own(TextPart("")), own(ThoughtPart("only thought"))) == []


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


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("", "{}"),
        ('{"a": 1}', '{"a": 1}'),
        (b'{"a": 1}', '{"a":1}'),
        ('{"pat', '{"invalid_arguments":"{\\"pat"}'),
        ("[1]", '{"invalid_arguments":"[1]"}'),
        ({"a": float("nan")}, '{"a":null}'),
    ],
)
def test_arguments_go_back_as_the_text_of_an_object(arguments: Any, sent: str) -> None:
    [item] = items(own(CallPart(call(arguments))))
    assert item["arguments"] == sent


def test_arguments_nested_beyond_reason_go_back_as_a_word_of_it() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    [item] = items(own(CallPart(call(deep))))
    assert "invalid_arguments" in json.loads(item["arguments"])


def test_an_echo_whose_arguments_are_broken_is_mended() -> None:
    [item] = items(own(CallPart(call('{"pat'), {**CALLED, "arguments": '{"pat'})))
    assert item["id"] == "fc_1"
    assert "invalid_arguments" in json.loads(item["arguments"])


def test_ids_and_names_no_provider_takes_are_fitted_alike_for_call_and_result() -> None:
    odd = "toolu|" + "x" * 80
    asked = AssistantMessage((CallPart(ToolCall("Weather.getToday", "{}", odd)),), wire="import")
    call_item, result = items(asked, ResultsMessage((ToolResult(odd, "Weather.getToday"),)))
    assert call_item["call_id"] == result["call_id"]
    assert len(call_item["call_id"]) <= 64
    assert call_item["name"] == "weather_get_today"


def test_a_long_id_of_the_provider_stays_as_it_came() -> None:
    long = "call_" + "a1b2c3d4-" * 6
    asked = own(CallPart(ToolCall("read_file", "{}", long), {**CALLED, "call_id": long}))
    call_item, result = items(asked, ResultsMessage((ToolResult(long, "read_file"),)))
    assert call_item["call_id"] == result["call_id"] == long


def test_lone_surrogates_reach_no_body() -> None:
    assert items(UserMessage("a\ud800b"))[0]["content"] == "a?b"


def test_each_message_is_written_once() -> None:
    class Counted(UserMessage):
        """Counts how often its text is asked for."""

        reads = 0

        def __getattribute__(self, name: str) -> Any:
            if name == "text":
                Counted.reads += 1
            return super().__getattribute__(name)

    wire = OpenAIResponses()
    request = Request("gpt-5", [Counted("hello")], tools=(READ,))
    assert wire.write(request) == wire.write(request)
    assert Counted.reads == 1
    OpenAIResponses().write(request)
    assert Counted.reads == 2


def test_a_refusal_is_explained() -> None:
    error = WIRE.explain(401, {}, b'{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}')
    assert error.trouble == "key"
