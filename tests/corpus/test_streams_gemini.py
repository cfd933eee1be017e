"""Recorded Gemini answers: read whole, cut anywhere, and in any chunks, and sent back as they came."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, corpus_folder, read_rows

from oneclaw.core.answer import ArgumentsAdded, CallBegun, Progress, TextAdded, ThoughtAdded
from oneclaw.core.message import AssistantMessage, TextPart, ThoughtPart, UserMessage
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import ProviderError, Request, ServerEvent
from oneclaw.providers.gemini.stream import GeminiReader
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.http.sse import ServerEvents

REQUEST = Request("gemini-2.5-pro", [])


def recorded() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each recorded answer by name, as its chunks; a whole one is a stream of one."""
    for row in read_rows("provider_streams"):
        chunks = chunks_of(row["body"])
        if ends_well(chunks):
            yield row["id"], chunks
    for row in read_rows("provider_wire"):
        if row["status"] == 200 and ends_well(chunks := chunks_of(row["response"])):
            yield row["id"], chunks


def chunks_of(body: Any) -> list[Any]:
    """The chunks of a recorded body: a list of them, the text of a stream, or one."""
    if isinstance(body, str):
        body = [line[5:] for line in body.splitlines() if line.startswith("data:") and "[DONE]" not in line]
    events: Sequence[Any] = body if is_array(body) else [body]
    return [json.loads(each) if isinstance(each, str) else each for each in events if each != "[DONE]"]


def ends_well(chunks: list[Any]) -> bool:
    """Whether these are Gemini's chunks, up to an end that the model chose or ran into."""
    found = [each for chunk in chunks if is_object(chunk) for each in chunk.get("candidates") or ()]
    return any(each.get("finishReason") in ("STOP", "MAX_TOKENS") for each in found)


def read(chunks: list[Any]) -> tuple[GeminiReader, list[Progress]]:
    reader = Gemini().reader(REQUEST)
    return reader, [made for chunk in chunks for made in reader.feed(ServerEvent("", json.dumps(chunk)))]


def plain(message: AssistantMessage) -> AssistantMessage:
    """The message with ids that can be compared: those of ours are new in each reading."""
    found = [call.id for call in message.calls]
    text = repr(message)
    for number, each in enumerate(found):
        text = text.replace(each, f"id{number}")
    return AssistantMessage((TextPart(text),), message.finish)


def parts_of(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts as they were sent, by a reading of our own."""
    return [part for each in candidates_of(chunks) for part in each.get("content", {}).get("parts", [])]


def candidates_of(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for chunk in chunks for each in chunk.get("candidates", [])]


def expected_parts(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What has to go back: runs of plain text joined, unsigned thoughts and empty texts left out."""
    sent: list[dict[str, Any]] = []
    for part in parts_of(chunks):
        is_plain = part.keys() == {"text"}
        if is_plain and sent and sent[-1].keys() == {"text"}:
            sent[-1] = {"text": sent[-1]["text"] + part["text"]}
        elif (not is_plain or part["text"]) and not is_unsigned_thought(part):
            sent.append(part)
    return sent


def is_unsigned_thought(part: dict[str, Any]) -> bool:
    return bool(part.get("thought")) and "text" in part and "thoughtSignature" not in part


ANSWERS = dict(recorded()) if corpus_folder().exists() else {}
WHOLE = [name for name, chunks in ANSWERS.items() if "willContinue" not in json.dumps(chunks)]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_recorded_answer_is_read_whole(name: str) -> None:
    reader, progress = read(ANSWERS[name])
    message = reader.message()
    parts = parts_of(ANSWERS[name])
    texts = [part for part in parts if "text" in part]
    assert reader.is_complete
    is_long = "MAX_TOKENS" in [each.get("finishReason") for each in candidates_of(ANSWERS[name])]
    assert message.finish == ("length" if is_long else "calls" if message.calls else "stop")
    assert is_long or not [call for call in message.calls if call.fault]
    assert message.text == "".join(part["text"] for part in texts if not part.get("thought"))
    thoughts = "".join(part.text for part in message.parts if isinstance(part, ThoughtPart))
    assert thoughts == "".join(part["text"] for part in texts if part.get("thought"))
    assert [call.name for call in message.calls] == [
        part["functionCall"]["name"] for part in parts if part.get("functionCall", {}).get("name")
    ]
    assert "".join(each.text for each in progress if isinstance(each, TextAdded)) == message.text
    assert "".join(each.text for each in progress if isinstance(each, ThoughtAdded)) == thoughts
    assert [each.tool for each in progress if isinstance(each, CallBegun)] == [
        call.name for call in message.calls
    ]
    for index, call in enumerate(message.calls):
        shown = [each.text for each in progress if isinstance(each, ArgumentsAdded) and each.index == index]
        assert json.loads("".join(shown)) == call.arguments


PARTS = ("promptTokenCount", "candidatesTokenCount")
"""Without the parts a total says nothing of input and output."""


def sum_of(count: dict[str, Any]) -> int:
    return sum(count.get(name, 0) for name in (*PARTS, "thoughtsTokenCount", "toolUsePromptTokenCount"))


@pytest.mark.parametrize("name", ANSWERS)
def test_usage_is_what_the_last_count_says(name: str) -> None:
    usage = read(ANSWERS[name])[0].message().usage
    counts = [chunk["usageMetadata"] for chunk in ANSWERS[name] if "usageMetadata" in chunk]
    whole = [each for each in counts if each.keys() >= {"totalTokenCount", *PARTS}]
    # Some models leave their thoughts out of the total they tell.
    told = [each["totalTokenCount"] for each in whole[-1:] if each["totalTokenCount"] >= sum_of(each)]
    assert not told or usage.total == told[-1]
    assert usage.input > 0 or not any(each.get("promptTokenCount") for each in counts)


@pytest.mark.parametrize("name", WHOLE)
def test_every_part_goes_back_as_it_came(name: str) -> None:
    chunks = ANSWERS[name]
    message = read(chunks)[0].message()
    sent = json.loads(Gemini().write(Request("gemini-2.5-pro", [UserMessage("x"), message])))["contents"][1:]
    expected = expected_parts(chunks)
    for part in expected:
        if "functionCall" in part:
            part["functionCall"].setdefault("args", {})
    assert sent == ([{"role": "model", "parts": expected}] if expected else [])


@pytest.mark.parametrize("name", ANSWERS)
def test_cut_at_any_event_no_call_may_run_and_nothing_is_lost(name: str) -> None:
    chunks = ANSWERS[name]
    reader = Gemini().reader(REQUEST)
    whole = read(chunks)[0].message()
    for chunk in chunks:
        message = reader.message()
        assert whole.text.startswith(message.text)
        if not reader.is_complete:
            assert message.finish == "cut"
            assert all(call.fault for call in message.calls)
        reader.feed(ServerEvent("", json.dumps(chunk)))
    assert plain(reader.message()) == plain(whole)


def to_bytes(chunks: list[Any], end: str, comment: str) -> bytes:
    lines = [f"{comment}data: {json.dumps(chunk)}{end}{end}" for chunk in chunks]
    return "".join(lines).encode()


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(
    ("end", "comment", "size"), [("\n", "", 1), ("\r\n", ": keep alive\r\n", 7), ("\r", ":\r\r", 1000)]
)
def test_however_the_bytes_are_cut_the_message_is_the_same(
    name: str, end: str, comment: str, size: int
) -> None:
    chunks = ANSWERS[name]
    events, reader = ServerEvents(), Gemini().reader(REQUEST)
    body = to_bytes(chunks, end, comment)
    for start in range(0, len(body), size):
        for event in events.feed(body[start : start + size]):
            reader.feed(event)
    for event in events.finish():
        reader.feed(event)
    assert plain(reader.message()) == plain(read(chunks)[0].message())


PIECED = [name for name in ANSWERS if name not in WHOLE]


@pytest.mark.parametrize("name", PIECED)
def test_arguments_in_pieces_are_the_ones_that_were_meant(name: str) -> None:
    meant: list[dict[str, str]] = []
    for part in parts_of(ANSWERS[name]):
        said = part.get("functionCall", {})
        meant.extend([{}] if said.get("name") else [])
        for piece in said.get("partialArgs", []):
            path = piece["jsonPath"]
            meant[-1][path] = meant[-1].get(path, "") + piece["stringValue"]
    calls = read(ANSWERS[name])[0].message().calls
    assert [dict(leaves(call.arguments)) for call in calls] == meant


def leaves(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        steps: Any = value.items() if isinstance(value, dict) else enumerate(value)  # pyright: ignore
        for step, each in steps:
            yield from leaves(each, f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}")
    else:
        yield path, value


def test_streams_of_other_providers_are_refused_or_passed_over(rows: Rows, judged: Judged) -> None:
    for row in rows("provider_streams"):
        chunks = chunks_of(row["body"])
        if any(is_object(chunk) and "candidates" in chunk for chunk in chunks):
            continue
        with judged(row["id"]):
            reader = Gemini().reader(REQUEST)
            with suppress(ProviderError):
                for chunk in chunks:
                    reader.feed(ServerEvent("", json.dumps(chunk)))
            assert reader.message().calls == ()


def test_recorded_errors_are_explained(rows: Rows, judged: Judged) -> None:
    for row in rows("provider_wire"):
        if row["status"] >= 400:
            with judged(row["id"]):
                body = row["response"] if isinstance(row["response"], str) else json.dumps(row["response"])
                error = Gemini().explain(row["status"], {}, body.encode())
                assert error.status == row["status"]
                assert error.trouble not in ("network", "timeout", "stream")
