"""The official clients and our wires say the same to a server on loopback, and hear the same."""

import json
import warnings
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from tests.providers.formats.every import BY_WIRE
from tests.providers.formats.format import Call, Json, Text, Thought
from tests.providers.tiny import ask_message
from tests.providers.wires import MAKERS

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
from oneclaw.testing import AnswerServer, ServedRequest
from oneclaw.testing.answers import arguments_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the SDK has an escape sequence that Python warns of
    from google import genai
    from google.genai import types

KEY = "sk-1234567890"
PNG = b"\x89PNG\r\n\x1a\nrest"
PNG_TEXT = b64encode(PNG).decode()
SEAL = "c2lnbmF0dXJl"
SCHEMA: Json = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "mode": {"type": "string", "enum": ["a", "b"]}},
    "required": ["path"],
    "additionalProperties": False,
}
STRICT: Json = {
    **SCHEMA,
    "properties": {
        "path": {"type": "string"},
        "mode": {"type": ["string", "null"], "enum": ["a", "b", None]},
    },
    "required": ["path", "mode"],
}
READ = ToolDefinition(name="read_file", description="Reads.", parameters=SCHEMA)
FUNCTION: Json = {"name": "read_file", "description": "Reads.", "parameters": STRICT, "strict": True}
DONE = '{"status":"success","result":"text"}'
FAILED = '{"status":"error","error_type":"file_not_found","message":"There is no b."}'
ANSWER = (Thought("Think.", SEAL), Text("I look."), Call("read_file", {"path": "/x"}, "call_9"))
SPENT = Usage(input=9, output=7, cached=4, reasoning=3)


def conversation(wire: str) -> tuple[Message, ...]:
    picture = Image(PNG, "image/png")
    first = CallPart(
        ToolCall("read_file", '{"path":"a"}', "call_1"),
        {"thoughtSignature": SEAL} if wire == "gemini" else None,
    )
    second = CallPart(ToolCall("read_file", {"path": "b"}, "call_2"))
    results = (
        ToolResult("call_1", "read_file", "text", images=(picture,)),
        ToolResult("call_2", "read_file", kind=Kind.FILE_NOT_FOUND, message="There is no b."),
    )
    return (
        UserMessage("What is it?", (picture,)),
        AssistantMessage((TextPart("Both at once."), first, second), "calls", wire),
        ResultsMessage(results),
    )


@dataclass(frozen=True, slots=True)
class Understood:
    """What a client makes of the answer."""

    text: str
    calls: Sequence[tuple[str, str, Any]]
    tokens: int
    answer: Any = None


# Each client is used as its users use it, with the conversation in its own words.


async def ask_anthropic(url: str) -> Understood:
    source = {"type": "base64", "media_type": "image/png", "data": PNG_TEXT}
    image = {"type": "image", "source": source}
    calls = [
        {"type": "tool_use", "id": f"call_{number}", "name": "read_file", "input": {"path": path}}
        for number, path in ((1, "a"), (2, "b"))
    ]
    results: list[Json] = [
        {
            "type": "tool_result",
            "tool_use_id": "call_1",
            "content": [{"type": "text", "text": DONE}, image],
        },
        {
            "type": "tool_result",
            "tool_use_id": "call_2",
            "content": [{"type": "text", "text": FAILED}],
            "is_error": True,
        },
    ]
    messages: list[Any] = [
        {"role": "user", "content": [image, {"type": "text", "text": "What is it?"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Both at once."}, *calls]},
        {"role": "user", "content": results},
    ]
    async with (
        AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0, timeout=10) as client,
        client.messages.stream(
            model="test-model",
            max_tokens=300,
            system=[{"type": "text", "text": "Be brief."}],
            messages=messages,
            tools=[{"name": "read_file", "description": "Reads.", "input_schema": SCHEMA}],
        ) as stream,
    ):
        heard: Any = await stream.get_final_message()
    _, text, call = heard.content
    counted = heard.usage
    read = counted.input_tokens + counted.cache_read_input_tokens + counted.cache_creation_input_tokens
    return Understood(text.text, [(call.id, call.name, call.input)], read + counted.output_tokens)


async def ask_chat(url: str) -> Understood:
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG_TEXT}"}}
    told = {"type": "text", "text": "Images in the result of the call call_1 of read_file:"}
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": "read_file", "arguments": written}}
        for number, written in ((1, '{"path":"a"}'), (2, '{"path":"b"}'))
    ]
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]},
        {"role": "assistant", "content": "Both at once.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_1", "content": DONE},
        {"role": "tool", "tool_call_id": "call_2", "content": FAILED},
        {"role": "user", "content": [told, picture]},
    ]
    function: Any = FUNCTION
    async with (
        AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0, timeout=10) as client,
        client.chat.completions.stream(
            model="test-model",
            max_tokens=300,
            messages=messages,
            tools=[{"type": "function", "function": function}],
            stream_options={"include_usage": True},
        ) as stream,
    ):
        heard: Any = await stream.get_final_completion()
    said = heard.choices[0].message
    calls = [(each.id, each.function.name, json.loads(each.function.arguments)) for each in said.tool_calls]
    return Understood(said.content, calls, heard.usage.total_tokens)


def responses_items() -> list[Any]:
    url = f"data:image/png;base64,{PNG_TEXT}"
    picture = {"type": "input_image", "detail": "auto", "image_url": url}
    call = {"type": "function_call", "name": "read_file"}
    output = {"type": "function_call_output"}
    return [
        {"role": "user", "content": [{"type": "input_text", "text": "What is it?"}, picture]},
        {"role": "assistant", "content": "Both at once."},
        {**call, "call_id": "call_1", "arguments": '{"path":"a"}'},
        {**call, "call_id": "call_2", "arguments": '{"path":"b"}'},
        {**output, "call_id": "call_1", "output": [{"type": "input_text", "text": DONE}, picture]},
        {**output, "call_id": "call_2", "output": FAILED},
    ]


async def ask_responses(url: str, *more: Any) -> Understood:
    tool: Any = {"type": "function", **FUNCTION}
    async with (
        AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0) as client,
        client.responses.stream(
            model="test-model",
            instructions="Be brief.",
            input=[*responses_items(), *more],
            tools=[tool],
            store=False,
            max_output_tokens=300,
        ) as answer,
    ):
        heard: Any = await answer.get_final_response()
    call = heard.output[2]
    calls = [(call.call_id, call.name, json.loads(call.arguments))]
    return Understood(heard.output_text, calls, heard.usage.total_tokens, heard.output)


async def ask_gemini(url: str, **settings: Any) -> Understood:
    image = types.Part.from_bytes(data=PNG, mime_type="image/png")
    calls = [
        types.FunctionCall(id=f"call_{number}", name="read_file", args={"path": path})
        for number, path in ((1, "a"), (2, "b"))
    ]
    shown = types.FunctionResponsePart.from_bytes(data=PNG, mime_type="image/png")
    results = [
        types.FunctionResponse(id=f"call_{at}", name="read_file", response=json.loads(said), parts=parts)
        for at, said, parts in ((1, DONE, [shown]), (2, FAILED, None))
    ]
    contents: list[Any] = [
        types.Content(role="user", parts=[types.Part(text="What is it?"), image]),
        types.Content(
            role="model",
            parts=[
                types.Part(text="Both at once."),
                types.Part(function_call=calls[0], thought_signature=b64decode(SEAL)),
                types.Part(function_call=calls[1]),
            ],
        ),
        types.Content(role="user", parts=[types.Part(function_response=each) for each in results]),
    ]
    declared = types.FunctionDeclaration(
        name="read_file", description="Reads.", parameters_json_schema=SCHEMA
    )
    config = types.GenerateContentConfig(
        system_instruction="Be brief.",
        max_output_tokens=300,
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        **settings,
    )
    # The address has the version with all that is new, as the SDK's was until lately; there it is a choice.
    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=url, api_version="v1beta"))
    try:
        stream = await client.aio.models.generate_content_stream(  # pyright: ignore[reportUnknownMemberType]
            model=MODELS["gemini"], contents=contents, config=config
        )
        chunks = [chunk async for chunk in stream]
    finally:
        await client.aio.aclose()
        client.close()
    parts = [part for chunk in chunks for part in (chunk.parts or [])]
    called = [each for part in parts if (each := part.function_call)]
    counted = chunks[-1].usage_metadata
    assert counted
    return Understood(
        "".join(part.text or "" for part in parts if not part.thought),
        [(str(each.id), str(each.name), each.args) for each in called],
        sum(filter(None, (counted.prompt_token_count, counted.candidates_token_count)))
        + (counted.thoughts_token_count or 0),
    )


MODELS = {"gemini": "gemini-3-pro-preview"}
CLIENTS: dict[str, Callable[[str], Awaitable[Understood]]] = {
    "anthropic": ask_anthropic,
    "gemini": ask_gemini,
    "openai_chat": ask_chat,
    "openai_responses": ask_responses,
}
HEADERS = (
    *("authorization", "content-type", "anthropic-version", "anthropic-beta", "x-api-key"),
    "x-goog-api-key",
)
UNDERSCORED = {
    "parameters_json_schema": "parametersJsonSchema",
    "inline_data": "inlineData",
    "mime_type": "mimeType",
    "include_thoughts": "includeThoughts",
}
"""Google's SDK writes these names with underscores, and Google reads both."""


def comparable(request: ServedRequest) -> Json:
    """A body without the two differences allowed: the spelling of Google's names, and cache markers.

    Users of Anthropic's SDK set the markers by hand; we always do.
    """

    def plain(each: Json) -> Json:
        return {UNDERSCORED.get(name, name): inner for name, inner in each.items() if name != "cache_control"}

    return json.loads(request.body, object_hook=plain)


def playing(wire: str) -> AnswerServer:
    events = [event for events in BY_WIRE[wire].stream(ANSWER, SPENT) for event in events]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    return AnswerServer(head + b"".join(events))


async def ask_by_us(wire: str, url: str, *more: Message, **fields: Any) -> AssistantMessage:
    model = MODELS.get(wire, "test-model")
    request = Request(model, (*conversation(wire), *more), "Be brief.", (READ,), most_tokens=300)
    provider = RemoteProvider(MAKERS[wire](), url, key=lambda: KEY, label="test", attempts=1)
    return await ask_message(provider, replace(request, **fields))


@pytest.mark.parametrize("wire", CLIENTS)
async def test_both_send_the_same_and_understand_the_same(wire: str) -> None:
    async with playing(wire) as server:
        url = server.url + BY_WIRE[wire].base
        theirs = await CLIENTS[wire](url)
        ours = await ask_by_us(wire, url)
    their, our = server.requests
    assert (our.method, our.path) == (their.method, their.path)
    for name in HEADERS:
        assert our.headers.get(name) == their.headers.get(name), name
    assert comparable(our) == comparable(their)
    assert ours.text == theirs.text == "I look."
    assert [(call.id, call.name, arguments_of(call)) for call in ours.calls] == theirs.calls
    assert (ours.finish, ours.model) == ("calls", f"test/{MODELS.get(wire, 'test-model')}")
    assert ours.usage == SPENT
    assert ours.usage.total == theirs.tokens


FORBIDDEN = types.ToolConfig(
    function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.NONE)
)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (
            {
                "temperature": 0.5,
                "top_p": 0.25,
                "thinking_config": types.ThinkingConfig(include_thoughts=True),
            },
            {"options": {"temperature": 0.5, "top_p": 0.25, "thinkingConfig": {"includeThoughts": True}}},
        ),
        ({"tool_config": FORBIDDEN}, {"can_call": False}),
    ],
)
async def test_settings_of_gemini_are_sent_the_same(theirs: Json, ours: Json) -> None:
    async with playing("gemini") as server:
        await ask_gemini(server.url, **theirs)
        await ask_by_us("gemini", server.url, **ours)
    assert comparable(server.requests[1]) == comparable(server.requests[0])


async def test_both_go_on_the_same_with_an_answer_of_the_responses_api() -> None:
    """As OpenAI's own guide goes on: everything of the answer, its reasoning too, then the output."""
    done = ToolResult("call_9", "read_file", "found")
    output = {"type": "function_call_output", "call_id": "call_9", "output": done.to_json()}
    async with playing("openai_responses") as server:
        url = f"{server.url}/v1"
        heard = await ask_responses(url)
        message = await ask_by_us("openai_responses", url)
        await ask_responses(url, *heard.answer, output)
        await ask_by_us("openai_responses", url, message, ResultsMessage((done,)))
    theirs, ours = (request.document["input"] for request in server.requests[2:])
    sent = BY_WIRE["openai_responses"].body(ANSWER, SPENT)["output"]
    assert ours[-4:] == [*sent, output]
    assert ours == [clean(item) for item in theirs]


def clean(item: Json) -> Json:
    """Without what the SDK adds to an answer it parsed, and the server never said."""
    kept = {name: value for name, value in item.items() if name != "parsed_arguments"}
    if item.get("type") == "message":
        kept["content"] = [
            {name: value for name, value in part.items() if name != "parsed"} for part in kept["content"]
        ]
    return kept
