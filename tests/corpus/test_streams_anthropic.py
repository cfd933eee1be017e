"""Recorded answers of Anthropic: read whole, cut at every event, in any chunks; the SDK is the judge."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

import pytest
from tests.corpus.conftest import Judged, Rows, some

from oneclaw.core.answer import ArgumentsAdded, TextAdded
from oneclaw.core.make.foreign import adopt
from oneclaw.core.message import AssistantMessage, UserMessage
from oneclaw.core.subschema import is_object
from oneclaw.providers.anthropic.stream import AnthropicReader
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import Request, ServerEvent
from oneclaw.providers.http.sse import ServerEvents

Event = dict[str, Any]
OFFERED = (adopt({"name": "look", "parameters": {"type": "object"}}).definition,)
"""Thoughts go back only beside the tools they were made with, and an answer with calls was offered some."""
ASKED = Request("m", [UserMessage("Hello")], tools=OFFERED)
FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "calls",
    "pause_turn": "calls",
    "compaction": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def is_ours(row: dict[str, Any]) -> bool:
    return row["provider"] == "anthropic"


def parse(raw: str) -> list[Event]:
    parser = ServerEvents()
    return [json.loads(event.data) for event in (*parser.feed(raw.encode()), *parser.finish())]


@pytest.fixture
def bodies(rows: Rows) -> dict[str, Event]:
    """The whole bodies of answers that were recorded; others are errors and counts."""
    found = {row["id"]: row["body"] for row in rows("provider_streams") if is_ours(row)}
    found |= {row["id"]: row["response"] for row in rows("provider_wire") if is_ours(row)}
    whole: dict[str, Event] = {
        name: {**body} for name, body in found.items() if is_object(body) and body.get("type") == "message"
    }
    some([*whole], "whole answer of Anthropic")
    return whole


@pytest.fixture
def streams(rows: Rows) -> dict[str, list[Event]]:
    """The events of each answer that ends well; where a recording holds several, each on its own."""
    recorded: dict[str, list[Event]] = {}
    for row in rows("provider_streams"):
        if is_ours(row) and row["kind"] == "stream":
            recorded[row["id"]] = [
                json.loads(each) if isinstance(each, str) else each for each in row["body"]
            ]
        elif is_ours(row) and isinstance(row["body"], str):
            recorded[row["id"]] = parse(row["body"])
    for row in rows("provider_wire"):
        if is_ours(row) and row["status"] == 200 and row["response_kind"] == "text":
            recorded[row["id"]] = parse(row["response"])
    found = {
        f"{name} {number}": answer
        for name, events in recorded.items()
        for number, answer in enumerate(answers(events))
        if all(event["type"] != "error" for event in answer)
    }
    some([*found], "stream of Anthropic")
    return found


def answers(events: list[Event]) -> Iterator[list[Event]]:
    starts = [at for at, event in enumerate(events) if event["type"] == "message_start"]
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        yield events[start:end]


def read(events: Iterable[Event]) -> AnthropicReader:
    reader = Anthropic().reader(ASKED)
    for event in events:
        list(reader.feed(ServerEvent("", json.dumps(event))))
    return reader


def as_bytes(events: Iterable[Event], end: str = "\n", comment: str = "") -> bytes:
    lines = (f"{comment}event: {each['type']}{end}data: {json.dumps(each)}{end}{end}" for each in events)
    return "".join(lines).encode()


def read_bytes(chunks: Iterable[bytes]) -> AssistantMessage:
    reader, parser = Anthropic().reader(ASKED), ServerEvents()
    for chunk in chunks:
        for event in parser.feed(chunk):
            list(reader.feed(event))
    assert reader.is_complete
    return reader.message()


def sent_back(reader: AnthropicReader) -> list[Any]:
    """The blocks of an answer as they go back with the next request."""
    request = Request("m", [*ASKED.messages, reader.message(), UserMessage("And?")], tools=OFFERED)
    body = json.loads(Anthropic().write(request))
    blocks: list[Any] = []
    return next((each["content"] for each in body["messages"] if each["role"] == "assistant"), blocks)


def sdk_content(events: Iterable[Event]) -> tuple[list[Event], str]:
    """What the official client makes of the events: the content and why it ended."""
    from anthropic.lib.streaming._beta_messages import accumulate_event

    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for event in events:
        if event["type"] == "ping":
            continue
        snapshot = cast(Any, accumulate_event)(
            event=event, current_snapshot=snapshot, json_bufs=buffers, request_headers={}
        )
    return [plain(block) for block in snapshot.to_dict()["content"]], snapshot.stop_reason


def plain(value: Any) -> Any:
    """Without what is null, which says nothing."""
    if isinstance(value, dict):
        fields = cast(Event, value).items()
        return {name: plain(inner) for name, inner in fields if inner is not None and name != "__json_buf"}
    return [plain(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def is_blank(block: Event) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def test_streams_are_read_as_the_sdk_reads_them(streams: dict[str, list[Event]], judged: Judged) -> None:
    for name, events in streams.items():
        with judged(name):
            reader = read(events)
            content, reason = sdk_content(events)
            assert reader.is_complete
            assert reader.message().finish == FINISHES[reason]
            assert not any(call.fault for call in reader.message().calls)
            assert plain(sent_back(reader)) == [block for block in content if not is_blank(block)]


def test_bodies_go_back_as_they_came(bodies: dict[str, Event], judged: Judged) -> None:
    for name, body in bodies.items():
        with judged(name):
            reader = Anthropic().reader(ASKED)
            list(reader.take(body))
            assert reader.is_complete
            expected = "calls" if reader.message().calls else FINISHES[body["stop_reason"]]
            assert reader.message().finish == expected
            assert plain(sent_back(reader)) == [
                plain(block) for block in body["content"] if not is_blank(block)
            ]


def test_answers_cut_at_every_event_run_no_call_and_can_go_back(
    streams: dict[str, list[Event]], judged: Judged
) -> None:
    for name, events in streams.items():
        with judged(name):
            reader = Anthropic().reader(ASKED)
            for at, event in enumerate(events):
                message = reader.message()
                assert not reader.is_complete
                assert message.finish == "cut"
                assert all(call.fault for call in message.calls)
                if at % 7 == 0:
                    blocks = sent_back(reader)
                    begun = {block["id"] for block in blocks if block["type"] == "server_tool_use"}
                    assert (
                        begun == {block["tool_use_id"] for block in blocks if "tool_use_id" in block} & begun
                    )
                list(reader.feed(ServerEvent(event["type"], json.dumps(event))))
            assert reader.is_complete


@pytest.mark.parametrize(
    ("end", "comment"), [("\n", ""), ("\r\n", ""), ("\r", ": still here\r\r"), ("\n", ":\n\n: a\nid: 7\n")]
)
def test_chunks_line_ends_and_comments_change_nothing(
    streams: dict[str, list[Event]], end: str, comment: str, judged: Judged
) -> None:
    for name, events in streams.items():
        with judged(name):
            expected = read(events).message()
            raw = as_bytes(events, end, comment)
            assert read_bytes([raw]) == expected
            assert read_bytes(bytes([byte]) for byte in raw) == expected
            assert read_bytes(raw[at : at + 17] for at in range(0, len(raw), 17)) == expected


def test_progress_adds_up_to_the_message(streams: dict[str, list[Event]], judged: Judged) -> None:
    for name, events in streams.items():
        with judged(name):
            reader, text = Anthropic().reader(ASKED), ""
            arguments: dict[int, str] = {}
            for event in events:
                for each in reader.feed(ServerEvent("", json.dumps(event))):
                    if isinstance(each, TextAdded):
                        text += each.text
                    elif isinstance(each, ArgumentsAdded):
                        arguments[each.index] = arguments.get(each.index, "") + each.text
            message = reader.message()
            assert message.text == text
            for index, call in enumerate(message.calls):
                given = call.arguments
                assert json.loads(arguments.get(index, "{}")) == (
                    json.loads(given) if isinstance(given, str | bytes) else given
                )


def test_recorded_refusals_become_clear_errors(rows: Rows, judged: Judged) -> None:
    refused = [row for row in rows("provider_wire") if is_ours(row) and row["status"] != 200]
    for row in some(refused, "refusal of Anthropic"):
        with judged(row["id"]):
            error = Anthropic().explain(row["status"], {}, json.dumps(row["response"]).encode())
            assert row["response"]["error"]["message"].rstrip(".") in str(error)
            assert error.status == row["status"]
