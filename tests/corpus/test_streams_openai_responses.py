"""Recorded streams and bodies of the Responses API: whole, cut at every event, in any chunks, changed."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from openai.types.responses import ResponseInputItemParam
from tests.corpus.conftest import Judged, read_rows, some
from tests.providers.typed_dicts import problems

from oneclaw.core.answer import ArgumentsAdded, Progress, TextAdded
from oneclaw.core.message import AssistantMessage, CallPart, ForeignPart, TextPart, ThoughtPart
from oneclaw.providers.base import ProviderError, Request, ServerEvent
from oneclaw.providers.http.sse import ServerEvents
from oneclaw.providers.openai_responses.stream import ResponsesReader
from oneclaw.providers.openai_responses.wire import OpenAIResponses

Event = dict[str, Any]
WIRE = OpenAIResponses()
REQUEST = Request("gpt-5", ())


@cache
def streams() -> dict[str, list[Event]]:
    """The events of every recorded stream, by its name."""
    found: dict[str, list[Event]] = {}
    for row in read_rows("provider_streams"):
        if row["api"] == "responses" and row["kind"] == "stream":
            found[row["id"]] = [json.loads(each) if isinstance(each, str) else each for each in row["body"]]
    for row in read_rows("provider_wire"):
        if row["path"].endswith("/responses") and row["response_kind"] == "text":
            events = ServerEvents().feed(row["response"].encode() + b"\n\n")
            found[row["id"]] = [json.loads(event.data) for event in events if event.data.startswith("{")]
    return found


@cache
def bodies() -> dict[str, Event]:
    rows = [row for row in read_rows("provider_streams") if row["api"] == "responses"]
    found: dict[str, Event] = {row["id"]: row["body"] for row in rows if row["kind"] == "json"}
    for row in read_rows("provider_wire"):
        if row["path"].endswith("/responses") and row["response_kind"] == "json":
            found[row["id"]] = row["response"]
    return found


def whole() -> Iterator[tuple[str, list[Event]]]:
    """The streams that end well."""
    for name, events in streams().items():
        if events[-1]["type"] == "response.completed":
            yield name, events


def read(
    events: list[Event], reader: ResponsesReader | None = None
) -> tuple[AssistantMessage, list[Progress]]:
    reader = reader or WIRE.reader(REQUEST)
    progress: list[Progress] = []
    for event in events:
        progress += reader.feed(ServerEvent(event["type"], json.dumps(event)))
    return reader.message(), progress


def bare(message: AssistantMessage) -> AssistantMessage:
    """Without what is encrypted anew each time it is sent."""
    parts = [
        replace(part, echo={**part.echo, "encrypted_content": None}) if part.echo else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))


def test_reasoning_goes_back_as_its_own_event_had_it_not_as_the_list_at_the_end(judged: Judged) -> None:
    for name, events in whole():
        with judged(name):
            done = [each["item"] for each in events if each["type"] == "response.output_item.done"]
            assert [part.echo for part in read(events)[0].parts] == done, name


def test_each_stream_gives_what_its_last_event_says_it_is(judged: Judged) -> None:
    for name, events in whole():
        with judged(name):
            streamed, progress = read(events)
            reader = WIRE.reader(REQUEST)
            reader.take(events[-1]["response"])
            taken = reader.message()
            assert bare(streamed) == bare(taken), name
            assert streamed.text == "".join(each.text for each in progress if isinstance(each, TextAdded)), (
                name
            )
            written = "".join(each.text for each in progress if isinstance(each, ArgumentsAdded))
            assert written == "".join(str(call.arguments) for call in streamed.calls), name
            assert streamed.usage.total > 0


def test_each_body_is_read_whole_or_told_as_an_error(judged: Judged) -> None:
    for name, body in bodies().items():
        with judged(name):
            reader = WIRE.reader(REQUEST)
            if not body.get("output") or body.get("status", "completed") not in ("completed", "incomplete"):
                with suppress(ProviderError):
                    reader.take(body)
                assert not reader.is_complete, "an error or a state was taken for an answer"
                continue
            reader.take(body)
            message = reader.message()
            kinds = [type(part) for part in message.parts]
            known = {"message": TextPart, "reasoning": ThoughtPart, "function_call": CallPart}
            assert kinds == [known.get(item["type"], ForeignPart) for item in body["output"]], name
            assert [getattr(part, "echo", None) for part in message.parts] == body["output"], name
            if body.get("status") == "incomplete":
                assert message.finish in ("length", "refusal")
                continue
            assert message.finish == ("calls" if CallPart in kinds else "stop")
            assert not any(call.fault for call in message.calls)
            assert message.usage.input == body["usage"]["input_tokens"]


def test_errors_in_streams_and_bodies_are_told(judged: Judged) -> None:
    failed = {
        name: events
        for name, events in streams().items()
        if any(each["type"] in ("error", "response.failed") for each in events)
    }
    for name, events in some([*failed.items()], "stream with an error"):
        with judged(name):
            with pytest.raises(ProviderError) as raised:
                read(events)
            assert raised.value.trouble != "network"


def test_a_stream_cut_anywhere_is_not_whole_and_no_call_of_it_may_run(judged: Judged) -> None:
    for name, events in whole():
        with judged(name):
            final, _ = read(events)
            reader = WIRE.reader(REQUEST)
            for number, event in enumerate(events[:-1]):
                reader.feed(ServerEvent("", json.dumps(event)))
                message = reader.message()
                assert not reader.is_complete, name
                assert message.finish == "cut"
                assert all(call.fault for call in message.calls), (name, number)
                assert final.text.startswith(message.text), (name, number)
                if number % 10 == 0:
                    items = json.loads(WIRE.write(Request("gpt-5", (message,))))["input"]
                    assert not items or items[-1].get("type") != "reasoning"


def as_bytes(events: list[Event], end: bytes = b"\n", comment: bytes = b"") -> bytes:
    parts = [
        b"".join(
            (b"event: ", each["type"].encode(), end, comment, b"data: ", json.dumps(each).encode(), end, end)
        )
        for each in events
    ]
    return b"".join([*parts, b"data: [DONE]", end, end])


def small() -> list[tuple[str, list[Event]]]:
    """The streams that do not take long byte by byte."""
    return [each for each in whole() if len(json.dumps(each[1])) < 60_000]


@pytest.mark.parametrize("form", ["one byte", "crlf", "comments", "one chunk"])
def test_a_stream_is_the_same_in_whatever_chunks_it_comes(form: str, judged: Judged) -> None:
    for name, events in small():
        with judged(name):
            sent = {
                "one byte": as_bytes(events),
                "crlf": as_bytes(events, b"\r\n"),
                "comments": as_bytes(events, comment=b": still here\n"),
                "one chunk": as_bytes(events),
            }[form]
            size = {"one byte": 1, "one chunk": len(sent)}.get(form, 7)
            parser, reader = ServerEvents(), WIRE.reader(REQUEST)
            for start in range(0, len(sent), size):
                for event in parser.feed(sent[start : start + size]):
                    reader.feed(event)
            assert reader.is_complete, name
            assert reader.message() == read(events)[0], name


def without(*fields: str) -> Callable[[Event], Event | None]:
    return lambda event: {name: value for name, value in event.items() if name not in fields}


def without_list(event: Event) -> Event | None:
    return {**event, "response": {**event["response"], "output": []}} if "response" in event else event


def without_kinds(*endings: str) -> Callable[[Event], Event | None]:
    return lambda event: None if event["type"].endswith(endings) else event


@pytest.mark.parametrize(
    "change",
    [
        without("item_id"),
        without("output_index"),
        without("sequence_number", "logprobs", "obfuscation"),
        without_list,
        without_kinds(".delta"),
        without_kinds("output_item.added", "content_part.added"),
        without_kinds("output_text.done", "arguments.done", "content_part.done"),
        without_kinds("output_item.done", ".delta"),
    ],
)
def test_a_stream_that_lacks_something_gives_the_same(
    change: Callable[[Event], Event | None], judged: Judged
) -> None:
    for name, events in whole():
        with judged(name):
            changed = [fresh for event in events if (fresh := change(event)) is not None]
            assert bare(read(changed)[0]) == bare(read(events)[0]), name


def test_what_was_read_goes_back_as_it_came_and_our_kinds_of_it_in_types_the_sdk_knows(
    judged: Judged,
) -> None:
    """The types lack some of what the provider itself puts into other items, as the sources of a search."""
    for name, body in bodies().items():
        with judged(name):
            if "output" not in body:
                continue
            reader = WIRE.reader(REQUEST)
            reader.take(body)
            written = json.loads(WIRE.write(Request("gpt-5", (reader.message(),))))["input"]
            known = (None, "message", "reasoning", "function_call")
            ours = [item for item in written if item.get("type") in known]
            assert problems(ours, list[ResponseInputItemParam]) == [], name
            assert all(item in body["output"] for item in written if "id" in item)
