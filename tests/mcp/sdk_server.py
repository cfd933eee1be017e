"""An MCP server of the SDK for tests, on stdio or HTTP: `python sdk_server.py [http PORT]`."""

import asyncio
import base64
import os
import struct
import sys
import zlib
from typing import Any

import anyio
import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
FORM = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "colour": {"type": "string", "default": "blue"}},
    "required": ["ok"],
}


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\0"))
    + chunk(b"IEND", b"")
)


def tool(name: str, description: str, schema: dict[str, Any] | None = None, **more: Any) -> t.Tool:
    return t.Tool(name=name, description=description, input_schema=schema or {"type": "object"}, **more)


TOOLS = {
    each.name: each
    for each in (
        tool("echo", "Say it again.", TEXT),
        tool("typed", "Say it again, typed.", TEXT, output_schema=TEXT),
        tool("mistyped", "Break the own output schema.", output_schema=TEXT),
        tool("fail", "Fail with words."),
        tool("raise", "Fail with a protocol error."),
        tool("picture", "Give a picture, a sound and links."),
        tool("slow", "Report progress.", {"type": "object", "properties": {"steps": {"type": "integer"}}}),
        tool("hang", "Never answer."),
        tool("ask", "Ask a person."),
        tool("ask_url", "Ask a person to open a page."),
        tool("sample", "Ask a model."),
        tool("add_tool", "Add a tool while running."),
        tool("cwd", "Say where the server runs and what it was given."),
        tool("die", "End the server."),
        tool("getUser", "A name in camel case.", annotations=t.ToolAnnotations(read_only_hint=True)),
    )
}
bus = InMemorySubscriptionBus()


async def list_tools(context: Any, params: Any) -> t.ListToolsResult:
    return t.ListToolsResult(tools=list(TOOLS.values()))


def text(said: str, **more: Any) -> t.CallToolResult:
    return t.CallToolResult(content=[t.TextContent(text=said)], **more)


async def call_tool(context: Any, params: Any) -> Any:
    given: dict[str, Any] = params.arguments or {}
    is_modern = context.protocol_version == "2026-07-28"
    match params.name:
        case "echo":
            return text(given["text"])
        case "typed":
            return text(f'{{"text": "{given["text"]}"}}', structured_content={"text": given["text"]})
        case "mistyped":
            return text("5", structured_content={"text": 5})
        case "fail":
            return text("The disk is on fire.", is_error=True)
        case "picture":
            encoded = base64.b64encode(PNG).decode()
            return t.CallToolResult(
                content=[
                    t.TextContent(text="Look:"),
                    t.ImageContent(data=encoded, mime_type="image/png"),
                    t.AudioContent(data=base64.b64encode(b"RIFFwave").decode(), mime_type="audio/wav"),
                    t.ResourceLink(uri="test://notes", name="notes", mime_type="text/plain"),
                    t.EmbeddedResource(resource=t.TextResourceContents(uri="test://inside", text="inside")),
                ]
            )
        case "slow":
            steps = given.get("steps", 3)
            for step in range(steps):
                await context.session.report_progress(step + 1, steps, f"step {step + 1}")
                await anyio.sleep(0.1)
            return text("done")
        case "hang":
            try:
                await anyio.sleep_forever()
            except anyio.get_cancelled_exc_class():
                if place := os.environ.get("CANCELLED"):
                    open(place, "w").close()
                raise
        case "ask":
            if not is_modern:
                said = await context.session.elicit_form("Sure?", FORM, context.request_id)
                return text(f"older {said.action} {said.content}")
            if params.input_responses:
                said = params.input_responses["sure"]
                return text(f"newer {said.action} {said.content}")
            asked = t.ElicitRequest(params=t.ElicitRequestFormParams(message="Sure?", requested_schema=FORM))
            return t.InputRequiredResult(input_requests={"sure": asked}, request_state="one")
        case "ask_url":
            page: dict[str, Any] = {
                "message": "Sign in.",
                "url": "https://login.example/x",
                "elicitation_id": "e1",
            }
            if not is_modern:
                said = await context.session.elicit_url(*page.values(), context.request_id)
                return text(f"older {said.action}")
            if params.input_responses:
                return text(f"newer {params.input_responses['page'].action}")
            asked = t.ElicitRequest(params=t.ElicitRequestURLParams(**page))
            return t.InputRequiredResult(input_requests={"page": asked}, request_state="two")
        case "sample":
            words = [t.SamplingMessage(role="user", content=t.TextContent(text="Say hello."))]
            wanted = t.CreateMessageRequestParams(messages=words, max_tokens=50)
            if not is_modern:
                said = await context.session.create_message(
                    messages=words, max_tokens=50, related_request_id=context.request_id
                )
                return text(f"older {said.model}: {said.content.text}")
            if params.input_responses:
                said = params.input_responses["hello"]
                return text(f"newer {said.model}: {said.content.text}")
            asked = t.CreateMessageRequest(params=wanted)
            return t.InputRequiredResult(input_requests={"hello": asked}, request_state="three")
        case "add_tool":
            TOOLS["added"] = tool("added", "Was not there before.")
            await bus.publish(ToolsListChanged())
            if not is_modern:
                await context.session.send_tool_list_changed()
            return text("added")
        case "cwd":
            return text(f"{os.getcwd()} {os.environ.get('TOKEN')} {os.environ.get('ONECLAW_TEST_SECRET')}")
        case "die":
            print("I am dying", file=sys.stderr, flush=True)
            os._exit(3)
        case "getUser":
            return text("user")
        case _:
            raise ValueError(params.name)


async def list_resources(context: Any, params: Any) -> t.ListResourcesResult:
    return t.ListResourcesResult(
        resources=[t.Resource(uri="test://notes", name="notes", mime_type="text/plain")]
    )


async def read_resource(context: Any, params: Any) -> t.ReadResourceResult:
    return t.ReadResourceResult(contents=[t.TextResourceContents(uri=params.uri, text="The notes.")])


async def list_prompts(context: Any, params: Any) -> t.ListPromptsResult:
    topic = t.PromptArgument(name="topic", description="What about", required=True)
    return t.ListPromptsResult(prompts=[t.Prompt(name="poem", description="A poem.", arguments=[topic])])


async def get_prompt(context: Any, params: Any) -> t.GetPromptResult:
    given: dict[str, str] = params.arguments or {}
    words = t.TextContent(text=f"Write a poem about {given.get('topic')}.")
    return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=words)])


server = Server(
    "oneclaw-test",
    version="1.0",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_subscriptions_listen=ListenHandler(bus),
)


async def main() -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(read, write, options)


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        import uvicorn

        uvicorn.run(
            server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[2]), log_level="warning"
        )
    else:
        asyncio.run(main())
