"""Gemini answers, as they are read."""

import json
from typing import Any

import pytest
from tests.providers.wires import feed

from oneclaw.core.answer import ArgumentsAdded, CallBegun, TextAdded
from oneclaw.core.message import AssistantMessage, ForeignPart, TextPart, ThoughtPart
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


def read_all(*chunks: Any) -> AssistantMessage:
    read = reader()
    feed(read, *chunks)
    return read.message()


def call(name: str = "find", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, **more}}


STOP = chunk(finishReason="STOP")


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


def test_arguments_in_pieces_are_put_together_and_shown_whole() -> None:
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


def test_a_refused_request_is_a_refusal_with_a_sentence() -> None:
    read = reader()
    progress = feed(read, {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No weapons."}})
    message = read.message()
    assert read.is_complete
    assert message.finish == "refusal"
    assert message.text == "The provider's filter refused the request (SAFETY). No weapons."
    assert progress == [TextAdded(message.text)]


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
