"""Our MCP server with the tools, prompts and resources of the conformance suite, behind the gate of the page.

The suite sends no token, so one is added to each request before the gate sees it.
"""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.subscriptions import PromptsListChanged
from mcp.shared.exceptions import MCPError
from tests.mcp.server.conformance_tools import EXTRA, IMAGE, NAMES, PNG, TOOLS

from oneclaw import App, Config
from oneclaw.mcp.server.changes import EVERY_SECONDS
from oneclaw.mcp.server.http import HttpServing
from oneclaw.mcp.server.sdk import SdkServer
from oneclaw.mcp.server.tool_server import UNCACHED
from oneclaw.operations.access import AccessBook, access_file
from oneclaw.operations.mcp_serving import make_server
from oneclaw.web.request_gate import RequestGate

COMPLETE = {"resultType": "complete"}
TEXTS = {
    "test://static-text": ("text/plain", "text", "This is the content of the static text resource."),
    "test://static-binary": ("image/png", "blob", PNG),
    "test://watched-resource": ("text/plain", "text", "Watched."),
}
PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


def said(*content: dict[str, Any]) -> dict[str, Any]:
    return {**COMPLETE, "messages": [{"role": "user", "content": each} for each in content]}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def elicit(message: str, **schema: Any) -> dict[str, Any]:
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    }


def sample(words: str, most: int) -> dict[str, Any]:
    message = {"role": "user", "content": text(words)}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": most}}


def needed(**requests: Any) -> dict[str, Any]:
    return {"resultType": "input_required", "inputRequests": requests, "requestState": "asked"}


class Fixtures:
    """What the suite asks for beyond tools: our server has no prompts, and only long results as resources."""

    def __init__(self, sdk: SdkServer) -> None:
        self._sdk = sdk
        self._keys: dict[str, str] = {}
        server = sdk.server
        paged = types.PaginatedRequestParams
        server.add_request_handler("prompts/list", paged, self.list_prompts)
        server.add_request_handler("prompts/get", types.GetPromptRequestParams, self.get_prompt)
        server.add_request_handler("resources/list", paged, self.list_resources)
        server.add_request_handler("resources/templates/list", paged, self.list_templates)
        self._read = server.get_request_handler("resources/read")
        server.add_request_handler("resources/read", types.ReadResourceRequestParams, self.read)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self.accept)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self.accept)
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self.accept)
        server.add_request_handler("completion/complete", types.CompleteRequestParams, self.complete)
        call = server.get_request_handler("tools/call")
        assert call is not None
        self._call = call.handler
        server.add_request_handler("tools/call", types.CallToolRequestParams, self.call)

    async def accept(self, request: Any, params: Any) -> Any:
        return {}

    async def complete(self, request: Any, params: Any) -> Any:
        return {**COMPLETE, "completion": {"values": ["paris", "park"], "total": 2, "hasMore": False}}

    async def list_prompts(self, request: Any, params: Any) -> Any:
        prompts = [
            {
                "name": name,
                "description": name,
                "arguments": [{"name": one, "required": True} for one in names],
            }
            for name, names in PROMPTS.items()
        ]
        return {**UNCACHED, "prompts": prompts}

    async def get_prompt(self, request: Any, params: Any) -> Any:
        given: Any = params.arguments or {}
        if params.name == "test_simple_prompt":
            return said(text("This is a simple prompt for testing."))
        if params.name == "test_prompt_with_arguments":
            return said(text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))
        if params.name == "test_prompt_with_embedded_resource":
            words = "Embedded resource content for testing."
            found = {"uri": given["resourceUri"], "mimeType": "text/plain", "text": words}
            more = text("Please process the embedded resource above.")
            return said({"type": "resource", "resource": found}, more)
        if params.name == "test_prompt_with_image":
            return said(IMAGE, text("Please analyze the image above."))
        if params.name == "test_input_required_result_prompt":
            if not params.input_responses:
                fields = {"context": {"type": "string"}}
                asked = elicit(
                    "What context should the prompt use?",
                    type="object",
                    properties=fields,
                    required=["context"],
                )
                return needed(user_context=asked)
            return said(text(f"Context: {params.input_responses['user_context'].content}"))
        raise MCPError(types.INVALID_PARAMS, f"There is no prompt {params.name!r}.")

    async def list_resources(self, request: Any, params: Any) -> Any:
        found = [{"uri": uri, "name": uri, "mimeType": kind} for uri, (kind, _, _) in TEXTS.items()]
        return {**UNCACHED, "resources": found}

    async def list_templates(self, request: Any, params: Any) -> Any:
        template = {
            "uriTemplate": "test://template/{id}/data",
            "name": "template",
            "mimeType": "application/json",
        }
        return {**UNCACHED, "resourceTemplates": [template]}

    async def read(self, request: Any, params: Any) -> Any:
        uri = str(params.uri)
        if uri in TEXTS:
            kind, field, content = TEXTS[uri]
            return {**UNCACHED, "contents": [{"uri": uri, "mimeType": kind, field: content}]}
        if uri.startswith("test://template/"):
            number = uri.split("/")[3]
            words = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
            return {**UNCACHED, "contents": [{"uri": uri, "mimeType": "application/json", "text": words}]}
        assert self._read is not None
        return await self._read.handler(request, params)

    async def call(self, request: Any, params: Any) -> Any:
        """Our own calls, but for those that ask for what OneClaw never asks a client for."""
        done: Any = params.input_responses or {}
        capital = {"capital_question": sample("What is the capital of France?", 100)}
        every: dict[str, dict[str, Any]] = {
            "test_input_required_result_sampling": capital,
            "test_input_required_result_capabilities": capital,  # the client that is asked has sampling alone
            "test_input_required_result_list_roots": {"client_roots": {"method": "roots/list", "params": {}}},
            "test_input_required_result_multiple_inputs": {
                "user_name": elicit("What is your name?", **NAMES),
                "greeting": sample("Generate a greeting", 50),
                "client_roots": {"method": "roots/list", "params": {}},
            },
        }
        wanted = every.get(params.name, {})
        if params.name == "test_missing_capability":
            needs: Any = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "The client has no sampling.", needs)
        if params.name == "test_trigger_prompt_change":
            await self._sdk.bus.publish(PromptsListChanged())
            return {**COMPLETE, "content": [text("Changed.")]}
        if params.name == "test_trigger_tool_change":
            return await self._change_tools()
        if params.name == "test_input_required_result_elicitation":
            return await self._call_with_own_key(request, params)
        if not wanted:
            return await self._call(request, params)
        if wanted.keys() - done.keys():
            return needed(**wanted)
        return {**COMPLETE, "content": [text(" ".join(done[key].model_dump_json() for key in wanted))]}

    async def _change_tools(self) -> Any:
        """Have another tool, or no longer; our server sees that and announces it."""
        registry = self._sdk.tools.engine.registry
        if EXTRA.name in registry:
            registry.remove(EXTRA.name)
        else:
            registry.register(EXTRA)
        await asyncio.sleep(2 * EVERY_SECONDS)
        return {**COMPLETE, "content": [text("Changed.")]}

    async def _call_with_own_key(self, request: Any, params: Any) -> Any:
        """Our own call, but the suite names the question itself; ours has the id of the question."""
        responses = dict(params.input_responses or {})
        if "user_name" in responses and params.request_state in self._keys:
            responses[self._keys[params.request_state]] = responses.pop("user_name")
            params = params.model_copy(update={"input_responses": responses})
        result: Any = await self._call(request, params)
        if result.get("resultType") == "input_required":
            ((key, asked),) = result["inputRequests"].items()
            self._keys[result["requestState"]] = key
            result = {**result, "inputRequests": {"user_name": asked}}
        return result


@asynccontextmanager
async def serving(home: Path) -> AsyncGenerator[str]:
    """Serve on a free port of the loopback; gives the address."""
    home.mkdir(parents=True, exist_ok=True)
    async with App(Config(home=home, values={"questions.wait": "never"}), tools=TOOLS) as app:
        sdk = await make_server(app)
        Fixtures(sdk)
        http = HttpServing(sdk)
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        port = listening.getsockname()[1]
        book = AccessBook(access_file(home))
        token = book.make_token("conformance").encode()
        gate = RequestGate(http, book, [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")])

        async def with_token(scope: Any, receive: Any, send: Any) -> None:
            bearer = (b"authorization", b"Bearer " + token)
            await gate({**scope, "headers": [*scope["headers"], bearer]}, receive, send)

        config = uvicorn.Config(with_token, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        server.capture_signals = nullcontext  # pyright: ignore[reportAttributeAccessIssue]
        task = asyncio.ensure_future(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            await http.close()
            server.should_exit = True
            await task
            listening.close()
