"""The official client of OpenAI and our wire say the same to a Responses server on loopback, twice."""

import asyncio
import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import pytest
from openai import AsyncOpenAI
from tests.conftest import Serve
from tests.providers.tiny import ask_message

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Message,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.http.remote import RemoteProvider
from oneclaw.providers.http.sse import ServerEvents
from oneclaw.providers.openai_responses.wire import OpenAIResponses

Item = dict[str, Any]
KEY = "sk-openai-1234567890"
PNG = b"\x89PNG\r\n\x1a\nrest"
READ = ToolDefinition(
    name="read_file",
    description="Reads.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "mode": {"type": "string", "enum": ["a", "b"]}},
        "required": ["path"],
        "additionalProperties": False,
    },
)
# Strict mode: every property required, null for one that may be left out.
SDK_TOOL: Item = {
    "type": "function",
    "name": "read_file",
    "description": "Reads.",
    "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "mode": {"type": ["string", "null"], "enum": ["a", "b", None]},
        },
        "required": ["path", "mode"],
        "additionalProperties": False,
    },
    "strict": True,
}
REASONING: Item = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Think."}],
    "encrypted_content": "gAAAAABo",
}
SAID: Item = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "I look.", "annotations": [], "logprobs": []}],
}
CALLED: Item = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_9",
    "name": "read_file",
    "arguments": '{"path": "/x", "mode": null}',
}
OUTPUT = [REASONING, SAID, CALLED]
USAGE: Item = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 16,
}
RESPONSE: Item = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "status": "in_progress",
}


def events() -> list[Item]:
    deltas: list[Item] = [
        {
            "type": "response.reasoning_summary_text.delta",
            "item_id": "rs_1",
            "output_index": 0,
            "summary_index": 0,
        },
        {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 1, "content_index": 0},
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 2},
    ]
    part: Item = {"type": "output_text", "text": "", "annotations": []}
    summary = {"type": "summary_text", "text": ""}
    pieces = ["Think.", "I look.", CALLED["arguments"]]
    empty: list[Item] = [
        {"summary": []},
        {"content": [], "status": "in_progress"},
        {"arguments": "", "status": "in_progress"},
    ]
    whole: list[Item] = [{"type": "response.created", "response": RESPONSE}]
    for index, item in enumerate(OUTPUT):
        whole.append(
            {"type": "response.output_item.added", "output_index": index, "item": {**item, **empty[index]}}
        )
        if index == 0:
            where = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
            whole.append({"type": "response.reasoning_summary_part.added", "part": summary, **where})
        if index == 1:
            where = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
            whole.append({"type": "response.content_part.added", "part": part, **where})
        half = len(pieces[index]) // 2
        whole += [{**deltas[index], "delta": text} for text in (pieces[index][:half], pieces[index][half:])]
        whole.append({"type": "response.output_item.done", "output_index": index, "item": item})
    done = {**RESPONSE, "status": "completed", "output": OUTPUT, "usage": USAGE}
    whole.append({"type": "response.completed", "response": done})
    return [{**event, "sequence_number": number} for number, event in enumerate(whole)]


def answered() -> bytes:
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events()).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + body


@dataclass
class Seen:
    """One request as the server got it."""

    first: str
    headers: dict[str, str]
    body: Item


def parse(raw: bytes) -> Seen:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Seen(first, headers, json.loads(body))


def ours(port: int) -> RemoteProvider:
    return RemoteProvider(
        OpenAIResponses(), f"http://127.0.0.1:{port}/v1", key=lambda: KEY, label="openai", attempts=1
    )


def request(*messages: Message) -> Request:
    return Request("gpt-5", messages, "Be brief.", (READ,), most_tokens=300)


async def ask_by_sdk(port: int, items: list[Any]) -> Any:
    async with AsyncOpenAI(api_key=KEY, base_url=f"http://127.0.0.1:{port}/v1", max_retries=0) as client:
        stream = client.responses.stream(
            model="gpt-5",
            instructions="Be brief.",
            input=items,
            tools=[SDK_TOOL],  # pyright: ignore[reportArgumentType]
            store=False,
            include=["reasoning.encrypted_content"],
            max_output_tokens=300,
        )
        async with stream as answer:
            return await answer.get_final_response()


HISTORY: tuple[Message, ...] = (
    UserMessage("What is it?", (Image(PNG, "image/png"),)),
    AssistantMessage(
        (
            TextPart("Both at once."),
            CallPart(ToolCall("read_file", '{"path":"a"}', "call_1")),
            CallPart(ToolCall("read_file", {"path": "b"}, "call_2")),
        ),
        "calls",
        "anthropic",
    ),
    ResultsMessage(
        (
            ToolResult("call_1", "read_file", "text", images=(Image(PNG, "image/png"),)),
            ToolResult("call_2", "read_file", kind=Kind.FILE_NOT_FOUND, message="There is no b."),
        )
    ),
)


def sdk_history() -> list[Any]:
    """The same conversation, written as the SDK's users write it."""
    picture = {
        "type": "input_image",
        "detail": "auto",
        "image_url": f"data:image/png;base64,{b64encode(PNG).decode()}",
    }
    failed = '{"status":"error","error_type":"file_not_found","message":"There is no b."}'
    shown = {"type": "input_text", "text": '{"status":"success","result":"text"}'}
    return [
        {"role": "user", "content": [{"type": "input_text", "text": "What is it?"}, picture]},
        {"role": "assistant", "content": "Both at once."},
        {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": '{"path":"a"}'},
        {"type": "function_call", "call_id": "call_2", "name": "read_file", "arguments": '{"path":"b"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": [shown, picture]},
        {"type": "function_call_output", "call_id": "call_2", "output": failed},
    ]


async def test_both_say_the_same_hear_the_same_and_go_on_the_same(serve: Serve) -> None:
    port, seen = await serve(answered())
    heard = await ask_by_sdk(port, sdk_history())
    message = await ask_message(ours(port), request(*HISTORY))
    theirs, mine = map(parse, seen)
    assert mine.first == theirs.first == "POST /v1/responses HTTP/1.1"
    assert mine.headers["authorization"] == theirs.headers["authorization"] == f"Bearer {KEY}"
    assert mine.headers["content-type"] == theirs.headers["content-type"] == "application/json"
    assert mine.body == theirs.body

    thought, text, call = message.parts
    assert isinstance(thought, ThoughtPart)
    assert isinstance(text, TextPart)
    assert isinstance(call, CallPart)
    assert thought.text == heard.output[0].summary[0].text
    assert text.text == heard.output_text
    assert call.call.id == heard.output[2].call_id
    # The SDK leaves the null of strict mode to its user; to us it is left out.
    assert json.loads(heard.output[2].arguments) == {"path": "/x", "mode": None}
    assert call.call.arguments == {"path": "/x"}
    assert message.usage.input == heard.usage.input_tokens
    assert message.usage.cached == heard.usage.input_tokens_details.cached_tokens
    assert (message.finish, message.model) == ("calls", "openai/gpt-5")

    done = ToolResult("call_9", "read_file", "found")
    output = {"type": "function_call_output", "call_id": "call_9", "output": done.to_json()}
    # As OpenAI's own guide goes on: everything of the answer, then the output.
    await ask_by_sdk(port, [*sdk_history(), *heard.output, output])
    await ask_message(ours(port), request(*HISTORY, message, ResultsMessage((done,))))
    theirs, mine = map(parse, seen[2:])
    assert mine.body["input"][:-4] == theirs.body["input"][:-4] == parse(seen[0]).body["input"]
    assert mine.body["input"][-4:] == [*OUTPUT, output]
    assert mine.body == {**theirs.body, "input": [clean(item) for item in theirs.body["input"]]}


def clean(item: Item) -> Item:
    """Without what the SDK adds to an answer it parsed, and the server never said."""
    kept = {name: value for name, value in item.items() if name != "parsed_arguments"}
    if item.get("type") == "message":
        kept["content"] = [
            {name: value for name, value in part.items() if name != "parsed"} for part in kept["content"]
        ]
    return kept


async def test_an_answer_broken_at_any_event_is_told_and_its_call_is_not_run(serve: Serve) -> None:
    whole = answered()
    head, _, body = whole.partition(b"\r\n\r\n")
    ends = [at for at in range(len(body)) if body.startswith(b"\n\n", at)][:-1]
    pieces = [body[: at + 2] for at in ends]
    left = iter(pieces)

    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(head + b"\r\n\r\n" + next(left))

    port, seen = await serve(answer)
    for piece in pieces:
        if b".delta" in piece or b"output_item.done" in piece:
            message = await ask_message(ours(port), request(UserMessage("hi")))
            assert message.finish == "cut"
            assert all(call.fault for call in message.calls)
        else:
            with pytest.raises(ProviderError) as raised:
                await ask_message(ours(port), request(UserMessage("hi")))
            assert raised.value.trouble in ("network", "stream")
    assert len(seen) == len(pieces)


def test_an_answer_cut_at_any_byte_is_not_whole_and_its_call_is_not_run() -> None:
    body = answered().partition(b"\r\n\r\n")[2]
    end = body.rindex(b"data:")
    wire = OpenAIResponses()
    for cut in range(0, end, 3):
        parser, reader = ServerEvents(), wire.reader(request())
        try:
            for event in [*parser.feed(body[:cut]), *parser.finish()]:
                reader.feed(event)
        except ProviderError as error:
            trouble = error.trouble
        else:
            trouble = "stream"
        assert trouble == "stream"
        assert not reader.is_complete
        assert all(call.fault for call in reader.message().calls)


@pytest.mark.parametrize(
    ("status", "body", "trouble"),
    [
        (401, {"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}, "key"),
        (400, {"error": {"message": "Your input exceeds the context window of this model."}}, "window"),
        (
            429,
            {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}},
            "quota",
        ),
        (400, {"error": {"message": "Unsupported parameter: 'temperature'."}}, "request"),
    ],
)
async def test_a_refusal_is_told_by_what_it_is(serve: Serve, status: int, body: Item, trouble: str) -> None:
    sent = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} No\r\ncontent-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n"
    port, _ = await serve(head.encode() + sent)
    with pytest.raises(ProviderError) as raised:
        await ask_message(ours(port), request(UserMessage("hi")))
    assert (raised.value.trouble, raised.value.status) == (trouble, status)
    assert KEY not in str(raised.value)
