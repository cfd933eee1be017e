"""Pictures and output schemas of tools on the four wires, judged by the types of the official SDKs."""

import json
from base64 import b64encode
from typing import Any

import pytest
from tests.providers.judges import judge
from tests.providers.rulebook import broken

from oneclaw.core.call import Image, ToolCall
from oneclaw.core.define.function import tool
from oneclaw.core.engine import Engine
from oneclaw.core.message import AssistantMessage, CallPart, Message, ResultsMessage, UserMessage
from oneclaw.core.registry import Registry
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import Request, Wire
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.wire import OpenAIResponses
from oneclaw.run.runner import CallRunner

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 8
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {"degrees": {"$ref": "#/$defs/degrees"}},
    "required": ["degrees"],
    "$defs": {"degrees": {"type": "number"}},
}


WIRES: list[tuple[Wire, str]] = [
    (Anthropic(), "claude-sonnet-4-5"),
    (OpenAIChat(), "gpt-4o"),
    (OpenAIResponses(), "gpt-5"),
    (Gemini(), "gemini-2.5-pro"),
    (Gemini(), "gemini-3-pro-preview"),
    (Gemini(use_parameters=True), "gemini-2.5-pro"),
]
_EACH = pytest.mark.parametrize(("wire", "model"), WIRES)


@tool(effect="read")
async def scan() -> list[Any]:
    """Scan two pages."""
    return ["front", Image(PNG, "image/png"), "back", Image(PNG, "image/png")]


@tool(effect="read", output=OUTPUT)
async def weather(degrees: str) -> dict[str, Any]:
    """Tell the weather."""
    return {"degrees": float(degrees) if degrees.isdigit() else degrees}


@_EACH
async def test_a_list_with_images_gives_the_model_pictures(wire: Wire, model: str) -> None:
    call = ToolCall("scan", {}, "call_1")
    runner = CallRunner()
    try:
        result = await Engine(Registry([scan]), runner).call(call)
    finally:
        await runner.close()
    answer = AssistantMessage((CallPart(call),), "calls", wire.name, model)
    said: list[Message] = [UserMessage("scan"), answer, ResultsMessage((result,))]
    body = wire.write(Request(model, said, tools=(scan.definition,)))
    judge(wire.name, body)
    assert body.count(b64encode(PNG)) == 2
    assert body.index(b"front") < body.index(b"(image 1)") < body.index(b"back") < body.index(b"(image 2)")


@_EACH
def test_an_output_schema_is_sent_where_the_format_has_a_place_for_it(wire: Wire, model: str) -> None:
    body = wire.write(Request(model, [UserMessage("hello")], tools=(weather.definition,)))
    judge(wire.name, body)
    [sent] = json.loads(body)["tools"]
    sent = sent.get("functionDeclarations", [sent])[0]
    name = "gemini_parameters" if "parameters" in sent and wire.name == "gemini" else wire.name
    field, dialect = {
        "openai_responses": ("output_schema", "openai"),
        "gemini": ("responseJsonSchema", "gemini"),
        "gemini_parameters": ("response", "gemini_parameters"),
    }.get(name, ("", ""))
    if field:
        assert broken(sent[field], dialect) == []
        assert sent[field]["properties"]["result"]["required"] == ["degrees"]
        assert "$ref" not in str(sent[field])
    else:
        assert "degrees" not in str({**sent, "input_schema": "", "function": ""})
        assert sent.keys() & {"output_schema", "response"} == set()
