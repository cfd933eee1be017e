"""OpenAI's client and our chat wire say the same to a server on loopback, and hear the same."""

import asyncio
import json
from typing import Any

from openai import AsyncOpenAI
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
    Usage,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request
from oneclaw.providers.http.remote import RemoteProvider
from oneclaw.providers.openai_chat.wire import OpenAIChat

PICTURE = Image(b"\x89PNG\r\n\x1a\nrest", "image/png")
PICTURE_URL = "data:image/png;base64,iVBORw0KGgpyZXN0"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "mode": {"type": "string", "enum": ["a", "b"]}},
    "required": ["path", "mode"],
    "additionalProperties": False,
}
READ = ToolDefinition(name="read_file", description="Reads.", parameters=SCHEMA)
KEY = "sk-1234567890"
HISTORY: list[Message] = [
    UserMessage("What is it?", (PICTURE,)),
    AssistantMessage(
        (
            TextPart("Both at once."),
            CallPart(ToolCall("read_file", '{"path":"a","mode":"a"}', "call_1")),
            CallPart(ToolCall("read_file", {"path": "b", "mode": "b"}, "call_2")),
        ),
        "calls",
        "openai_chat",
    ),
    ResultsMessage(
        (
            ToolResult("call_1", "read_file", "text", images=(PICTURE,)),
            ToolResult("call_2", "read_file", kind=Kind.FILE_NOT_FOUND, message="There is no b."),
        )
    ),
]


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-4o",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def fragment(index: int, **function: str) -> dict[str, Any]:
    first = {"id": f"call_{index + 7}", "type": "function"} if "name" in function else {}
    return {"tool_calls": [{"index": index, **first, "function": function}]}


USAGE = {
    "prompt_tokens": 50,
    "completion_tokens": 9,
    "total_tokens": 59,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 4},
}
CHUNKS: list[dict[str, Any]] = [
    chunk({"role": "assistant", "content": None}),
    chunk({"content": "I look."}),
    chunk(fragment(0, name="read_file", arguments="")),
    chunk(fragment(0, arguments='{"pa')),
    chunk(fragment(0, arguments='th":"/x"}')),
    chunk(fragment(1, name="read_file", arguments="{}")),
    chunk(fragment(1, arguments="")),
    chunk({}, "tool_calls"),
    {**chunk({}), "choices": [], "usage": USAGE},
]


def answered() -> bytes:
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in CHUNKS) + "data: [DONE]\n\n"
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n{body}".encode()


def parse(raw: bytes) -> tuple[str, dict[str, str], dict[str, Any]]:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return first, headers, json.loads(body)


async def ask_by_sdk(port: int) -> Any:
    """The same conversation, written as the SDK's users write it; gives the whole answer."""
    picture = {"type": "image_url", "image_url": {"url": PICTURE_URL}}
    failed = '{"status":"error","error_type":"file_not_found","message":"There is no b."}'
    told = {"type": "text", "text": "Images in the result of the call call_1 of read_file:"}
    written = {"call_1": '{"path":"a","mode":"a"}', "call_2": '{"path":"b","mode":"b"}'}
    asked = [
        {"id": call_id, "type": "function", "function": {"name": "read_file", "arguments": arguments}}
        for call_id, arguments in written.items()
    ]
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]},
        {"role": "assistant", "content": "Both at once.", "tool_calls": asked},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"status":"success","result":"text"}'},
        {"role": "tool", "tool_call_id": "call_2", "content": failed},
        {"role": "user", "content": [told, picture]},
    ]
    function: Any = {"name": "read_file", "description": "Reads.", "parameters": SCHEMA, "strict": True}
    async with (
        AsyncOpenAI(api_key=KEY, base_url=f"http://127.0.0.1:{port}/v1", max_retries=0, timeout=10) as client,
        client.chat.completions.stream(
            model="gpt-4o",
            max_tokens=500,
            messages=messages,
            tools=[{"type": "function", "function": function}],
            stream_options={"include_usage": True},
        ) as stream,
    ):
        return await stream.get_final_completion()


async def ask_by_us(port: int) -> AssistantMessage:
    provider = RemoteProvider(OpenAIChat(), f"http://127.0.0.1:{port}/v1", key=lambda: KEY, label="openai")
    request = Request("gpt-4o", HISTORY, "Be brief.", (READ,), most_tokens=500)
    try:
        found = [each async for each in provider.answer(request) if isinstance(each, Answered)]
    finally:
        await provider.close()
    return found[0].message


async def test_the_sdk_and_our_wire_send_the_same(serve: Serve) -> None:
    port, seen = await serve(answered())
    async with asyncio.timeout(20):
        await ask_by_sdk(port)
        await ask_by_us(port)
    (sdk_line, sdk_headers, sdk_body), (line, headers, body) = (parse(raw) for raw in seen)

    assert line == sdk_line == "POST /v1/chat/completions HTTP/1.1"
    for name in ("authorization", "content-type"):
        assert headers.get(name) == sdk_headers.get(name), name
    assert body == sdk_body  # no difference is allowed


async def test_the_sdk_and_our_wire_hear_the_same(serve: Serve) -> None:
    port, _ = await serve(answered())
    async with asyncio.timeout(20):
        completion = await ask_by_sdk(port)
        message = await ask_by_us(port)
    theirs = completion.choices[0].message

    assert message.text == theirs.content == "I look."
    assert [(call.id, call.name, call.arguments) for call in message.calls] == [
        (call.id, call.function.name, call.function.arguments) for call in theirs.tool_calls
    ]
    assert (message.finish, completion.choices[0].finish_reason) == ("calls", "tool_calls")
    assert message.usage == Usage(50, 9, cached=40, reasoning=4)
    assert message.usage.total == completion.usage.total_tokens
    assert (message.wire, message.model) == ("openai_chat", "openai/gpt-4o")
