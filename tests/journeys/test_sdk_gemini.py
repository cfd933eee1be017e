"""Google's own client and our wire have the same conversation: their requests are compared field by field."""

import json
import threading
import warnings
from base64 import b64decode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request, ServerEvent
from oneclaw.providers.gemini.stream import GeminiReader
from oneclaw.providers.gemini.wire import Gemini

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the SDK has an escape sequence that Python warns of
    from google import genai
    from google.genai import types

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "mode": {"type": "string", "enum": ["a", "b"]}},
    "required": ["path"],
}
READ = ToolDefinition(name="read_file", description="Reads.", parameters=SCHEMA)
PNG = b"\x89PNG\r\n\x1a\n"
SIGNATURE = "c2lnbmF0dXJl"
ANSWER: list[dict[str, Any]] = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Once "}]}, "index": 0}]},
    {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "more."},
                        {
                            "functionCall": {"id": "f2", "name": "read_file", "args": {"path": "/y"}},
                            "thoughtSignature": SIGNATURE,
                        },
                    ],
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
    },
]


class Recorder(BaseHTTPRequestHandler):
    """Writes down each request and answers with the same stream."""

    seen: list[tuple[str, dict[str, str], dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        data = "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture
def server() -> Iterator[tuple[str, list[tuple[str, dict[str, str], dict[str, Any]]]]]:
    seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
    handler = type("Handler", (Recorder,), {"seen": seen})
    with HTTPServer(("127.0.0.1", 0), handler) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}", seen
        made.shutdown()
        thread.join()


def their_contents() -> list[types.Content]:
    """The conversation in the SDK's words."""
    signature = b64decode(SIGNATURE)
    calls = [types.FunctionCall(id=each, name="read_file", args={"path": "/x"}) for each in ("f0", "f1")]
    results = [
        types.FunctionResponse(
            id="f0",
            name="read_file",
            response={"status": "success", "result": "text"},
            parts=[types.FunctionResponsePart.from_bytes(data=PNG, mime_type="image/png")],
        ),
        types.FunctionResponse(
            id="f1",
            name="read_file",
            response={"status": "error", "error_type": "file_not_found", "message": "There is no file."},
        ),
    ]
    return [
        types.Content(
            role="user", parts=[types.Part(text="hi"), types.Part.from_bytes(data=PNG, mime_type="image/png")]
        ),
        types.Content(
            role="model",
            parts=[
                types.Part(text="I look."),
                types.Part(function_call=calls[0], thought_signature=signature),
                types.Part(function_call=calls[1]),
            ],
        ),
        types.Content(role="user", parts=[types.Part(function_response=each) for each in results]),
    ]


def our_request(**more: Any) -> Request:
    """The same conversation in ours."""
    picture = Image(PNG, "image/png")
    calls = [ToolCall("read_file", {"path": "/x"}, each) for each in ("f0", "f1")]
    answer = AssistantMessage(
        (TextPart("I look."), CallPart(calls[0], {"thoughtSignature": SIGNATURE}), CallPart(calls[1])),
        "calls",
        "gemini",
    )
    results = (
        ToolResult("f0", "read_file", "text", images=(picture,)),
        ToolResult("f1", "read_file", None, Kind.FILE_NOT_FOUND, "There is no file."),
    )
    messages = [UserMessage("hi", (picture,)), answer, ResultsMessage(results)]
    return Request("gemini-3-pro-preview", messages, "Be brief.", (READ,), most_tokens=99, **more)


UNDERSCORED = {
    "parameters_json_schema": "parametersJsonSchema",
    "inline_data": "inlineData",
    "mime_type": "mimeType",
    "include_thoughts": "includeThoughts",
}
"""The only difference allowed: the SDK writes these names with underscores, and Google reads both."""


def as_camel(value: Any) -> Any:
    if isinstance(value, dict):
        fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {UNDERSCORED.get(name, name): as_camel(each) for name, each in fields.items()}
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [as_camel(each) for each in items]
    return value


def config(**more: Any) -> types.GenerateContentConfig:
    declared = types.FunctionDeclaration(
        name="read_file", description="Reads.", parameters_json_schema=SCHEMA
    )
    return types.GenerateContentConfig(
        system_instruction="Be brief.",
        max_output_tokens=99,
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        **more,
    )


async def ask(base_url: str, settings: types.GenerateContentConfig) -> list[types.GenerateContentResponse]:
    # The address has the version with all that is new, as the SDK's was until lately; there it is a choice.
    options = types.HttpOptions(base_url=base_url, api_version="v1beta")
    client = genai.Client(api_key="key", http_options=options)
    try:
        stream = await client.aio.models.generate_content_stream(  # pyright: ignore[reportUnknownMemberType]
            model="gemini-3-pro-preview",
            contents=[*their_contents()],
            config=settings,
        )
        return [chunk async for chunk in stream]
    finally:
        await client.aio.aclose()
        client.close()


FORBIDDEN = types.ToolConfig(
    function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.NONE)
)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({}, {}),
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
async def test_our_request_is_the_one_the_official_client_sends(
    server: tuple[str, list[tuple[str, dict[str, str], dict[str, Any]]]],
    theirs: dict[str, Any],
    ours: dict[str, Any],
) -> None:
    base_url, seen = server
    await ask(base_url, config(**theirs))
    ((path, headers, body),) = seen
    request = our_request(**ours)
    assert json.loads(Gemini().write(request)) == as_camel(body)
    assert Gemini().path(request) == path
    assert Gemini().headers("key").items() <= headers.items()


async def test_the_official_client_reads_the_same_answer(
    server: tuple[str, list[tuple[str, dict[str, str], dict[str, Any]]]],
) -> None:
    base_url, _ = server
    chunks = await ask(base_url, config())
    reader: GeminiReader = Gemini().reader(our_request())
    for chunk in ANSWER:
        reader.feed(ServerEvent("", json.dumps(chunk)))
    message = reader.message()
    parts = [part for chunk in chunks for part in (chunk.parts or [])]
    assert message.text == "".join(part.text or "" for part in parts)
    assert [(call.id, call.name, call.arguments) for call in message.calls] == [
        (part.function_call.id, part.function_call.name, part.function_call.args)
        for part in parts
        if part.function_call
    ]
    assert chunks[-1].usage_metadata
    assert message.usage.total == chunks[-1].usage_metadata.total_token_count
