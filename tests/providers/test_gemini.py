"""Gemini requests, as they are written."""

import json
from base64 import b64encode
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
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request
from oneclaw.providers.gemini import wire as gemini_module
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


def test_schemas_are_sent_in_the_older_form_where_asked() -> None:
    body = body_of(Request("gemini-2.5-pro", [HELLO], tools=TOOLS), use_parameters=True)
    clock, find = body["tools"][0]["functionDeclarations"]
    assert "parameters" not in clock
    assert find["parameters"]["type"] == "OBJECT"
    assert "parametersJsonSchema" not in find


def test_what_the_owner_says_of_tools_is_kept_where_they_are_forbidden() -> None:
    options = {"toolConfig": {"a": 1}}
    body = body_of(Request("gemini-2.5-pro", [HELLO], tools=TOOLS, can_call=False, options=options))
    assert body["toolConfig"] == {"a": 1, "functionCallingConfig": {"mode": "NONE"}}


def test_options_go_where_gemini_has_them() -> None:
    options: dict[str, Any] = {
        "temperature": 0.2,
        "top_p": 0.9,
        "maxOutputTokens": 7,
        "safetySettings": [],
        "thinking_config": {"includeThoughts": True},
        "generationConfig": {"seed": 3},
    }
    body = body_of(Request("gemini-2.5-pro", [HELLO], most_tokens=500, options=options))
    assert body["generationConfig"] == {
        "maxOutputTokens": 7,
        "temperature": 0.2,
        "topP": 0.9,
        "thinkingConfig": {"includeThoughts": True},
        "seed": 3,
    }
    assert body.keys() == {"generationConfig", "safetySettings", "contents"}


def test_a_user_who_says_nothing_says_so() -> None:
    assert contents_of(UserMessage("", (PNG,)))[0]["parts"] == [PNG_PART]
    assert contents_of(UserMessage(""))[0]["parts"] == [{"text": "(empty message)"}]


def test_a_picture_of_a_type_that_is_not_taken_is_named() -> None:
    said = contents_of(UserMessage("look", (Image(b"GIF89a", "image/gif"),)))[0]["parts"][1]
    assert "image/gif was left out" in said["text"]
    jpg = contents_of(UserMessage("", (Image(b"x", "image/jpg"),)))[0]["parts"][0]
    assert jpg["inlineData"]["mimeType"] == "image/jpeg"


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
