"""Gemini answers, as they are read."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.answer import ArgumentsAdded, CallBegun, Progress, TextAdded, ThoughtAdded
from oneclaw.core.message import AssistantMessage, CallPart, ForeignPart, TextPart, ThoughtPart, Usage
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import RETRIED, ProviderError, Request, ServerEvent
from oneclaw.providers.gemini import stream as gemini_stream
from oneclaw.providers.gemini.stream import GeminiReader
from oneclaw.providers.gemini.wire import Gemini

TOOLS = (ToolDefinition(name="find"), ToolDefinition(name="clock"))


def reader() -> GeminiReader:
    return Gemini().reader(Request("gemini-2.5-pro", [], tools=TOOLS))


def chunk(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


def feed(read: GeminiReader, *chunks: Any) -> list[Progress]:
    return [progress for each in chunks for progress in read.feed(ServerEvent("", json.dumps(each)))]


def read_all(*chunks: Any) -> AssistantMessage:
    read = reader()
    feed(read, *chunks)
    return read.message()


def call(name: str = "find", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, **more}}


STOP = chunk(finishReason="STOP")


def test_text_thought_and_calls_come_in_order() -> None:
    read = reader()
    progress = feed(
        read,
        chunk({"text": "hm ", "thought": True}),
        chunk({"text": "yes", "thought": True}, {"text": "So"}),
        chunk({"text": " be it."}, call(id="a", args={"q": 1}), {"text": "and"}, call("clock", id="b")),
        STOP,
    )
    message = read.message()
    assert [type(part) for part in message.parts] == [ThoughtPart, TextPart, CallPart, TextPart, CallPart]
    assert message.text == "So be it.and"
    assert message.parts[0] == ThoughtPart("hm yes")
    assert [(each.name, each.arguments, each.id) for each in message.calls] == [
        ("find", {"q": 1}, "a"),
        ("clock", {}, "b"),
    ]
    assert (message.finish, message.wire) == ("calls", "gemini")
    assert progress == [
        *(ThoughtAdded("hm "), ThoughtAdded("yes"), TextAdded("So"), TextAdded(" be it.")),
        *(CallBegun(0, "find"), ArgumentsAdded(0, '{"q":1}'), TextAdded("and")),
        *(CallBegun(1, "clock"), ArgumentsAdded(1, "{}")),
    ]


def test_calls_without_an_id_get_one_that_stays_and_is_unique() -> None:
    read = reader()
    feed(read, chunk(call(), call(id=""), call(id=5), call(id="x"), call(id="x")), STOP)
    ids = [each.id for each in read.message().calls]
    assert len(set(ids)) == 5
    assert ids[3] == "x"
    assert ids == [each.id for each in read.message().calls]
    assert not set(ids) & {each.id for each in read_all(chunk(call(), call()), STOP).calls}


def test_signatures_keep_their_parts_apart() -> None:
    message = read_all(
        chunk({"text": "a"}),
        chunk({"text": "b", "thoughtSignature": "one"}),
        chunk({"text": "c"}),
        chunk({"text": "d"}),
        chunk({"text": "", "thoughtSignature": "two"}),
        chunk({"thoughtSignature": "three"}),
        chunk({"text": "t", "thought": True, "thoughtSignature": "four"}),
        chunk({**call(id="a"), "thoughtSignature": "five"}),
        STOP,
    )
    assert message.parts[:6] == (
        TextPart("a"),
        TextPart("b", {"thoughtSignature": "one"}),
        TextPart("cd"),
        TextPart("", {"thoughtSignature": "two"}),
        TextPart("", {"thoughtSignature": "three"}),
        ThoughtPart("t", {"thoughtSignature": "four"}),
    )
    assert message.parts[6].echo == {"thoughtSignature": "five"}


def test_an_empty_text_without_a_signature_is_no_part() -> None:
    assert read_all(chunk({"text": ""}), STOP).parts == ()


def test_arguments_in_pieces_are_put_together_and_shown_as_they_come() -> None:
    read = reader()
    progress = feed(
        read,
        chunk({"functionCall": {"name": "find", "willContinue": True}, "thoughtSignature": "sig"}),
        *(
            chunk({"functionCall": {"partialArgs": [piece], "willContinue": True}})
            for piece in (
                {"jsonPath": "$.a.names[0]", "stringValue": "Bo", "willContinue": True},
                {"jsonPath": "$.a.names[0]", "stringValue": 'st"on'},
                {"jsonPath": "$.a.names[1]", "stringValue": ""},
                {"jsonPath": "$.a.count", "numberValue": 2},
                {"jsonPath": "$.flag", "boolValue": False},
                {"jsonPath": "$.none", "nullValue": None},
            )
        ),
    )
    assert [each.fault for each in read.message().calls] != [""]
    progress += feed(read, chunk({"functionCall": {}}), chunk(call("clock")), STOP)
    message = read.message()
    expected = {"a": {"names": ['Bost"on', ""], "count": 2}, "flag": False, "none": None}
    assert [(each.name, each.arguments, each.fault) for each in message.calls] == [
        ("find", expected, ""),
        ("clock", {}, ""),
    ]
    assert message.parts[0].echo == {"thoughtSignature": "sig"}
    shown = "".join(each.text for each in progress if isinstance(each, ArgumentsAdded) and each.index == 0)
    assert json.loads(shown) == expected
    assert sum(isinstance(each, CallBegun) for each in progress) == 2


def test_pieces_of_calls_with_ids_may_alternate() -> None:
    def piece(call_id: str, text: str, **more: Any) -> dict[str, Any]:
        parts = [{"jsonPath": "$.q", "stringValue": text, "willContinue": True}]
        return chunk({"functionCall": {"id": call_id, "partialArgs": parts, **more}})

    message = read_all(
        chunk(call(id="a", willContinue=True)),
        chunk(call("clock", id="b", willContinue=True)),
        piece("a", "1", willContinue=True),
        piece("b", "2", willContinue=True),
        piece("a", "1"),
        piece("b", "2"),
        STOP,
    )
    assert [(each.id, each.arguments, each.fault) for each in message.calls] == [
        ("a", {"q": "11"}, ""),
        ("b", {"q": "22"}, ""),
    ]


def test_a_call_left_open_must_not_run_though_the_answer_ended() -> None:
    message = read_all(chunk(call(id="a", willContinue=True)), chunk(call(id="b")), STOP)
    assert [bool(each.fault) for each in message.calls] == [True, False]


def test_pieces_that_do_not_fit_fault_the_call() -> None:
    pieces = [{"jsonPath": "$.list[7]", "stringValue": "x"}]
    message = read_all(chunk(call(partialArgs=pieces), call()), STOP)
    assert "do not fit" in message.calls[0].fault
    assert not message.calls[1].fault


@pytest.mark.parametrize(
    ("args", "read"), [(None, {}), ({}, {}), ('{"q": 1}', '{"q": 1}'), ([1], "[1]"), (5, "5"), (True, "true")]
)
def test_arguments_of_any_type_reach_the_engine(args: Any, read: Any) -> None:
    assert read_all(chunk(call(args=args)), STOP).calls[0].arguments == read


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        *(
            (reason, "refusal")
            for reason in ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
        ),
        *((reason, "stop") for reason in ("OTHER", "TOO_MANY_TOOL_CALLS", "UNEXPECTED_TOOL_CALL", "NEW_ONE")),
    ],
)
def test_every_finish_reason_is_known(reason: str, finish: str) -> None:
    read = reader()
    feed(read, chunk({"text": "So far"}, finishReason=reason))
    assert read.is_complete
    assert read.message().finish == finish
    assert read.message().text.startswith("So far")


@pytest.mark.parametrize(
    "reason", ["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "OTHER", "UNEXPECTED_TOOL_CALL"]
)
def test_an_end_without_an_answer_is_asked_again(reason: str) -> None:
    read = reader()
    with pytest.raises(ProviderError) as caught:
        feed(read, chunk({"text": "hm", "thought": True}, finishReason=reason, finishMessage="print(x"))
    assert caught.value.trouble in RETRIED
    assert reason in str(caught.value)
    assert "print(x" in str(caught.value)
    assert not read.is_complete
    assert read.message().parts == (ThoughtPart("hm"),)


def test_a_malformed_call_is_asked_again_though_text_came() -> None:
    with pytest.raises(ProviderError):
        read_all(chunk({"text": "I call"}, finishReason="MALFORMED_FUNCTION_CALL"))


def test_calls_of_an_answer_cut_by_its_length_run_only_when_they_are_whole() -> None:
    open_call = {"functionCall": {"name": "find", "willContinue": True}}
    message = read_all(chunk(call(id="a", args={"q": 1}), open_call, finishReason="MAX_TOKENS"))
    assert message.finish == "length"
    assert [bool(each.fault) for each in message.calls] == [False, True]


def test_a_refused_request_is_a_refusal_with_a_sentence() -> None:
    read = reader()
    progress = feed(read, {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No weapons."}})
    message = read.message()
    assert read.is_complete
    assert message.finish == "refusal"
    assert message.text == "The provider's filter refused the request (SAFETY). No weapons."
    assert progress == [TextAdded(message.text)]


def test_a_call_of_an_answer_the_filter_stopped_does_not_run() -> None:
    message = read_all(chunk(call(), finishReason="SAFETY"))
    assert message.finish == "refusal"
    assert "filter" in message.calls[0].fault
    assert message.text


def test_usage_is_counted_wherever_it_comes() -> None:
    counts = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "toolUsePromptTokenCount": 7,
        "candidatesTokenCount": 10,
        "thoughtsTokenCount": 5,
        "totalTokenCount": 122,
    }
    usage = Usage(input=107, output=15, cached=60, reasoning=5)
    first = {"usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 1}}
    assert read_all(first, {"usageMetadata": counts}, chunk({"text": "x"}), STOP).usage == usage
    late = read_all(
        chunk({"text": "x"}), STOP, {"usageMetadata": counts}, {"usageMetadata": {"trafficType": "X"}}
    )
    assert (late.usage, late.finish) == (usage, "stop")
    odd = {"promptTokenCount": "9", "candidatesTokenCount": -1, "thoughtsTokenCount": None}
    assert read_all({"usageMetadata": odd}, STOP).usage == Usage()


def test_a_finish_reason_counts_though_chunks_follow_without_one() -> None:
    read = reader()
    feed(
        read,
        chunk({"text": "x"}, finishReason="STOP"),
        chunk({"text": ""}, finishReason=""),
        {"responseId": "r"},
    )
    assert read.is_complete
    assert read.message().finish == "stop"


def test_only_the_first_candidate_is_read() -> None:
    second = {"index": 1, "content": {"parts": [{"text": "other"}]}, "finishReason": "SAFETY"}
    first = {"index": 0, "content": {"parts": [{"text": "mine"}]}, "finishReason": "STOP"}
    message = read_all({"candidates": [second]}, {"candidates": [second, first]})
    assert (message.text, message.finish) == ("mine", "stop")


def test_parts_we_do_not_know_are_kept_as_they_came() -> None:
    parts = [
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "s"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"toolCall": {"id": "t", "toolType": "FILE_SEARCH"}},
        {"brandNew": 5},
    ]
    message = read_all(chunk(*parts, {"text": "x"}), STOP)
    foreign = [part for part in message.parts if isinstance(part, ForeignPart)]
    assert [part.echo["part"] for part in foreign] == parts
    assert [part.text for part in foreign] == ["print(1)", "1\n", "[image/png]", "[toolCall]", "[brandNew]"]


def test_what_is_about_an_answer_is_kept_with_its_sources_named() -> None:
    grounding = {
        "groundingChunks": [{"web": {"title": "Weather", "uri": "https://w.example"}}, 5, {"web": 5}]
    }
    message = read_all(chunk({"text": "x"}, groundingMetadata=grounding, finishReason="STOP"))
    last = message.parts[-1]
    assert last == ForeignPart(
        {"about": {"groundingMetadata": grounding}}, "Sources: Weather https://w.example"
    )
    assert read_all(chunk({"text": "x"}, groundingMetadata={}, finishReason="STOP")).parts == (TextPart("x"),)


def test_a_whole_answer_and_a_list_of_answers_are_read_like_a_stream() -> None:
    chunks = [chunk({"text": "a"}), chunk({"text": "b"}, call(id="x"), finishReason="STOP")]
    streamed = read_all(*chunks)
    listed, in_one_event = reader(), reader()
    listed.take(chunks)
    in_one_event.feed(ServerEvent("", json.dumps(chunks)))
    assert listed.message() == in_one_event.message() == streamed
    whole = reader()
    whole.take(chunk({"text": "ab"}, call(id="x"), finishReason="STOP"))
    assert whole.message() == streamed


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        ({"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}, "overload"),
        ({"code": 429, "message": "Slow.", "status": "RESOURCE_EXHAUSTED"}, "limit"),
        ({"status": "UNAVAILABLE"}, "overload"),
        ({"code": "x", "message": 5}, "server"),
        ("broken", "server"),
        ([1], "server"),
    ],
)
def test_an_error_inside_a_stream_is_raised_and_what_came_stays(error: Any, trouble: str) -> None:
    read = reader()
    feed(read, chunk({"text": "so far"}))
    with pytest.raises(ProviderError) as caught:
        feed(read, {"error": error})
    assert caught.value.trouble == trouble
    assert read.message().text == "so far"
    assert not read.is_complete


@pytest.mark.parametrize("data", ["{", "<html>", '{"candidates": ', "\x00", '{"a": ' + "9" * 5000 + "}"])
def test_a_chunk_that_is_no_json_is_an_error(data: str) -> None:
    read = reader()
    feed(read, chunk({"text": "so far"}))
    with pytest.raises(ProviderError) as caught:
        read.feed(ServerEvent("", data))
    assert caught.value.trouble == "stream"
    assert read.message().text == "so far"


@pytest.mark.parametrize("data", ["", "  ", "[DONE]", "null", "5", '"text"', "[]", "[null, 5]", "{}"])
def test_an_event_without_a_chunk_is_passed_over(data: str) -> None:
    read = reader()
    assert read.feed(ServerEvent("ping", data)) == []
    assert read.message().parts == ()


def nested(levels: int) -> str:
    return json.dumps(chunk(call(args={"q": "DEEP"}))).replace('"DEEP"', "[" * levels + "]" * levels)


def test_what_is_nested_too_deep_is_refused_before_it_is_kept() -> None:
    read = reader()
    read.feed(ServerEvent("", nested(100)))
    for levels in (400, 100_000):
        with pytest.raises(ProviderError):
            read.feed(ServerEvent("", nested(levels)))
    with pytest.raises(ProviderError):
        read.take(json.loads(nested(400)))
    assert len(read.message().calls) == 1


def test_without_the_bound_a_deep_answer_would_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def allow(value: object) -> None:
        del value

    monkeypatch.setattr(gemini_stream, "_check_depth", allow)
    read = reader()
    read.feed(ServerEvent("", nested(400)))
    assert len(read.message().calls) == 1


KEYS = st.sampled_from(
    [
        *("candidates", "content", "parts", "text", "thought", "thoughtSignature", "functionCall", "name"),
        *("args", "partialArgs", "jsonPath", "stringValue", "willContinue", "id", "index", "finishReason"),
        *("usageMetadata", "promptTokenCount", "promptFeedback", "blockReason", "error", "groundingMetadata"),
        *("groundingChunks", "inlineData", "executableCode", "code", "finishMessage", "message", "status"),
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-5, 600)
    | st.floats(allow_nan=True)
    | st.sampled_from(["", "STOP", "SAFETY", "x", "$.a", "$.a[0]", "\ud800"])
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
PARTS = st.lists(st.dictionaries(KEYS, ANYTHING, max_size=4), max_size=4)
CHUNKS = (
    ANYTHING
    | PARTS.map(lambda parts: chunk(*parts))
    | PARTS.map(lambda parts: chunk(*parts, finishReason="STOP"))
)


@given(st.lists(CHUNKS, max_size=6))
def test_nothing_but_provider_errors_comes_of_hostile_chunks(chunks: list[Any]) -> None:
    read = reader()
    feed(read, chunk({"text": "first"}, call(id="one")))
    for each in chunks:
        with suppress(ProviderError):
            feed(read, each)
        message = read.message()
        assert message.text.startswith("first")
        assert message.calls[0].id == "one"
        assert len({made.id for made in message.calls}) == len(message.calls)
        assert read.is_complete or all(made.fault for made in message.calls)
        # Whatever came goes back as something that can be sent.
        sent = json.loads(Gemini().write(Request("gemini-3", [message], tools=TOOLS)))
        assert [content["role"] for content in sent["contents"]] == ["user", "model"]


def test_a_long_text_in_many_chunks_is_one_part() -> None:
    read = reader()
    feed(read, *[chunk({"text": "x"})] * 20_000)
    assert read.message().parts == (TextPart("x" * 20_000),)
