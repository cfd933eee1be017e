"""Recorded answers of every wire format: whole, cut anywhere, in any chunks, and sent back as they came."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from openai.types.responses import ResponseInputItemParam
from tests.corpus.conftest import Judged, some
from tests.corpus.recorded_answers import (
    CONTENTS,
    Content,
    Json,
    Recorded,
    answers,
    bodies,
    documents_of,
    gemini_items,
    has_error,
    parts_of,
    without_nulls,
)
from tests.providers.typed_dicts import problems
from tests.providers.wires import MAKERS, each_wire, feed, new_reader

from oneclaw.core.answer import Answered, AnswerProgress
from oneclaw.core.define.foreign import adopt
from oneclaw.core.message import AssistantMessage, CallPart, ForeignPart, TextPart, ThoughtPart, UserMessage
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import AnswerReader, ProviderError, Request
from oneclaw.providers.http.sse import ServerEvents
from oneclaw.testing.answers import arguments_of, check_answer
from oneclaw.testing.contract import Checklist

OFFERED = (adopt({"name": "look", "parameters": {"type": "object"}}).definition,)
"""Thoughts go back only beside the tools they were made with, and an answer with calls was offered some."""
MODELS = {"gemini": "gemini-2.5-pro", "openai_responses": "gpt-5"}
FIELDS = {"gemini": "contents", "openai_responses": "input"}


def asked(wire: str) -> Request:
    return Request(MODELS.get(wire, "m"), (UserMessage("Hello"),), tools=OFFERED)


def read(wire: str, recorded: Recorded) -> tuple[AnswerReader, list[AnswerProgress]]:
    reader = new_reader(wire, asked(wire))
    if recorded.is_stream:
        return reader, feed(reader, *recorded.documents)
    return reader, list(reader.take(recorded.documents[0]))


def sent_back(wire: str, message: AssistantMessage) -> list[Any]:
    """The items of an answer as they go back with the next request."""
    request = asked(wire)
    messages = (*request.messages, message, UserMessage("And?"))
    body = json.loads(MAKERS[wire]().write(replace(request, messages=messages)))
    found = body[FIELDS.get(wire, "messages")][1:-1]
    blocks = [each.get("content") if wire == "anthropic" else each.get("parts") for each in found]
    return [part for each in blocks for part in each] if wire in ("anthropic", "gemini") else found


def comparable(message: AssistantMessage) -> str:
    """The message with ids that can be compared: those of ours are new in each reading."""
    text = repr(message)
    for number, call in enumerate(message.calls):
        text = text.replace(call.id, f"id{number}")
    return text


@each_wire
def test_an_answer_is_read_whole(wire: str, judged: Judged) -> None:
    for recorded in some(answers(wire), "whole answer"):
        with judged(recorded.name):
            reader, progress = read(wire, recorded)
            message, content = reader.message(), CONTENTS[wire](recorded.documents)
            assert reader.is_complete
            assert message.text == content.text
            assert message.finish == content.finish
            assert [call.name for call in message.calls] == [name for name, _ in content.calls]
            for call, (_, arguments) in zip(message.calls, content.calls, strict=True):
                assert arguments is None or arguments_of(call) == arguments
            assert message.finish == "length" or not any(call.fault for call in message.calls)
            assert message.usage.total == content.tokens or not content.tokens
            checklist = Checklist(recorded.name)
            check_answer([*progress, Answered(message)], checklist)
            checklist.close()


@each_wire
def test_an_answer_cut_at_any_event_runs_no_call_and_can_go_back(wire: str, judged: Judged) -> None:
    for recorded in some([each for each in answers(wire) if each.is_stream], "stream"):
        with judged(recorded.name):
            whole = read(wire, recorded)[0].message()
            reader = new_reader(wire, asked(wire))
            for at, document in enumerate(recorded.documents):
                message = reader.message()
                assert whole.text.startswith(message.text)
                if reader.is_complete:  # only what follows the end is missing
                    assert len(message.parts) == len(whole.parts)
                else:
                    assert message.finish == "cut"
                    assert all(call.fault for call in message.calls)
                if at % 7 == 0:
                    check_cut(wire, sent_back(wire, message))
                feed(reader, document)
            assert comparable(reader.message()) == comparable(whole)


def check_cut(wire: str, items: list[Any]) -> None:
    """What was left open is not sent: a search without its result, reasoning without what it led to."""
    if wire == "anthropic":
        begun = {block["id"] for block in items if block["type"] == "server_tool_use"}
        assert begun <= {block.get("tool_use_id") for block in items}
    if wire == "openai_responses":
        assert not items or items[-1].get("type") != "reasoning"


@each_wire
@pytest.mark.parametrize(
    ("end", "comment", "size"),
    [("\n", "", 1), ("\r\n", "", 7), ("\r", ": still here\r\r", 1000), ("\n", ":\n\n: a\nid: 7\n", 17)],
)
def test_chunks_line_ends_and_comments_change_nothing(
    wire: str, end: str, comment: str, size: int, judged: Judged
) -> None:
    for recorded in streams_below(wire, 60_000):
        with judged(recorded.name):
            lines = [f"{comment}data: {json.dumps(each)}{end}{end}" for each in recorded.documents]
            data = "".join(lines).encode()
            parser, reader = ServerEvents(), new_reader(wire, asked(wire))
            for start in range(0, len(data), size):
                for event in parser.feed(data[start : start + size]):
                    reader.feed(event)
            for event in parser.finish():
                reader.feed(event)
            assert reader.is_complete
            assert comparable(reader.message()) == comparable(read(wire, recorded)[0].message())


def streams_below(wire: str, most_chars: int) -> list[Recorded]:
    """The streams that do not take long byte by byte."""
    streams = [each for each in answers(wire) if each.is_stream]
    return [each for each in streams if len(json.dumps(each.documents)) < most_chars]


@each_wire
def test_an_answer_cut_at_any_byte_is_not_whole_or_all_there(wire: str, judged: Judged) -> None:
    for recorded in streams_below(wire, 12_000):
        with judged(recorded.name):
            whole = read(wire, recorded)[0].message()
            data = "".join(f"data: {json.dumps(each)}\n\n" for each in recorded.documents).encode()
            troubles: set[str] = set()
            for end in range(0, len(data), 29):
                reader = new_reader(wire, asked(wire))
                try:
                    feed(reader, data[:end])
                except ProviderError as error:
                    troubles.add(error.trouble)
                assert whole.text.startswith(reader.message().text)
                assert reader.is_complete or all(call.fault for call in reader.message().calls)
            assert troubles == {"stream"}


# What goes back.


@each_wire
def test_an_answer_goes_back_as_it_came(wire: str, judged: Judged) -> None:
    for recorded in some(answers(wire), "whole answer"):
        with judged(recorded.name):
            message, content = read(wire, recorded)[0].message(), CONTENTS[wire](recorded.documents)
            CHECKS[wire](recorded, content, message, sent_back(wire, message))


def check_anthropic(
    recorded: Recorded, content: Content, message: AssistantMessage, items: list[Any]
) -> None:
    assert without_nulls(items) == content.items


def check_gemini(recorded: Recorded, content: Content, message: AssistantMessage, items: list[Any]) -> None:
    if "willContinue" not in json.dumps(recorded.documents):
        assert list(gemini_items(items)) == content.items


def check_chat(recorded: Recorded, content: Content, message: AssistantMessage, items: list[Any]) -> None:
    [item] = items
    sent = item.get("content") or ""
    assert message.text == (sent if isinstance(sent, str) else "".join(part.get("text", "") for part in sent))
    assert [call["id"] for call in item.get("tool_calls", [])] == [call.id for call in message.calls]
    for said in content.items:
        assert not said.get("reasoning_details") or item["reasoning_details"] == said["reasoning_details"]
    thought = any(said.get("reasoning") or said.get("reasoning_content") for said in content.items)
    assert not thought or any(isinstance(part, ThoughtPart) for part in message.parts)


def check_responses(
    recorded: Recorded, content: Content, message: AssistantMessage, items: list[Any]
) -> None:
    """Reasoning goes back as its own event had it: the list at the end has other encrypted content."""
    done = [each["item"] for each in recorded.documents if each.get("type") == "response.output_item.done"]
    came = done if recorded.is_stream else content.items
    assert [part.echo for part in message.parts] == came
    known = {"message": TextPart, "reasoning": ThoughtPart, "function_call": CallPart}
    assert [type(part) for part in message.parts] == [known.get(each["type"], ForeignPart) for each in came]
    # The types lack some of what the provider itself puts into other items, as the sources of a search.
    ours = [item for item in items if item.get("type") in (None, *known)]
    assert problems(ours, list[ResponseInputItemParam]) == []
    assert all(item in came for item in items if "id" in item)


CHECKS: dict[str, Callable[[Recorded, Content, AssistantMessage, list[Any]], None]] = {
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "openai_chat": check_chat,
    "openai_responses": check_responses,
}


def test_arguments_in_pieces_are_the_ones_that_were_meant(judged: Judged) -> None:
    for recorded in answers("gemini"):
        with judged(recorded.name):
            meant: list[dict[str, Any]] = []
            for part in parts_of(recorded.documents):
                said = part.get("functionCall", {})
                meant += [dict(leaves(said.get("args")))] if said.get("name") else []
                for piece in said.get("partialArgs", []):
                    path = piece["jsonPath"]
                    meant[-1][path] = meant[-1].get(path, "") + piece["stringValue"]
            calls = read("gemini", recorded)[0].message().calls
            assert [dict(leaves(call.arguments)) for call in calls] == meant


def leaves(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    if is_object(value) or is_array(value):
        steps: Any = value.items() if is_object(value) else enumerate(value)
        for step, each in steps:
            yield from leaves(each, f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}")
    elif value is not None:
        yield path, value


# Streams of the Responses API that lack something.


def without(*fields: str) -> Callable[[Json], Json | None]:
    return lambda event: {name: value for name, value in event.items() if name not in fields}


def without_list(event: Json) -> Json | None:
    return {**event, "response": {**event["response"], "output": []}} if "response" in event else event


def without_kinds(*endings: str) -> Callable[[Json], Json | None]:
    return lambda event: None if event["type"].endswith(endings) else event


def only_end(event: Json) -> Json | None:
    return event if event["type"] == "response.completed" else None


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
        only_end,
    ],
)
def test_a_stream_that_lacks_something_gives_the_same(
    change: Callable[[Json], Json | None], judged: Judged
) -> None:
    for recorded in streams_below("openai_responses", 10**9):
        with judged(recorded.name):
            changed = [fresh for event in recorded.documents if (fresh := change(event)) is not None]
            found = [
                read("openai_responses", replace(recorded, documents=each))[0].message()
                for each in (changed, recorded.documents)
            ]
            assert bare(found[0]) == bare(found[1])


def bare(message: AssistantMessage) -> AssistantMessage:
    """Without what is encrypted anew each time it is sent."""
    parts = [
        replace(part, echo={**part.echo, "encrypted_content": None}) if part.echo else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))


# Errors, and what is of another format.


@each_wire
def test_what_is_no_answer_of_the_format_is_never_taken_for_one(wire: str, judged: Judged) -> None:
    ours = {recorded.name.rpartition(" ")[0] for recorded in answers(wire)}
    for name, body, status in bodies():
        documents = [each for each in documents_of(body) if is_object(each)] if status == 200 else []
        if name in ours or not documents:
            continue
        with judged(name):
            reader = new_reader(wire, asked(wire))
            with suppress(ProviderError):
                if is_object(body):
                    reader.take(body)
                feed(reader, *documents)
            assert all(call.fault for call in reader.message().calls)
            assert not reader.is_complete


@pytest.mark.parametrize("wire", ["anthropic", "openai_responses"])
def test_an_error_in_a_stream_is_told(wire: str, judged: Judged) -> None:
    for name, body, _ in bodies():
        documents = documents_of(body) if not is_object(body) else []
        kinds = [str(each.get("type")) for each in documents if is_object(each)]
        is_ours = any(kind.startswith("response.") for kind in kinds) == (wire == "openai_responses")
        if is_ours and has_error(documents):
            with judged(name), pytest.raises(ProviderError) as raised:
                feed(new_reader(wire, asked(wire)), *documents)
            assert raised.value.trouble != "network"


@each_wire
def test_a_refusal_becomes_a_clear_sentence(wire: str, judged: Judged) -> None:
    refused = [each for each in bodies() if each[2] >= 400]
    for name, body, status in some(refused, "refusal"):
        with judged(name):
            error = MAKERS[wire]().explain(status, {}, json.dumps(body).encode())
            said = sentences_of(body)
            assert not said or any(each in str(error) for each in said)
            assert error.status == status
            assert error.trouble not in ("network", "timeout", "stream")
            assert (error.trouble in ("limit", "quota")) is (status == 429)
            assert "{" not in str(error)
            assert str(error).endswith(".")


def sentences_of(body: Any) -> list[str]:
    """Everything a body says in words, each shortened as a message may be."""
    if isinstance(body, str):
        return [body.rstrip(".")[:100]] if " " in body else []
    inner: Sequence[Any] = [*body.values()] if is_object(body) else body if is_array(body) else []
    return [each for value in inner for each in sentences_of(value)]
