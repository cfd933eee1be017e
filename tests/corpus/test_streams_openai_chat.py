"""Recorded answers of chat servers: read whole, cut anywhere, and in any chunks.

Who speaks it is told by its form: an answer has choices. Others, as Cohere, speak a format of their own.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.corpus.conftest import Judged, corpus_folder, read_rows, some

from oneclaw.core.answer import ArgumentsAdded, CallBegun, Progress, TextAdded, ThoughtAdded
from oneclaw.core.message import CallPart, TextPart, ThoughtPart
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import ProviderError, Request, ServerEvent
from oneclaw.providers.http.sse import ServerEvents
from oneclaw.providers.openai_chat.stream import ChatReader
from oneclaw.providers.openai_chat.wire import OpenAIChat

REQUEST = Request("m", [])


def recorded() -> Iterator[tuple[str, Any]]:
    """Each recorded answer by name: a whole body, or the bytes of a stream."""
    for row in read_rows("provider_streams"):
        body = as_stream(row["body"]) if row["kind"] == "stream" else row["body"]
        if ends_well(body):
            yield row["id"], body
    for row in read_rows("provider_wire"):
        if row["status"] == 200 and ends_well(row["response"]):
            yield row["id"], row["response"]


def chunks_of(body: Any) -> list[Any]:
    """The chunks of a body, or of the bytes of a stream, by a reading of our own."""
    if not isinstance(body, str):
        return [body]
    lines = [line[5:].strip() for line in body.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line.startswith("{")]


def ends_well(body: Any) -> bool:
    """Whether this is an answer with choices, and one that ended without an error."""
    chunks = [chunk for chunk in chunks_of(body) if is_object(chunk)]
    choices = [each for chunk in chunks for each in chunk.get("choices") or () if is_object(each)]
    has_end = any(each.get("finish_reason") in ("stop", "tool_calls") for each in choices)
    return has_end and not any(chunk.get("error") for chunk in chunks)


def as_stream(events: list[Any]) -> str:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in events]
    return "".join(f"data: {text}\n\n" for text in texts)


ANSWERS = dict(recorded()) if corpus_folder().exists() else {}
STREAMS = [name for name, body in ANSWERS.items() if isinstance(body, str)]
WHOLE = [name for name, body in ANSWERS.items() if not isinstance(body, str)]


def events_of(data: bytes, chunk_bytes: int = 1 << 20) -> list[ServerEvent]:
    parser = ServerEvents()
    parts = [data[at : at + chunk_bytes] for at in range(0, len(data), chunk_bytes)]
    return [*(event for part in parts for event in parser.feed(part)), *parser.finish()]


def feed(events: list[ServerEvent]) -> tuple[ChatReader, list[Progress]]:
    reader = OpenAIChat().reader(REQUEST)
    return reader, [progress for event in events for progress in reader.feed(event)]


def choices_of(name: str) -> list[dict[str, Any]]:
    """What the first choices say, by a reading of our own."""
    chunks = chunks_of(ANSWERS[name])
    choices = [chunk["choices"][0] for chunk in chunks if chunk.get("choices")]
    return [choice.get("delta") or choice.get("message") or {} for choice in choices]


def text_of(said: list[dict[str, Any]]) -> str:
    texts: list[str] = []
    for each in said:
        content = each.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts += [part["text"] for part in parts if part["type"] == "text"]
    return "".join(texts)


def check_whole(name: str, reader: ChatReader, progress: list[Progress]) -> None:
    message = reader.message()
    said = choices_of(name)
    fragments: list[dict[str, Any]] = [call for each in said for call in each.get("tool_calls") or ()]
    names = [call["function"]["name"] for call in fragments if call["function"].get("name")]
    arguments = "".join(call["function"].get("arguments") or "" for call in fragments)

    assert reader.is_complete
    assert message.text == text_of(said)
    assert [call.name for call in message.calls] == names
    assert "".join(str(call.arguments) for call in message.calls) == arguments
    assert not any(call.fault for call in message.calls)
    assert (message.finish == "calls") == bool(names)
    assert message.usage.total > 0 or "usage" not in json.dumps(ANSWERS[name])
    assert [part.text for part in message.parts if isinstance(part, TextPart)] == (
        [message.text] if message.text else []
    )
    # What was told on the way is what the message says.
    assert "".join(each.text for each in progress if isinstance(each, TextAdded)) == message.text
    thoughts = "".join(part.text for part in message.parts if isinstance(part, ThoughtPart))
    assert "".join(each.text for each in progress if isinstance(each, ThoughtAdded)) == thoughts
    assert [each.tool for each in progress if isinstance(each, CallBegun)] == names
    assert "".join(each.text for each in progress if isinstance(each, ArgumentsAdded)) == arguments
    asked_to_think = any(each.get("reasoning") or each.get("reasoning_content") for each in said)
    assert bool(thoughts) or not asked_to_think


@pytest.mark.parametrize("name", STREAMS)
def test_a_recorded_stream_is_read_whole(name: str) -> None:
    reader, progress = feed(events_of(ANSWERS[name].encode()))
    check_whole(name, reader, progress)


@pytest.mark.parametrize("name", WHOLE)
def test_a_recorded_body_is_read_whole(name: str) -> None:
    reader = OpenAIChat().reader(REQUEST)
    progress = list(reader.take(ANSWERS[name]))
    check_whole(name, reader, progress)


@pytest.mark.parametrize("name", STREAMS)
def test_a_recorded_stream_may_be_cut_at_every_event(name: str) -> None:
    events = events_of(ANSWERS[name].encode())
    whole = feed(events)[0].message()
    for count in range(len(events)):
        reader, _ = feed(events[:count])
        message = reader.message()
        assert whole.text.startswith(message.text)
        if reader.is_complete:  # only what follows the end is missing
            assert message.parts == whole.parts
        else:
            assert message.finish == "cut"
            assert all(call.fault for call in message.calls)
    assert any(not feed(events[:count])[0].is_complete for count in range(len(events)))


@pytest.mark.parametrize("name", STREAMS)
def test_a_recorded_stream_reads_the_same_in_any_chunks(name: str) -> None:
    data = ANSWERS[name].encode()
    whole = feed(events_of(data))[0].message()
    # In a stream with comments the line ends are all that may be changed; others get comments as well.
    commented = b"".join(b": ping\n\n" + event + b"\n\n" for event in data.split(b"\n\n") if event)
    for changed in (data, data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\r"), commented):
        for chunk_bytes in (1, 7):
            assert feed(events_of(changed, chunk_bytes))[0].message() == whole


@pytest.mark.parametrize("name", [name for name in STREAMS if len(ANSWERS[name]) < 12_000])
def test_a_recorded_stream_may_be_cut_at_every_byte(name: str) -> None:
    data = ANSWERS[name].encode()
    whole = feed(events_of(data))[0].message()
    troubles: set[str] = set()
    for end in range(0, len(data), 7):
        reader = OpenAIChat().reader(REQUEST)
        try:
            for event in events_of(data[:end]):
                list(reader.feed(event))
        except ProviderError as error:
            troubles.add(error.trouble)
        message = reader.message()
        assert whole.text.startswith(message.text)
        assert reader.is_complete or all(call.fault for call in message.calls)
    assert troubles == {"stream"}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_recorded_answer_goes_back_as_it_came(name: str) -> None:
    body = ANSWERS[name]
    reader = OpenAIChat().reader(REQUEST)
    if isinstance(body, str):
        reader = feed(events_of(body.encode()))[0]
    else:
        list(reader.take(body))
    message = reader.message()
    (item,) = json.loads(OpenAIChat().write(Request("m", [message])))["messages"]
    sent = item.get("content") or ""
    text = sent if isinstance(sent, str) else "".join(part.get("text", "") for part in sent)

    assert text == message.text
    calls = item.get("tool_calls", [])
    assert [call["id"] for call in calls] == [
        part.call.id for part in message.parts if isinstance(part, CallPart)
    ]
    for said in choices_of(name):
        if details := said.get("reasoning_details"):
            assert item["reasoning_details"] == details


def test_recorded_refusals_become_clear_sentences(judged: Judged) -> None:
    refused = [
        row
        for row in read_rows("provider_wire")
        if row["path"].endswith("/chat/completions") and row["status"] >= 400
    ]
    for row in some(refused, "refusal of a chat server"):
        with judged(row["id"]):
            error = OpenAIChat().explain(row["status"], {}, json.dumps(row["response"]).encode())
            said = sentences_of(row["response"])
            assert not said or any(each in str(error) for each in said)
            assert (error.trouble in ("limit", "quota")) is (row["status"] == 429)
            assert "{" not in str(error)
            assert str(error).endswith(".")


def sentences_of(body: Any) -> list[str]:
    """Everything a body says in words, each shortened as a message may be."""
    if isinstance(body, str):
        return [body.rstrip(".")[:100]] if " " in body else []
    inner: Sequence[Any] = [*body.values()] if is_object(body) else body if is_array(body) else []
    return [each for value in inner for each in sentences_of(value)]
