"""The recorded answers are what the official SDKs read, and our own providers make of them what they must."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter, ValidationError

from oneclaw.testing import WIRES, Fixture, check_wire, fixture, fixtures, open_provider, sent_request

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the SDK has an escape sequence that Python warns of
    from google.genai import types

JUDGES: dict[str, TypeAdapter[Any]] = {
    "anthropic": TypeAdapter(RawMessageStreamEvent),
    "gemini": TypeAdapter(types.GenerateContentResponse),
    "openai_chat": TypeAdapter(ChatCompletionChunk),
    "openai_responses": TypeAdapter(ResponseStreamEvent),
}
RECORDED = [each for wire in WIRES for each in fixtures(wire)]


def events(recorded: Fixture) -> Iterator[Any]:
    """The documents of a recorded stream."""
    for line in recorded.answer.decode().splitlines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def has_type(event: Any) -> bool:
    """Whether the SDKs have a type for an event: they have none for errors and pings."""
    return event.get("type") not in ("error", "ping") and ("error" not in event or "response" in event)


@pytest.mark.parametrize("wire", WIRES)
async def test_our_own_provider_of_each_wire_format_holds_the_contract(wire: str) -> None:
    report = await check_wire(wire, lambda url, key: open_provider(wire, url, key))
    assert len(report.checks) == 30
    assert not report.problems


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: f"{each.wire}-{each.name}")
def test_the_official_types_take_every_recorded_event(recorded: Fixture) -> None:
    judged = [JUDGES[recorded.wire].validate_python(each) for each in events(recorded) if has_type(each)]
    assert judged or b"text/event-stream" not in recorded.answer


@pytest.mark.parametrize("wire", WIRES)
def test_the_official_types_refuse_another_format(wire: str) -> None:
    """The twin: the types do judge."""
    other = next(iter(JUDGES.keys() - {wire, "gemini"}))
    with pytest.raises(ValidationError):
        [JUDGES[wire].validate_python(each) for each in events(fixture(other, "text"))]


@pytest.mark.parametrize("wire", WIRES)
def test_every_format_plays_every_case(wire: str) -> None:
    names = [each.name for each in fixtures(wire)]
    assert names == [each.name for each in fixtures("anthropic")]
    assert {"text", "call", "parallel", "thinking", "refusal", "length", "cut", "usage", "bad_key"} <= set(
        names
    )
    assert sent_request(wire).body


def test_an_unknown_format_or_case_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="use one of anthropic, gemini"):
        fixtures("soap")
    with pytest.raises(ValueError, match="use one of text, call"):
        fixture("gemini", "nothing")
