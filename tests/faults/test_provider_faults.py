"""One stream of every provider, cut at every byte: whole after a retry, or with calls that never run."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest

from oneclaw.core.answer import Answered, AnswerRestarted
from oneclaw.core.message import AssistantMessage, UserMessage
from oneclaw.core.tool import ToolDefinition
from oneclaw.guard.network.pool import Answer as Response
from oneclaw.providers.base import ProviderError, Request, Wire
from oneclaw.providers.catalog import ProviderSettings
from oneclaw.providers.connect import make_wire
from oneclaw.providers.http.arrival import Patience, read_answer
from oneclaw.providers.http.remote import RemoteProvider, cut
from oneclaw.providers.http.retry import Retry

Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = tuple(
    ToolDefinition(name=name, description=f"The tool {name}.", parameters=PARAMETERS)
    for name in ("read_file", "list_files")
)
REQUEST = Request("m1", (UserMessage("Read ä and list b."),), tools=TOOLS)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
TEXT = "I read „ä“ 😀 first."
CALLS = [("read_file", {"path": "ä.txt"}), ("list_files", {"path": "b"})]
WIRES = ("openai_chat", "openai_responses", "anthropic", "gemini")


def sse(events: list[dict[str, Any]], *, is_named: bool, end: str = "") -> bytes:
    lines = [
        (f"event: {event['type']}\n" if is_named else "")
        + f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
        for event in events
    ]
    return ("".join(lines) + end).encode()


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def chat() -> bytes:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m1",
            "choices": [choice],
        }

    def call(index: int, **function: Any) -> dict[str, Any]:
        begun = {"id": f"call_{index}", "type": "function"} if "name" in function else {}
        return chunk({"tool_calls": [{"index": index, **begun, "function": function}]})

    events = [chunk({"role": "assistant", "content": half}) for half in halves(TEXT)]
    events += [call(index, name=name, arguments="") for index, (name, _) in enumerate(CALLS)]
    for half in (0, 1):  # the two calls are written side by side
        events += [
            call(index, arguments=halves(json.dumps(each))[half]) for index, (_, each) in enumerate(CALLS)
        ]
    events.append(chunk({}, "tool_calls"))
    return sse(events, is_named=False, end="data: [DONE]\n\n")


def responses() -> bytes:
    body: dict[str, Any] = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m1",
        "output": [],
        "status": "in_progress",
    }
    events: list[dict[str, Any]] = [{"type": "response.created", "response": body}]
    part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": []}
    item: dict[str, Any] = {
        "type": "message",
        "id": "i0",
        "role": "assistant",
        "content": [],
        "status": "in_progress",
    }
    at = {"output_index": 0, "item_id": "i0", "content_index": 0}
    events += [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **at, "part": part},
        *({"type": "response.output_text.delta", **at, "delta": half} for half in halves(TEXT)),
        {"type": "response.output_text.done", **at, "text": TEXT},
        {"type": "response.content_part.done", **at, "part": {**part, "text": TEXT}},
    ]
    items: list[dict[str, Any]] = [{**item, "status": "completed", "content": [{**part, "text": TEXT}]}]
    events.append({"type": "response.output_item.done", "output_index": 0, "item": items[0]})
    for index, (name, arguments) in enumerate(CALLS, 1):
        text = json.dumps(arguments)
        item = {"type": "function_call", "id": f"i{index}", "call_id": f"call_{index}", "name": name}
        whole = {**item, "arguments": text, "status": "completed"}
        at = {"output_index": index, "item_id": f"i{index}"}
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}},
            *(
                {"type": "response.function_call_arguments.delta", **at, "delta": half}
                for half in halves(text)
            ),
            {"type": "response.function_call_arguments.done", **at, "arguments": text},
            {"type": "response.output_item.done", "output_index": index, "item": whole},
        ]
        items.append(whole)
    events.append(
        {"type": "response.completed", "response": {**body, "status": "completed", "output": items}}
    )
    return sse([{**event, "sequence_number": number} for number, event in enumerate(events)], is_named=True)


def anthropic() -> bytes:
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m1",
    }
    usage = {"input_tokens": 10, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": usage}}]
    events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    for half in halves(TEXT):
        events.append(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": half}}
        )
    events += [{"type": "content_block_stop", "index": 0}, {"type": "ping"}]
    for index, (name, arguments) in enumerate(CALLS, 1):
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for half in halves(json.dumps(arguments)):
            delta = {"type": "input_json_delta", "partial_json": half}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": "tool_use", "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    return sse(events, is_named=True)


def gemini() -> bytes:
    def chunk(*parts: dict[str, Any], **rest: Any) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **rest}
        return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}

    calls = [
        {"functionCall": {"id": f"f{index}", "name": name, "args": arguments}, "thoughtSignature": "c2ln"}
        for index, (name, arguments) in enumerate(CALLS)
    ]
    events = [*(chunk({"text": half}) for half in halves(TEXT)), chunk(calls[0])]
    return sse([*events, chunk(calls[1]), chunk({"text": ""}, finishReason="STOP")], is_named=False)


STREAMS = {
    "openai_chat": chat(),
    "openai_responses": responses(),
    "anthropic": anthropic(),
    "gemini": gemini(),
}


def wire_of(name: str) -> Wire:
    return make_wire(ProviderSettings("p", name, "http://127.0.0.1"))


def plain(message: AssistantMessage) -> AssistantMessage:
    """Without what is counted: the tokens come last, and may be missing where the answer itself is whole."""
    return AssistantMessage(message.parts, message.finish, message.wire)


async def read(wire: Wire, body: bytes, *, is_reset: bool) -> tuple[AssistantMessage, bool]:
    """The message of a body that ends here, or that the connection breaks off; and whether it is complete."""

    async def chunks() -> AsyncIterator[bytes]:
        yield body
        if is_reset:
            raise ProviderError("The connection was reset.", "network")

    reader = wire.reader(REQUEST)
    response = Response(200, "OK", (("content-type", "text/event-stream"),), chunks())
    try:
        async with aclosing(read_answer(response, reader, Patience(10, 10))) as progress:
            async for _ in progress:
                pass
    except ProviderError as error:
        if error.trouble not in ("stream", "network"):
            raise
    return reader.message(), reader.is_complete


def check_broken(message: AssistantMessage, whole: AssistantMessage) -> None:
    assert message.finish == "cut"
    assert whole.text.startswith(message.text)
    assert all(call.fault for call in message.calls)
    assert len(message.calls) <= len(whole.calls)


async def whole_of(name: str) -> AssistantMessage:
    message, is_complete = await read(wire_of(name), STREAMS[name], is_reset=False)
    assert is_complete
    assert message.text == TEXT
    assert [
        (call.name, json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments)
        for call in message.calls
    ] == CALLS
    assert [call.fault for call in message.calls] == ["", ""]
    assert message.finish == "calls"
    return plain(message)


@pytest.mark.parametrize("is_reset", [False, True], ids=["ends", "is reset"])
@pytest.mark.parametrize("name", WIRES)
async def test_a_stream_cut_at_any_byte_is_whole_or_its_calls_never_run(name: str, is_reset: bool) -> None:
    wire, stream, whole = wire_of(name), STREAMS[name], await whole_of(name)
    broken = complete = with_calls = 0
    for place in range(len(stream)):
        message, is_complete = await read(wire, stream[:place], is_reset=is_reset)
        if is_complete:
            assert plain(message) == whole
            complete += 1
        else:
            check_broken(cut(message), whole)
            with_calls += bool(message.calls)
            broken += 1
    # What was cut before its end is never taken for whole.
    assert broken > len(stream) / 2
    assert with_calls > 50
    assert complete < 200


@pytest.mark.parametrize("name", WIRES)
async def test_a_stream_with_any_byte_wrong_is_an_answer_or_a_clean_failure(name: str) -> None:
    wire, stream, chance = wire_of(name), STREAMS[name], random.Random(7)
    complete = broken = 0
    for _ in range(400):
        spoiled = bytearray(stream)
        for _ in range(chance.choice((1, 3, 30))):
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
        # Anything but `ProviderError` comes out of `read` and fails the test.
        message, is_complete = await read(wire, bytes(spoiled), is_reset=False)
        complete += is_complete
        broken += not is_complete
        if not is_complete:
            assert all(call.fault for call in cut(message).calls)
    assert complete > 20
    assert broken > 20


def server(stream: bytes, place: int, *, is_mended: bool, is_reset: bool) -> Any:
    asked = 0

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        writer.write(HEAD + (stream if is_mended and asked > 1 else stream[:place]))
        await writer.drain()
        if is_reset and not (is_mended and asked > 1):
            writer.transport.abort()

    return answer


async def ask(name: str, port: int, attempts: int) -> tuple[list[Any], AssistantMessage | ProviderError]:
    provider = RemoteProvider(
        wire_of(name),
        f"http://127.0.0.1:{port}",
        key=lambda: "k",
        label="p",
        attempts=attempts,
        retry=Retry(first_seconds=0.001),
    )
    given: list[Any] = []
    try:
        async for answer in provider.answer(REQUEST):
            given.append(answer)
    except ProviderError as error:
        return given, error
    finally:
        await provider.close()
    last = given[-1]
    assert isinstance(last, Answered)
    return given, last.message


@pytest.mark.parametrize("name", WIRES)
async def test_over_a_socket_a_cut_answer_is_had_again(name: str, serve: Serve) -> None:
    stream, whole = STREAMS[name], await whole_of(name)
    for number, place in enumerate(range(0, len(stream), 211)):
        port, seen = await serve(server(stream, place, is_mended=True, is_reset=number % 2 == 0))
        given, message = await ask(name, port, attempts=2)
        assert isinstance(message, AssistantMessage)
        assert plain(message) == whole
        assert message.model == "p/m1"
        assert len(seen) == 1 + sum(isinstance(each, AnswerRestarted) for each in given)


@pytest.mark.parametrize("name", WIRES)
async def test_over_a_socket_an_answer_that_stays_cut_is_given_with_its_calls_stopped(
    name: str, serve: Serve
) -> None:
    stream, whole = STREAMS[name], await whole_of(name)
    for place in range(0, len(stream), 211):
        port, seen = await serve(server(stream, place, is_mended=False, is_reset=False))
        _, message = await ask(name, port, attempts=1)
        assert len(seen) == 1
        if isinstance(message, ProviderError):
            assert message.trouble in ("stream", "network")
        elif plain(message) != whole:
            check_broken(message, whole)
