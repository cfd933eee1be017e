"""Gemini requests, as they are written."""

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.gemini_turns import check_turns

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
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request, Wire
from oneclaw.providers.gemini import wire as gemini_module
from oneclaw.providers.gemini.stream import GeminiReader
from oneclaw.providers.gemini.wire import UNSIGNED, Gemini, is_from_3, join_contents

FIND = ToolDefinition(
    name="find",
    description="Finds.",
    parameters={"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
)
CLOCK = ToolDefinition(name="clock", description="Tells the time.")
TOOLS = (FIND, CLOCK)
PNG = Image(b"\x89PNG", "image/png")
PNG_PART = {"inlineData": {"mimeType": "image/png", "data": b64encode(PNG.data).decode()}}
HELLO = UserMessage("hello")


def body_of(request: Request, **made: bool) -> dict[str, Any]:
    return json.loads(Gemini(**made).write(request))


def contents_of(*messages: Message, model: str = "gemini-2.5-pro") -> list[Any]:
    return body_of(Request(model, messages, tools=TOOLS))["contents"]


def answer(*parts: Any, wire: str = "gemini") -> AssistantMessage:
    return AssistantMessage(tuple(parts), wire=wire)


def find_call(call_id: str = "abc", **more: Any) -> CallPart:
    return CallPart(ToolCall("find", {"q": "x"}, call_id), **more)


def test_it_is_a_wire() -> None:
    wire: Wire = Gemini()
    request = Request("gemini-2.5-flash", [HELLO])
    assert wire.name == "gemini"
    assert wire.path(request) == "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert wire.headers("k") == {"x-goog-api-key": "k"}
    assert wire.headers(None) == {}
    assert isinstance(wire.reader(request), GeminiReader)


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("models/gemini-3", "/v1beta/models/gemini-3"),
        ("tunedModels/mine-1", "/v1beta/tunedModels/mine-1"),
        ("a b?c#d", "/v1beta/models/a%20b%3Fc%23d"),
    ],
)
def test_the_model_is_a_safe_part_of_the_path(model: str, path: str) -> None:
    assert Gemini().path(Request(model, [])) == f"{path}:streamGenerateContent?alt=sse"


def test_a_request_has_instructions_tools_contents_and_settings() -> None:
    request = Request("gemini-2.5-pro", [HELLO], "Be brief.", TOOLS, most_tokens=500)
    assert body_of(request) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}], "role": "user"},
        "generationConfig": {"maxOutputTokens": 500},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "clock", "description": "Tells the time."},
                    {"name": "find", "description": "Finds.", "parametersJsonSchema": FIND.parameters},
                ]
            }
        ],
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
    }


def test_schemas_are_sent_in_the_older_form_where_asked() -> None:
    body = body_of(Request("gemini-2.5-pro", [HELLO], tools=TOOLS), use_parameters=True)
    clock, find = body["tools"][0]["functionDeclarations"]
    assert "parameters" not in clock
    assert find["parameters"]["type"] == "OBJECT"
    assert "parametersJsonSchema" not in find


def test_without_tools_there_is_no_word_of_them() -> None:
    body = body_of(Request("gemini-2.5-pro", [HELLO], can_call=False))
    assert body.keys() == {"contents"}


def test_tools_that_may_not_be_called_are_forbidden_and_stay() -> None:
    request = Request(
        "gemini-2.5-pro", [HELLO], tools=TOOLS, can_call=False, options={"toolConfig": {"a": 1}}
    )
    body = body_of(request)
    assert body["toolConfig"] == {"a": 1, "functionCallingConfig": {"mode": "NONE"}}
    assert body["tools"] == body_of(Request("gemini-2.5-pro", [HELLO], tools=TOOLS))["tools"]


def test_options_go_where_gemini_has_them_and_overwrite_no_message() -> None:
    options: dict[str, Any] = {
        "temperature": 0.2,
        "top_p": 0.9,
        "maxOutputTokens": 7,
        "thinking_config": {"includeThoughts": True},
        "generationConfig": {"seed": 3},
        "safetySettings": [],
        "contents": [],
        "tools": [],
        "system_instruction": "no",
        "model": "other",
    }
    body = body_of(Request("gemini-2.5-pro", [HELLO], "Yes.", TOOLS, most_tokens=500, options=options))
    assert body["generationConfig"] == {
        "maxOutputTokens": 7,
        "temperature": 0.2,
        "topP": 0.9,
        "thinkingConfig": {"includeThoughts": True},
        "seed": 3,
    }
    assert body.keys() == {"systemInstruction", "generationConfig", "safetySettings", "tools", "contents"}
    assert body["systemInstruction"]["parts"] == [{"text": "Yes."}]
    assert body["contents"] == [{"role": "user", "parts": [{"text": "hello"}]}]
    assert len(body["tools"][0]["functionDeclarations"]) == 2


def test_a_user_message_has_its_text_and_its_pictures() -> None:
    assert contents_of(UserMessage("look", (PNG,)))[0]["parts"] == [{"text": "look"}, PNG_PART]
    assert contents_of(UserMessage("", (PNG,)))[0]["parts"] == [PNG_PART]
    assert contents_of(UserMessage(""))[0]["parts"] == [{"text": "(empty message)"}]


def test_a_picture_of_a_type_that_is_not_taken_is_named() -> None:
    said = contents_of(UserMessage("look", (Image(b"GIF89a", "image/gif"),)))[0]["parts"][1]
    assert "image/gif was left out" in said["text"]
    jpg = contents_of(UserMessage("", (Image(b"x", "image/jpg"),)))[0]["parts"][0]
    assert jpg["inlineData"]["mimeType"] == "image/jpeg"


def test_calls_and_their_results_are_one_content_each_in_order() -> None:
    calls = answer(find_call("one"), find_call("two"))
    results = ResultsMessage(
        (
            ToolResult("one", "find", {"hits": [1]}),
            ToolResult("two", "find", None, Kind.TIMEOUT, "It took too long."),
        )
    )
    assert contents_of(HELLO, calls, results)[1:] == [
        {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "one", "name": "find", "args": {"q": "x"}}},
                {"functionCall": {"id": "two", "name": "find", "args": {"q": "x"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "id": "one",
                        "name": "find",
                        "response": {"status": "success", "result": {"hits": [1]}},
                    }
                },
                {
                    "functionResponse": {
                        "id": "two",
                        "name": "find",
                        "response": {
                            "status": "error",
                            "error_type": "timeout",
                            "message": "It took too long.",
                        },
                    }
                },
            ],
        },
    ]


def test_an_id_of_ours_is_not_sent_for_call_or_result() -> None:
    reader = Gemini().reader(Request("gemini-2.5-pro", [], tools=TOOLS))
    reader.take(
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "find"}}]}, "finishReason": "STOP"}]}
    )
    message = reader.message()
    results = ResultsMessage((ToolResult(message.calls[0].id, "find", "ok"),))
    model, user = contents_of(HELLO, message, results)[1:]
    assert model["parts"] == [{"functionCall": {"name": "find", "args": {}}}]
    assert user["parts"][0]["functionResponse"].keys() == {"name", "response"}


def test_pictures_of_results_are_inside_from_gemini_3_on_and_follow_before() -> None:
    gif = Image(b"GIF89a", "image/gif")
    results = ResultsMessage(
        (ToolResult("one", "find", "a", images=(PNG, gif)), ToolResult("two", "find", "b", images=(PNG,)))
    )
    history = HELLO, answer(find_call("one"), find_call("two")), results
    old = contents_of(*history)[-1]["parts"]
    assert [next(iter(part)) for part in old] == [
        *("functionResponse", "inlineData", "text"),
        *("functionResponse", "inlineData"),
    ]
    assert all("parts" not in part["functionResponse"] for part in old if "functionResponse" in part)
    new = contents_of(*history, model="gemini-3-pro-preview")[-1]["parts"]
    assert [next(iter(part)) for part in new] == ["functionResponse", "text", "functionResponse"]
    assert [part["functionResponse"]["parts"] for part in new if "functionResponse" in part] == [
        [PNG_PART]
    ] * 2


def test_signatures_go_back_on_exactly_the_part_they_came_with() -> None:
    signed = {"thoughtSignature": "c2ln+/="}
    message = answer(
        ThoughtPart("hm", {"thoughtSignature": "dA=="}),
        ThoughtPart("unsigned"),
        TextPart("text"),
        TextPart("", signed),
        TextPart(""),
        find_call(echo={"thoughtSignature": "Y2FsbA=="}),
    )
    call = {"functionCall": {"id": "abc", "name": "find", "args": {"q": "x"}}, "thoughtSignature": "Y2FsbA=="}
    for model in ("gemini-2.5-pro", "gemini-3-flash"):
        assert contents_of(HELLO, message, model=model)[1]["parts"] == [
            {"text": "hm", "thought": True, "thoughtSignature": "dA=="},
            {"text": "text"},
            {"text": "", **signed},
            call,
        ]


def test_echoes_of_another_wire_stay_out() -> None:
    message = answer(
        ThoughtPart("hm", {"signature": "x"}),
        ForeignPart({"part": {"executableCode": {"code": "1"}}}, "1"),
        TextPart("text", {"thoughtSignature": "theirs"}),
        find_call("a" * 60, echo={"thoughtSignature": "theirs", "args": {"other": 1}}),
        wire="anthropic",
    )
    parts = contents_of(HELLO, message)[1]["parts"]
    assert parts[0] == {"text": "text"}
    assert parts[1].keys() == {"functionCall"}
    assert parts[1]["functionCall"]["args"] == {"q": "x"}
    assert len(parts[1]["functionCall"]["id"]) < 40
    assert len(parts) == 2


def test_only_the_first_unsigned_call_is_marked_and_only_from_gemini_3_on() -> None:
    foreign = answer(TextPart("so"), find_call("one"), find_call("two"), wire="openai")
    signed = answer(find_call("one", echo={"thoughtSignature": "c2ln"}), find_call("two"))
    plain = [[None, None, None], ["c2ln", None]]
    marked = [[None, UNSIGNED, None], ["c2ln", None]]
    for model, expected in (
        ("gemini-2.5-pro", plain),
        ("gemini-3-pro", marked),
        ("gemini-flash-latest", marked),
    ):
        contents = contents_of(HELLO, foreign, HELLO, signed, model=model)
        assert [
            [part.get("thoughtSignature") for part in each["parts"]] for each in contents[1::2]
        ] == expected


def test_the_generation_is_read_from_the_name() -> None:
    new = ["gemini-3", "models/gemini-3.1-pro-preview", "gemini-4-argon", "gemini-10", "gemini-pro-latest"]
    old = ["gemini-2.5-pro", "gemini-1.5-flash", "gemma-3-27b-it", "gemini-exp-1206", "tunedModels/gemini-3"]
    assert [is_from_3(model) for model in new + old] == [True] * len(new) + [False] * len(old)


def test_foreign_parts_of_ours_go_back_as_they_came_and_what_is_about_an_answer_does_not() -> None:
    part = {"toolCall": {"id": "t", "toolType": "FILE_SEARCH"}, "thoughtSignature": "c2ln"}
    message = answer(
        ForeignPart({"part": part}), ForeignPart({"about": {"groundingMetadata": {}}}), TextPart("x")
    )
    assert contents_of(HELLO, message)[1]["parts"] == [part, {"text": "x"}]


def test_an_answer_with_nothing_to_send_is_left_out() -> None:
    assert contents_of(HELLO, answer(ThoughtPart("hm"), TextPart("")), UserMessage("again")) == [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "user", "parts": [{"text": "again"}]},
    ]


def test_answers_in_a_row_are_one_content_and_the_user_begins() -> None:
    contents = contents_of(
        answer(TextPart("a")), answer(find_call()), ResultsMessage((ToolResult("abc", "find"),))
    )
    assert [each["role"] for each in contents] == ["user", "model", "user"]
    assert [next(iter(part)) for part in contents[1]["parts"]] == ["text", "functionCall"]
    assert [each["role"] for each in contents_of()] == ["user"]


def test_without_joining_a_call_would_follow_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_each(messages: Any, texts: Any) -> list[str]:
        return [
            text
            for message, text in zip(messages, texts, strict=True)
            for text in join_contents([message], [text])
        ]

    monkeypatch.setattr(gemini_module, "join_contents", one_each)
    contents = contents_of(HELLO, answer(TextPart("a")), answer(find_call()))
    assert len(contents) > 2


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("", {}),
        ('{"q": 1}', {"q": 1}),
        ('{"q": "cut', {"invalid_arguments": '{"q": "cut'}),
        (b"[]", {"invalid_arguments": "[]"}),
    ],
)
def test_arguments_go_back_as_an_object_whatever_they_were(arguments: str | bytes, sent: Any) -> None:
    message = answer(CallPart(ToolCall("find", arguments, "x")), wire="openai")
    assert contents_of(HELLO, message)[1]["parts"][0]["functionCall"]["args"] == sent


@pytest.mark.parametrize("name", ["", "default_api:find", "9lives", "über", "x" * 200, "a b", "find.it-now"])
def test_a_made_up_name_is_sent_as_one_that_is_taken_and_the_same_for_its_result(name: str) -> None:
    message = answer(CallPart(ToolCall(name, {}, "x")))
    # Results show long names cut, and names that hold a secret without it.
    for shown in (name, name[:100], "[redacted]"):
        results = ResultsMessage((ToolResult("x", shown, None, Kind.TOOL_NOT_FOUND, "No."),))
        model, user = contents_of(HELLO, message, results)[1:]
        sent = model["parts"][0]["functionCall"]["name"]
        assert gemini_module._NAME.match(sent)  # pyright: ignore[reportPrivateUsage]
        assert user["parts"][0]["functionResponse"]["name"] == sent


def test_calls_that_share_an_id_have_results_by_their_own_names() -> None:
    message = answer(find_call("x"), CallPart(ToolCall("clock", {}, "x")), wire="")
    results = ResultsMessage((ToolResult("x", "find", "a"), ToolResult("x", "clock", "b")))
    parts = contents_of(HELLO, message, results)[2]["parts"]
    assert [part["functionResponse"]["name"] for part in parts] == ["find", "clock"]


def test_arguments_go_back_as_the_model_wrote_them_where_the_tool_has_other_names() -> None:
    message = answer(find_call(echo={"args": {"Q": "x"}}))
    assert contents_of(HELLO, message)[1]["parts"][0]["functionCall"]["args"] == {"Q": "x"}


def test_what_is_no_text_or_number_is_replaced() -> None:
    results = ResultsMessage((ToolResult("abc", "find", {"n": float("nan"), "s": "\ud800"}),))
    contents = contents_of(UserMessage("\udfff"), answer(find_call()), results)
    assert contents[0]["parts"] == [{"text": "?"}]
    assert contents[2]["parts"][0]["functionResponse"]["response"]["result"] == {"n": None, "s": "?"}


def test_a_message_is_turned_into_json_once() -> None:
    wire, message = Gemini(), UserMessage("hello")
    request = Request("gemini-2.5-pro", [message], tools=TOOLS)
    before = wire.write(request)
    object.__setattr__(message, "text", "changed")
    assert wire.write(request) == before
    assert Gemini().write(request) != before


TEXTS = st.sampled_from(["", "x", "\ud800", "a b"])
IDS = st.sampled_from(["", "a", "b", "local_call_1", "x" * 90, "ü"])
ECHOES = st.sampled_from(
    [
        None,
        {},
        {"thoughtSignature": "c2ln"},
        {"thoughtSignature": 5},
        {"args": {"z": 1}},
        {"args": 5},
        {"part": 5},
    ]
)
PART_OF_OURS = {"part": {"executableCode": {"code": "1"}}}
IMAGES = st.lists(st.sampled_from([PNG, Image(b"GIF89a", "image/gif"), Image(b"?", "")]), max_size=2).map(
    tuple
)
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["find", "clock", "", "made:up", "9", "y" * 120]),
    st.sampled_from([{}, {"q": 1}, "", '{"q": "cu', "[1]", b"\xff"]),
    IDS,
    TEXTS,
)
ANSWERS = st.builds(
    AssistantMessage,
    st.lists(
        st.builds(TextPart, TEXTS, ECHOES)
        | st.builds(ThoughtPart, TEXTS, ECHOES)
        | st.builds(CallPart, CALLS, ECHOES)
        | st.builds(ForeignPart, st.sampled_from([{}, PART_OF_OURS, {"part": 5}, {"about": {}}])),
        max_size=5,
    ).map(tuple),
    st.sampled_from(["stop", "calls", "length", "refusal", "cut", "stopped"]),
    st.sampled_from(["gemini", "anthropic", ""]),
)


@given(
    st.lists(st.builds(UserMessage, TEXTS, IMAGES) | ANSWERS, max_size=6),
    st.sampled_from(["gemini-2.5-pro", "gemini-3-pro"]),
    st.lists(IMAGES, min_size=1, max_size=3),
)
def test_any_valid_conversation_is_one_that_gemini_takes(
    said: list[UserMessage | AssistantMessage], model: str, images: list[tuple[Image, ...]]
) -> None:
    messages: list[Message] = []
    for message in said:
        messages.append(message)
        if isinstance(message, AssistantMessage) and message.calls:
            results = [
                ToolResult(call.id, call.name[:100], "ok", images=images[number % len(images)])
                for number, call in enumerate(message.calls)
            ]
            messages.append(ResultsMessage(tuple(results)))
    check_turns(contents_of(*messages, model=model))


def error_body(
    *details: Any, message: str = "You exceeded your current quota, please check your plan."
) -> bytes:
    error = {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": list(details)}
    return json.dumps({"error": error}).encode()


def test_a_quota_with_a_wait_is_a_limit_and_one_of_the_day_is_not() -> None:
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "39.5s"}
    day = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
    minute = {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}
    told = Gemini().explain(429, {}, error_body(minute, wait))
    assert (told.trouble, told.retry_after, told.status) == ("limit", 39.5, 429)
    assert str(told).endswith("Try again later.")
    told = Gemini().explain(429, {}, error_body(day, wait, message="Resource has been exhausted."))
    assert (told.trouble, told.retry_after) == ("quota", None)
    assert Gemini().explain(429, {}, error_body()).trouble == "quota"
    assert Gemini().explain(429, {}, b"[" + error_body(wait) + b"]").retry_after == 39.5


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>no</html>",
        b"[]",
        b"5",
        b'{"error": 5}',
        b'{"error": {"details": [5, {"violations": 5}]}}',
    ],
)
def test_any_body_of_an_error_is_explained(body: bytes) -> None:
    assert Gemini().explain(429, {}, body).trouble == "limit"
    assert Gemini().explain(500, {}, body).trouble == "server"


def test_a_key_that_is_refused_and_a_window_that_is_full_are_told_apart() -> None:
    key = b'{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}'
    window = b'{"error": {"code": 400, "message": "input token count (9) exceeds the maximum"}}'
    assert Gemini().explain(400, {}, key).trouble == "key"
    assert Gemini().explain(400, {}, window).trouble == "window"
