"""Streams that are cut, broken, doubled or hostile, read by every wire format."""

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.formats.every import BY_WIRE
from tests.providers.formats.format import Call, Text, Thought
from tests.providers.wires import MAKERS, each_wire, feed, new_reader

from oneclaw.core.answer import AnswerProgress, TextAdded
from oneclaw.core.message import Usage
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.anthropic.stream import AnthropicReader
from oneclaw.providers.base import RETRIED, ProviderError, Wire
from oneclaw.providers.one_answer import OneAnswer
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.stream import ResponsesReader
from oneclaw.providers.written import CUT
from oneclaw.testing import REQUEST, WIRES, fixture, fixtures

GUARDS: dict[str, tuple[type[Any], str]] = {
    "anthropic": (AnthropicReader, "_open_message"),
    "gemini": (OneAnswer, "check"),
    "openai_chat": (OneAnswer, "check"),
    "openai_responses": (ResponsesReader, "_open_answer"),
}
"""What refuses a second answer inside the first."""
STREAMS = [each.name for each in fixtures("gemini") if b"text/event-stream" in each.answer]


def data_of(wire: str, name: str) -> list[str]:
    """The data of each event of a recorded stream."""
    lines = fixture(wire, name).answer.decode().splitlines()
    return [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]


def open_part(wire: str, name: str) -> list[str]:
    """The events of a recorded stream before the one that completes the answer."""
    reader, taken = new_reader(wire), list[str]()
    for event in data_of(wire, name):
        feed(reader, event)
        if reader.is_complete:
            break
        taken.append(event)
    return taken


@each_wire
@pytest.mark.parametrize("name", ["parallel", "no_arguments", "thinking", "length"])
def test_until_its_end_an_answer_is_cut_and_none_of_its_calls_may_run(wire: str, name: str) -> None:
    reader, shown = new_reader(wire), ""
    for event in data_of(wire, name):
        shown += "".join(each.text for each in feed(reader, event) if isinstance(each, TextAdded))
        message = reader.message()
        assert message.text == shown
        assert reader.message() == message
        if not reader.is_complete:
            assert message.finish == "cut"
            assert all(call.fault for call in message.calls)
    expected = fixture(wire, name).expected
    assert reader.is_complete
    assert reader.message().finish == expected.finish
    assert [bool(call.fault) for call in reader.message().calls] == [
        *[False] * len(expected.calls),
        *[True] * expected.faulted,
    ]


@each_wire
@pytest.mark.parametrize("garbage", ["{", "{broken", "<html>", '{"type": ', "\x00", "[" * 100_000])
def test_what_is_no_json_is_a_broken_stream_and_what_came_stays(wire: str, garbage: str) -> None:
    reader = new_reader(wire)
    feed(reader, *data_of(wire, "cut"))
    with pytest.raises(ProviderError) as caught:
        feed(reader, garbage)
    assert caught.value.trouble == "stream"
    assert reader.message().text == "Hel"
    assert not reader.is_complete


@each_wire
@pytest.mark.parametrize("ids", ['"call_1"', '""', "null"])
def test_missing_and_double_ids_are_made_unique_and_stay(wire: str, ids: str) -> None:
    reader = new_reader(wire)
    events = [
        re.sub(r'"(call_id|id)":"(call|toolu)_1"', rf'"\1":{ids}', event)
        for event in data_of(wire, "repeated_ids")
    ]
    feed(reader, *events)
    made = [call.id for call in reader.message().calls]
    assert all(made)
    assert len(set(made)) == 2
    assert ids != '"call_1"' or made == ["call_1", "call_1-2"]
    assert [call.id for call in reader.message().calls] == made


def renamed(event: str) -> str:
    """An event of another answer."""
    return re.sub(r'"(msg_1|resp_1|resp-1|chatcmpl-1)"', '"other-1"', event)


@each_wire
def test_a_second_answer_inside_the_first_is_an_error_and_adds_no_call(wire: str) -> None:
    reader = new_reader(wire)
    feed(reader, *open_part(wire, "parallel"))
    with pytest.raises(ProviderError, match="second answer inside the first") as caught:
        feed(reader, *[renamed(event) for event in data_of(wire, "parallel")])
    assert caught.value.trouble in RETRIED
    assert [call.fault for call in reader.message().calls] == [CUT, CUT]


@pytest.mark.parametrize("wire", ["gemini", "openai_chat"])
def test_a_second_answer_may_begin_with_a_call(wire: str) -> None:
    """These formats have no event that begins an answer: the id of each event tells it."""
    reader = new_reader(wire)
    feed(reader, *open_part(wire, "parallel"))
    call = next(event for event in data_of(wire, "parallel") if "read_file" in event)
    with pytest.raises(ProviderError, match="second answer inside the first"):
        feed(reader, renamed(call))
    assert len(reader.message().calls) == 2


@pytest.mark.parametrize("wire", ["anthropic", "openai_responses"])
def test_the_same_answer_from_its_beginning_is_a_second_one(wire: str) -> None:
    reader = new_reader(wire)
    feed(reader, *open_part(wire, "parallel"))
    with pytest.raises(ProviderError, match="second answer inside the first"):
        feed(reader, *data_of(wire, "parallel"))
    assert len(reader.message().calls) == 2


@each_wire
def test_without_the_guard_two_calls_become_four(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""

    def pass_over(self: object, *given: object, **more: object) -> list[AnswerProgress]:
        return []

    monkeypatch.setattr(*GUARDS[wire], pass_over)
    reader = new_reader(wire)
    feed(reader, *open_part(wire, "parallel"))
    again = [re.sub(r'"(call|fc|toolu)_(\d)"', r'"\1_9\2"', event) for event in data_of(wire, "parallel")]
    feed(reader, *[renamed(event) for event in again])
    assert len(reader.message().calls) == 4


# Hostile servers: recorded documents with anything in any place, in words that the format knows.

WORDS: dict[str, str] = {
    "anthropic": "redacted_thinking citations_delta server_tool_use compaction_delta citations citation"
    " stop_details explanation caller data refusal max_tokens",
    "gemini": "partialArgs jsonPath stringValue promptFeedback blockReason groundingMetadata groundingChunks"
    " inlineData executableCode code finishMessage $.a $.a[0] MALFORMED_FUNCTION_CALL SAFETY",
    "openai_chat": "reasoning reasoning_details function_call x_groq extra_content thinking object refusal"
    " length error <tool_call>",
    "openai_responses": "custom_tool_call web_search_call compaction action part summary_index output_text"
    " response.content_part.done response.reasoning_summary_part.done response.output_text.done"
    " response.refusal.delta response.reasoning_text.delta response.failed response.incomplete incomplete",
}
"""Words beside those of the recordings."""
FIELDS = {
    "anthropic": "messages",
    "gemini": "contents",
    "openai_chat": "messages",
    "openai_responses": "input",
}


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a document: the container and the key or index in it."""
    inner: list[tuple[Any, Any]] = []
    keys: list[Any] = list(value) if is_object(value) else list(range(len(value))) if is_array(value) else []
    for key in keys:
        inner += [(value, key), *places(value[key])]
    return inner


@cache
def documents_of(wire: str) -> list[list[Any]]:
    """The documents of every recorded stream."""
    return [[json.loads(each) for each in data_of(wire, name) if each.startswith("{")] for name in STREAMS]


@cache
def odd_values(wire: str) -> st.SearchStrategy[Any]:
    """Any JSON, its keys and texts mostly words of the format."""
    found = [place for documents in documents_of(wire) for each in documents for place in places(each)]
    words = {key for _, key in found if isinstance(key, str)}
    words |= {text for holder, key in found if isinstance(text := holder[key], str) and len(text) < 40}
    word = st.sampled_from(["", "x", "{", "\ud800", *sorted(words), *WORDS[wire].split()])
    leaves = st.none() | st.booleans() | st.integers(-5, 600) | st.floats() | word
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=4),
        max_leaves=10,
    )


def spoiled(document: Any, data: st.DataObject, wire: str) -> Any:
    """A document with odd values in some of its places, or another one altogether."""
    document = json.loads(json.dumps(document))
    for container, key in data.draw(st.lists(st.sampled_from(places(document)), max_size=3)):
        container[key] = data.draw(odd_values(wire))
    return data.draw(st.just(document) | odd_values(wire))


MAKES: list[tuple[str, Wire]] = [*((wire, MAKERS[wire]()) for wire in WIRES)]
MAKES.append(("openai_chat", OpenAIChat(text_calls=True)))
each_make = pytest.mark.parametrize(("wire", "made"), MAKES, ids=[*WIRES, "text_calls"])


@each_make
@given(data=st.data())
def test_whatever_a_server_sends_only_a_provider_error_is_raised_and_nothing_is_lost(
    wire: str, made: Wire, data: st.DataObject
) -> None:
    reader = made.reader(REQUEST)
    begun = data.draw(st.booleans())
    if begun:
        feed(reader, *BY_WIRE[wire].stream([Text("first"), Call("read_file", {}, "one")], Usage())[0])
    documents = data.draw(st.sampled_from(documents_of(wire)))
    some = st.lists(st.integers(0, len(documents) - 1), max_size=12)
    shown, before = reader.message().text, reader.message()
    for number in data.draw(some | st.just(range(len(documents)))):
        try:
            progress = feed(reader, spoiled(documents[number], data, wire))
            shown += "".join(each.text for each in progress if isinstance(each, TextAdded))
        except ProviderError:
            shown = reader.message().text
        message = reader.message()
        assert reader.message() == message
        assert len(message.calls) >= len(before.calls)
        assert len({call.id for call in message.calls}) == len(message.calls)
        assert reader.is_complete or (message.finish == "cut" and all(call.fault for call in message.calls))
        if wire != "openai_responses":  # there the end of a text may say it in other words
            assert message.text.startswith(shown)
        before = message
    assert not begun or "one" in [call.id for call in before.calls]
    sent = json.loads(made.write(replace(REQUEST, messages=[*REQUEST.messages, before])))
    items = sent[FIELDS[wire]]
    assert wire == "openai_responses" or all(
        each.get("content", 1) and each.get("parts", 1) for each in items
    )


@each_wire
@given(data=st.data())
def test_whatever_a_whole_body_is_it_is_read_or_refused(wire: str, data: st.DataObject) -> None:
    parts = [Thought("Hm.", "c2ln"), Text("Hi."), Call("read_file", {"path": "a"}, "one")]
    reader = new_reader(wire)
    body = spoiled(BY_WIRE[wire].body(parts, Usage(9, 4)), data, wire)
    try:
        reader.take(body if is_object(body) else {"content": body, "choices": body, "output": body})
    except ProviderError:
        assert not reader.is_complete
    assert reader.message() == reader.message()


def test_the_suite_has_every_wire_format() -> None:
    assert set(MAKERS) == set(GUARDS) == set(WIRES)
    assert len(STREAMS) == 14
