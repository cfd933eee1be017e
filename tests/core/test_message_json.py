"""A message as JSON and back."""

import json
import math
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    Usage,
    UserMessage,
)
from oneclaw.core.message_json import from_json, to_json
from oneclaw.core.oddity import mark, unmark

TEXT = st.text(st.characters())  # all of Unicode with lone surrogates


def is_kept(text: str) -> bool:
    """Two halves of a pair side by side are one character in JSON; every other text comes back."""
    return text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


SAFE = TEXT.filter(is_kept)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False))
PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, SAFE),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(SAFE, st.just("$")), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.one_of(SAFE, st.sampled_from(["$", "odd", "type"])), PLAIN, max_size=3)
ECHOES = st.one_of(st.none(), OBJECTS)
IMAGES = st.lists(st.builds(Image, st.binary(max_size=20), SAFE), max_size=2).map(tuple)
CALLS = st.builds(ToolCall, SAFE, st.one_of(OBJECTS, SAFE, st.binary(max_size=20)), SAFE, SAFE)
RESULTS = st.builds(
    ToolResult,
    SAFE,
    SAFE,
    PLAIN,
    st.one_of(st.none(), st.sampled_from(Kind)),
    SAFE,
    st.floats(0, 1e6),
    st.sampled_from(["none", "done", "possible", "unknown"]),
    st.lists(SAFE, max_size=2).map(tuple),
    st.one_of(st.none(), st.integers(0, 10**9)),
    IMAGES,
    st.one_of(st.none(), OBJECTS),
)
PARTS = st.one_of(
    st.builds(TextPart, SAFE, ECHOES),
    st.builds(ThoughtPart, SAFE, ECHOES),
    st.builds(CallPart, CALLS, ECHOES),
    st.builds(ForeignPart, OBJECTS, SAFE),
)
COUNTS = st.integers(0, 10**12)
MESSAGES = st.one_of(
    st.builds(UserMessage, SAFE, IMAGES, st.sampled_from(["user", "summary", "guard"])),
    st.builds(
        AssistantMessage,
        st.lists(PARTS, max_size=4).map(tuple),
        st.sampled_from(["stop", "calls", "length", "refusal", "cut", "stopped"]),
        SAFE,
        SAFE,
        st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS),
    ),
    st.builds(ResultsMessage, st.lists(RESULTS, max_size=3).map(tuple)),
)


@given(MESSAGES)
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    text = to_json(message)
    text.encode()  # UTF-8 can hold it
    assert "\0" not in text
    assert from_json(text) == message


@given(st.one_of(PLAIN, OBJECTS))
def test_what_is_marked_comes_back(value: Any) -> None:
    marked = mark(value)
    json.dumps(marked, allow_nan=False)
    assert unmark(marked) == value


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_numbers_that_are_none_come_back(number: float) -> None:
    message = ResultsMessage((ToolResult("1", "t", {"a": [number]}),))
    text = to_json(message)
    json.loads(text, parse_constant=pytest.fail)  # strict JSON all the same
    back = from_json(text)
    assert isinstance(back, ResultsMessage)
    assert repr(back.results[0].value["a"][0]) == repr(number)


def test_integers_that_python_does_not_print_come_back() -> None:
    message = ResultsMessage((ToolResult("1", "t", [10**5000, -(7**9000), {"$": 2**63}]),))
    assert from_json(to_json(message)) == message


def test_bytes_in_a_value_come_back() -> None:
    message = ResultsMessage((ToolResult("1", "t", {"a": b"\xff\0"}),))
    assert from_json(to_json(message)) == message


def test_a_mapping_that_is_no_dict_is_kept_as_one() -> None:
    arguments = MappingProxyType({"a": MappingProxyType({"b": 1})})
    back = from_json(to_json(AssistantMessage((CallPart(ToolCall("t", arguments, "1")),))))
    assert isinstance(back, AssistantMessage)
    assert back.calls[0].arguments == {"a": {"b": 1}}


def test_two_halves_side_by_side_become_their_character() -> None:
    assert from_json(to_json(UserMessage("\ud83d\ude00"))) == UserMessage("\U0001f600")
    assert from_json(to_json(UserMessage("\ude00\ud83d"))) == UserMessage("\ude00\ud83d")


class Stubborn:
    def __str__(self) -> str:
        raise RuntimeError


def circle() -> list[Any]:
    made: list[Any] = []
    made.extend([made, made])
    return made


def tower() -> list[Any]:
    made: list[Any] = []
    for _ in range(5000):
        made = [made]
    return made


@pytest.mark.parametrize("value", [object(), Stubborn(), circle(), tower(), {1: 2, None: 3}, {("a",): 1}])
def test_nothing_keeps_a_message_from_being_written(value: Any) -> None:
    message = ResultsMessage((ToolResult("1", "t", value), ToolResult("2", "t", "kept")))
    back = from_json(to_json(message))
    assert isinstance(back, ResultsMessage)
    assert back.results[1] == message.results[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "{}",
        '{"role":"robot"}',
        '{"role":"user"}',
        '{"role":"user","text":7}',
        '{"role":"assistant","parts":[{"type":"call","id":"1","name":"t"}]}',
        '{"role":"assistant","parts":[{"type":"call","id":"1","name":"t","arguments":[]}]}',
        '{"role":"assistant","parts":null}',
        '{"role":"results","results":[{}]}',
        '{"role":"user","text":"x","images":[{"type":"image/png","data":"*"}]}',
        '{"role":"user","text":"x","odd":true,"a":{"$":"what","value":1}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_message_is_refused_in_one_way(text: str) -> None:
    with pytest.raises(ValueError, match="no message of ours"):
        from_json(text)


def test_a_part_of_a_newer_version_is_told_and_the_rest_is_read() -> None:
    document: dict[str, Any] = {
        "role": "assistant",
        "parts": [
            {"type": "hologram", "data": 1},
            {"type": "call", "id": "1", "name": "t", "arguments": {}},
        ],
        "finish": "tired",
    }
    back = from_json(json.dumps(document))
    assert isinstance(back, AssistantMessage)
    assert "'hologram'" in back.text
    assert [call.id for call in back.calls] == ["1"]
    assert back.finish == "stop"


def test_an_error_of_a_newer_kind_stays_an_error() -> None:
    document = {"role": "results", "results": [{"id": "1", "tool": "t", "kind": "hex", "effects": "odd"}]}
    back = from_json(json.dumps(document))
    assert isinstance(back, ResultsMessage)
    assert not back.results[0].ok
    assert back.results[0].effects == "unknown"
