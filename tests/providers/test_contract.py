"""One suite for the readers of all wire formats: cut, broken, doubled and hostile streams."""

import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.answer import Progress, TextAdded
from oneclaw.core.message import AssistantMessage
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.anthropic.stream import AnthropicReader
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import RETRIED, ProviderError, Reader, ServerEvent, Wire
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.one_answer import OneAnswer
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.stream import ResponsesReader
from oneclaw.providers.openai_responses.wire import OpenAIResponses
from oneclaw.providers.written import CUT
from oneclaw.testing import REQUEST, WIRES, fixture, fixtures

MAKERS: dict[str, type[Wire]] = {
    "anthropic": Anthropic,
    "gemini": Gemini,
    "openai_chat": OpenAIChat,
    "openai_responses": OpenAIResponses,
}
GUARDS: dict[str, tuple[type[Any], str]] = {
    "anthropic": (AnthropicReader, "_open_message"),
    "gemini": (OneAnswer, "check"),
    "openai_chat": (OneAnswer, "check"),
    "openai_responses": (ResponsesReader, "_open_answer"),
}
"""What refuses a second answer inside the first."""
STREAMS = [each.name for each in fixtures("gemini") if b"text/event-stream" in each.answer]
ALL = pytest.mark.parametrize("wire", WIRES)


def new_reader(wire: str) -> Reader:
    return MAKERS[wire]().reader(REQUEST)


def data_of(wire: str, name: str) -> list[str]:
    """The data of each event of a recorded stream."""
    lines = fixture(wire, name).answer.decode().splitlines()
    return [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]


def feed(reader: Reader, events: list[str]) -> list[Progress]:
    return [each for event in events for each in reader.feed(ServerEvent("", event))]


def open_part(wire: str, name: str) -> list[str]:
    """The events of a recorded stream before the one that completes the answer."""
    reader, taken = new_reader(wire), list[str]()
    for event in data_of(wire, name):
        feed(reader, [event])
        if reader.is_complete:
            break
        taken.append(event)
    return taken


@ALL
@pytest.mark.parametrize("name", ["parallel", "no_arguments", "thinking", "length"])
def test_until_its_end_an_answer_is_cut_and_none_of_its_calls_may_run(wire: str, name: str) -> None:
    reader, shown = new_reader(wire), ""
    for event in data_of(wire, name):
        shown += "".join(each.text for each in feed(reader, [event]) if isinstance(each, TextAdded))
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


@ALL
@pytest.mark.parametrize("garbage", ["{", "{broken", "<html>", '{"type": ', "\x00", "[" * 100_000])
def test_what_is_no_json_is_a_broken_stream_and_what_came_stays(wire: str, garbage: str) -> None:
    reader = new_reader(wire)
    feed(reader, data_of(wire, "cut"))
    with pytest.raises(ProviderError) as caught:
        feed(reader, [garbage])
    assert caught.value.trouble == "stream"
    assert reader.message().text == "Hel"
    assert not reader.is_complete


@ALL
@pytest.mark.parametrize("ids", ['"call_1"', '""', "null"])
def test_missing_and_double_ids_are_made_unique_and_stay(wire: str, ids: str) -> None:
    reader = new_reader(wire)
    events = [
        re.sub(r'"(call_id|id)":"(call|toolu)_1"', rf'"\1":{ids}', event)
        for event in data_of(wire, "repeated_ids")
    ]
    feed(reader, events)
    made = [call.id for call in reader.message().calls]
    assert all(made)
    assert len(set(made)) == 2
    assert ids != '"call_1"' or made == ["call_1", "call_1-2"]
    assert [call.id for call in reader.message().calls] == made


def renamed(event: str) -> str:
    """An event of another answer."""
    return re.sub(r'"(msg_1|resp_1|resp-1|chatcmpl-1)"', '"other-1"', event)


@ALL
def test_a_second_answer_inside_the_first_is_an_error_and_adds_no_call(wire: str) -> None:
    reader = new_reader(wire)
    feed(reader, open_part(wire, "parallel"))
    with pytest.raises(ProviderError, match="second answer inside the first") as caught:
        feed(reader, [renamed(event) for event in data_of(wire, "parallel")])
    assert caught.value.trouble in RETRIED
    assert [call.fault for call in reader.message().calls] == [CUT, CUT]


@pytest.mark.parametrize("wire", ["gemini", "openai_chat"])
def test_a_second_answer_may_begin_with_a_call(wire: str) -> None:
    """These formats have no event that begins an answer: the id of each event tells it."""
    reader = new_reader(wire)
    feed(reader, open_part(wire, "parallel"))
    call = next(event for event in data_of(wire, "parallel") if "read_file" in event)
    with pytest.raises(ProviderError, match="second answer inside the first"):
        feed(reader, [renamed(call)])
    assert len(reader.message().calls) == 2


@pytest.mark.parametrize("wire", ["anthropic", "openai_responses"])
def test_the_same_answer_from_its_beginning_is_a_second_one(wire: str) -> None:
    reader = new_reader(wire)
    feed(reader, open_part(wire, "parallel"))
    with pytest.raises(ProviderError, match="second answer inside the first"):
        feed(reader, data_of(wire, "parallel"))
    assert len(reader.message().calls) == 2


@ALL
def test_without_the_guard_two_calls_become_four(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""

    def pass_over(self: object, *given: object, **more: object) -> list[Progress]:
        return []

    monkeypatch.setattr(*GUARDS[wire], pass_over)
    reader = new_reader(wire)
    feed(reader, open_part(wire, "parallel"))
    again = [re.sub(r'"(call|fc|toolu)_(\d)"', r'"\1_9\2"', event) for event in data_of(wire, "parallel")]
    feed(reader, [renamed(event) for event in again])
    assert len(reader.message().calls) == 4


LEAVES = (
    st.none() | st.booleans() | st.integers(-5, 600) | st.floats() | st.sampled_from(["", "x", "{", "\ud800"])
)
ODD: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "id", "text", "index", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a document: the container and the key or index in it."""
    inner: list[tuple[Any, Any]] = []
    keys: list[Any] = list(value) if is_object(value) else list(range(len(value))) if is_array(value) else []
    for key in keys:
        inner += [(value, key), *places(value[key])]
    return inner


@ALL
@given(data=st.data())
def test_whatever_a_server_sends_only_a_provider_error_is_raised_and_nothing_is_lost(
    wire: str, data: st.DataObject
) -> None:
    """Recorded events with odd values in any place, left out, doubled and in any order."""
    recorded = data_of(wire, data.draw(st.sampled_from(STREAMS)))
    documents = [json.loads(event) for event in recorded if event.startswith("{")]
    order = data.draw(
        st.lists(st.integers(0, len(documents) - 1), max_size=12) | st.just(range(len(documents)))
    )
    maker = MAKERS[wire]()
    reader = maker.reader(REQUEST)
    kept = 0
    for number in order:
        document = json.loads(json.dumps(documents[number]))
        for container, key in data.draw(st.lists(st.sampled_from(places(document)), max_size=2)):
            container[key] = data.draw(ODD)
        with suppress(ProviderError):
            reader.feed(ServerEvent("", json.dumps(document)))
        message = reader.message()
        assert isinstance(message, AssistantMessage)
        assert len(message.calls) >= kept
        kept = len(message.calls)
        assert reader.message() == message
        assert len({call.id for call in message.calls}) == kept
        assert reader.is_complete or all(call.fault for call in message.calls)
    json.loads(maker.write(type(REQUEST)("m", [*REQUEST.messages, reader.message()], tools=REQUEST.tools)))


def test_the_suite_has_every_wire_format() -> None:
    assert set(MAKERS) == set(GUARDS) == set(WIRES)
    assert len(STREAMS) == 14
