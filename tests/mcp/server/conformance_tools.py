"""The tools, prompts and resources that the conformance suite of MCP calls by name."""

import asyncio
import json
import warnings
from base64 import b64decode
from typing import Any

from oneclaw import Context, Image, Output, Tool, ToolDefinition, ToolError, tool
from oneclaw.mcp.server.content import BLOCKS
from oneclaw.mcp.server.served_call import current

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
NAMES = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def blocks(*content: dict[str, Any]) -> Output:
    return Output("", details={BLOCKS: list(content)})


def request() -> Any:
    """The request of the call that runs, as the SDK has it."""
    served = current.get()
    assert served is not None
    return served.request


@tool(effect="read")
def test_simple_text() -> str:
    """A text."""
    return "This is a simple text response for testing."


@tool(effect="read")
def test_image_content() -> Output:
    """An image."""
    return Output("", (Image(b64decode(PNG), "image/png"),))


@tool(effect="read")
def test_audio_content() -> Output:
    """A sound."""
    return blocks({"type": "audio", "data": WAV, "mimeType": "audio/wav"})


@tool(effect="read")
def test_embedded_resource() -> Output:
    """A resource in the result."""
    text = "This is an embedded resource content."
    found = {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": text}
    return blocks({"type": "resource", "resource": found})


@tool(effect="read")
def test_multiple_content_types() -> Output:
    """A text, an image and a resource."""
    text = json.dumps({"test": "data", "value": 123})
    found = {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": text}
    said = {"type": "text", "text": "Multiple content types test:"}
    return blocks(said, IMAGE, {"type": "resource", "resource": found})


@tool(effect="read")
async def test_tool_with_logging() -> str:
    """Sends three lines of log, which clients of 2025-11-25 are sent."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        asked = request()
        with warnings.catch_warnings(action="ignore"):
            await asked.session.send_log_message("info", text, related_request_id=asked.request_id)
        await asyncio.sleep(0.05)
    return "Logged."


@tool(effect="read")
def test_error_handling() -> str:
    """Fails."""
    raise ToolError("This tool intentionally returns an error for testing")


@tool(effect="read")
async def test_tool_with_progress(context: Context) -> str:
    """Reports progress."""
    for fraction in (0.0, 0.5, 1.0):
        context.progress(f"{fraction:.0%}", fraction)
        await asyncio.sleep(0.12)
    return "Done."


@tool(effect="read")
async def test_sampling(prompt: str) -> str:
    """Asks the model of the client."""
    import mcp_types as types

    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    asked = request()
    with warnings.catch_warnings(action="ignore"):
        said = await asked.session.create_message(
            [message], max_tokens=100, related_request_id=asked.request_id
        )
    return f"LLM response: {said.content.text}"


async def ask(context: Context, text: str, properties: dict[str, Any], *required: str) -> str:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return json.dumps(await context.ask(text, schema=schema))


@tool(effect="read")
async def test_elicitation(message: str, context: Context) -> str:
    """Asks the person for a name and an address."""
    texts = {name: {"type": "string", "description": name} for name in ("username", "email")}
    return f"User response: action=accept, content={await ask(context, message, texts, *texts)}"


@tool(effect="read")
async def test_elicitation_sep1034_defaults(context: Context) -> str:
    """Asks for values of every kind, each with a default."""
    status = {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}
    fields = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": status,
        "verified": {"type": "boolean", "default": True},
    }
    return f"Elicitation completed: action=accept, content={await ask(context, 'Who?', fields)}"


@tool(effect="read")
async def test_elicitation_sep1330_enums(context: Context) -> str:
    """Asks for choices of every kind."""
    plain, short = ["option1", "option2", "option3"], ["opt1", "opt2", "opt3"]
    titles = zip(("value1", "value2", "value3"), ("First", "Second", "Third"), strict=True)
    titled = [{"const": value, "title": f"{title} Option"} for value, title in titles]
    names = ["Option One", "Option Two", "Option Three"]
    fields = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": short, "enumNames": names},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return f"Elicitation completed: action=accept, content={await ask(context, 'Which?', fields)}"


@tool(effect="read")
async def test_reconnection() -> str:
    """Closes the stream of its request, which the client opens again."""
    asked = request()
    if asked.close_sse_stream is not None:
        await asked.close_sse_stream()
    await asyncio.sleep(0.2)
    return "Reconnected."


@tool(effect="read")
async def test_input_required_result_elicitation(context: Context) -> str:
    """Asks for a name."""
    said = await context.ask("What is your name?", schema=NAMES)
    return f"Hello, {said['name']}!"


@tool(effect="read")
async def test_input_required_result_request_state(context: Context) -> str:
    """Asks for a yes."""
    await ask(context, "Please confirm", {"ok": {"type": "boolean"}}, "ok")
    return "state-ok"


@tool(effect="read")
async def test_input_required_result_tampered_state(context: Context) -> str:
    """Asks for a yes."""
    await ask(context, "Please confirm", {"ok": {"type": "boolean"}}, "ok")
    return "state-ok"


@tool(effect="read")
async def test_input_required_result_multi_round(context: Context) -> str:
    """Asks twice."""
    said = await context.ask("Step 1: What is your name?", schema=NAMES)
    text = "Step 2: What is your favorite color?"
    return f"{said['name']} {await ask(context, text, {'color': {'type': 'string'}}, 'color')}"


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


async def _keep(arguments: dict[str, Any], context: Context) -> str:
    return json.dumps(arguments)


def made(name: str, schema: dict[str, Any]) -> Tool:
    return Tool(ToolDefinition(name=name, description=name, parameters=schema, effect="read"), _keep)


BY_THE_FIXTURES = (
    "test_missing_capability",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_capabilities",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_multiple_inputs",
)
REGION = {"type": "string", "x-mcp-header": "Region"}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
EXTRA = made("test_extra", NOTHING)
TOOLS: list[Any] = [
    *(value for name, value in tuple(globals().items()) if name.startswith("test_")),
    made("json_schema_2020_12_tool", SCHEMA),
    *(made(name, NOTHING) for name in BY_THE_FIXTURES),
    made("test_custom_header", {"type": "object", "properties": {"region": REGION}, "required": ["region"]}),
]
