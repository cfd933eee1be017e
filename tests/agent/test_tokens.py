"""Tokens: a guess that is near and rather too high, for every kind of message."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.agent.tokens import (
    IMAGE_TOKENS,
    TOOLS_TOKENS,
    estimate,
    estimate_text,
    estimate_tools,
)
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

PICTURE = Image(b"x" * 1_000_000, "image/png")


@pytest.mark.parametrize(
    ("text", "chars"),
    [
        ("The quick brown fox jumps over the lazy dog. ", 3.3),
        ("Der schnelle braune Fuchs springt über den faulen Hund. ", 3.1),
        ("Быстрая коричневая лиса прыгает через ленивую собаку. ", 1.5),
        ("敏捷的棕色狐狸跳过了懒狗。", 0.83),
        ("👩‍🚀🚀", 0.65),
        ("2f8a9c1b4d6e7f80", 2.0),
    ],
)
def test_how_many_characters_make_a_token_depends_on_the_writing(text: str, chars: float) -> None:
    assert len(text) * 100 / estimate_text(text * 100) == pytest.approx(chars, rel=0.05)


def test_what_has_no_words_takes_more_tokens_than_what_has() -> None:
    assert estimate_text("abcdefghi " * 100) < estimate_text("abcdefghij" * 100)


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens_than_its_words_alone(one: str, other: str) -> None:
    assert estimate_text(one) >= 1
    assert estimate_text(one + " " + other + " ") * 2 >= estimate_text(one) + estimate_text(other) - 2


def test_halves_of_characters_are_counted_and_not_raised() -> None:
    assert estimate_text("\ud800" * 100) > 30


def answer(*parts: Any) -> AssistantMessage:
    return AssistantMessage(parts)


@pytest.mark.parametrize(
    ("less", "more", "by"),
    [
        (UserMessage("a"), UserMessage("a", (PICTURE, PICTURE)), 2 * IMAGE_TOKENS),
        (answer(TextPart("a")), answer(TextPart("a " * 3_300)), 1_999),
        (answer(), answer(CallPart(ToolCall("t", {"text": "a " * 3_300}))), 2_000),
        (answer(), answer(CallPart(ToolCall("t", '{"text": "' + "a " * 3_300 + '"}'))), 2_000),
        (answer(), answer(CallPart(ToolCall("t", b"a " * 3_300))), 2_000),
        (answer(), answer(ForeignPart({"found": "a " * 3_300})), 2_000),
        (answer(), answer(ThoughtPart("a " * 3_300, {"signature": "s" * 800})), 2_100),
        (ResultsMessage(()), ResultsMessage((ToolResult("c", "t", "a " * 3_300),)), 2_000),
        (ResultsMessage(()), ResultsMessage((ToolResult("c", "t", images=(PICTURE,)),)), IMAGE_TOKENS),
        (ResultsMessage(()), ResultsMessage((ToolResult("c", "t", repairs=("a " * 3_300,)),)), 2_000),
    ],
)
def test_each_part_that_is_sent_is_counted(less: Message, more: Message, by: int) -> None:
    assert by <= estimate(more) - estimate(less) <= by * 1.1


def test_a_thought_that_does_not_go_back_takes_nothing() -> None:
    assert estimate(answer(ThoughtPart("hm " * 1_000))) == estimate(answer())


def test_arguments_that_cannot_be_written_are_counted_all_the_same() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    assert estimate(answer(CallPart(ToolCall("t", {"a": deep})))) > 30


def test_definitions_count_with_all_that_is_sent_of_them() -> None:
    plain = ToolDefinition(name="t")
    told = ToolDefinition(name="t", description="a " * 3_300)
    shaped = ToolDefinition(name="t", parameters={"type": "object", "description": "a " * 3_300})
    assert estimate_tools([]) == 0
    assert estimate_tools([plain]) > TOOLS_TOKENS
    assert 1_990 <= estimate_tools([told]) - estimate_tools([plain]) <= 2_010
    assert 1_990 <= estimate_tools([shaped]) - estimate_tools([plain]) <= 2_010
