"""The official client of Anthropic and our wire say the same to a server on loopback, and hear the same."""

import asyncio
import json
from base64 import b64encode
from typing import Any

from anthropic import AsyncAnthropic
from tests.conftest import Serve

from oneclaw.core.answer import Answered
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Message,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import Request
from oneclaw.providers.http.remote import RemoteProvider

PNG = b"\x89PNG\r\n\x1a\nrest"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "mode": {"type": "string", "enum": ["a", "b"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}
READ = ToolDefinition(name="read_file", description="Reads.", parameters=SCHEMA)
KEY = "sk-ant-1234567890"
USAGE = {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 2}
EVENTS: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": USAGE,
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I look."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_9", "name": "read_file", "input": {}},
    },
    *(
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": piece},
        }
        for piece in ('{"path":', '"/x"}')
    ),
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 7},
    },
    {"type": "message_stop"},
]
HISTORY: list[Message] = [
    UserMessage("What is it?", (Image(PNG, "image/png"),)),
    AssistantMessage(
        (
            TextPart("Both at once."),
            CallPart(ToolCall("read_file", '{"path":"a"}', "toolu_1")),
            CallPart(ToolCall("read_file", {"path": "b"}, "toolu_2")),
        ),
        "calls",
        "anthropic",
    ),
    ResultsMessage(
        (
            ToolResult("toolu_1", "read_file", "text", images=(Image(PNG, "image/png"),)),
            ToolResult("toolu_2", "read_file", kind=Kind.FILE_NOT_FOUND, message="There is no b."),
        )
    ),
]


def answered() -> bytes:
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + body


def parse(raw: bytes) -> tuple[str, dict[str, str], dict[str, Any]]:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return first, headers, json.loads(body)


async def ask_by_sdk(port: int) -> Any:
    """The same conversation, written as the SDK's users write it."""
    picture = {"type": "base64", "media_type": "image/png", "data": b64encode(PNG).decode()}
    image = {"type": "image", "source": picture}
    failed = '{"status":"error","error_type":"file_not_found","message":"There is no b."}'
    messages: list[Any] = [
        {"role": "user", "content": [image, {"type": "text", "text": "What is it?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Both at once."},
                {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a"}},
                {"type": "tool_use", "id": "toolu_2", "name": "read_file", "input": {"path": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": '{"status":"success","result":"text"}'}, image],
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "content": [{"type": "text", "text": failed}],
                    "is_error": True,
                },
            ],
        },
    ]
    base_url = f"http://127.0.0.1:{port}"
    async with (
        AsyncAnthropic(api_key=KEY, base_url=base_url, max_retries=0, timeout=10) as client,
        client.messages.stream(
            model="claude-sonnet-5",
            max_tokens=8192,
            system=[{"type": "text", "text": "Be brief."}],
            messages=messages,
            tools=[{"name": "read_file", "description": "Reads.", "input_schema": SCHEMA}],
        ) as stream,
    ):
        return await stream.get_final_message()


async def ask_by_us(port: int) -> AssistantMessage:
    provider = RemoteProvider(Anthropic(), f"http://127.0.0.1:{port}", key=lambda: KEY, label="anthropic")
    request = Request("claude-sonnet-5", HISTORY, "Be brief.", (READ,))
    try:
        found = [each async for each in provider.answer(request) if isinstance(each, Answered)]
    finally:
        await provider.close()
    return found[0].message


def without_markers(value: Any) -> Any:
    """The one difference between the bodies: the SDK's users set cache markers by hand, we always do."""
    return json.loads(
        json.dumps(value),
        object_hook=lambda each: {name: inner for name, inner in each.items() if name != "cache_control"},
    )


async def test_the_sdk_and_our_wire_send_the_same(serve: Serve) -> None:
    port, seen = await serve(answered())
    async with asyncio.timeout(20):
        await ask_by_sdk(port)
        await ask_by_us(port)
    (sdk_line, sdk_headers, sdk_body), (line, headers, body) = (parse(raw) for raw in seen)
    assert line == sdk_line == "POST /v1/messages HTTP/1.1"
    for name in ("authorization", "anthropic-version", "content-type", "x-api-key", "anthropic-beta"):
        assert headers.get(name) == sdk_headers.get(name), name
    assert without_markers(body) == sdk_body
    assert json.dumps(body).count("cache_control") == 4


async def test_the_sdk_and_our_wire_hear_the_same(serve: Serve) -> None:
    port, _ = await serve(answered())
    async with asyncio.timeout(20):
        theirs = await ask_by_sdk(port)
        ours = await ask_by_us(port)
    text, call = theirs.content
    assert ours.text == text.text
    assert [(each.id, each.name) for each in ours.calls] == [(call.id, call.name)]
    assert json.loads(str(ours.calls[0].arguments)) == call.input
    assert ours.finish == "calls"
    assert ours.model == "anthropic/claude-sonnet-5"
    assert (ours.usage.input, ours.usage.cached, ours.usage.output) == (7, 2, theirs.usage.output_tokens)
