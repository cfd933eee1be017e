"""Outside tools through our MCP server: their schemas arrive as they are, and messages fit the schema."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from tests.corpus.conftest import Judged, Rows, corpus_folder

from oneclaw import App, Config, Image, Output, Tool, ToolDefinition, tool
from oneclaw.core.check.schema import CompiledSchema
from oneclaw.mcp.server.sdk import SdkServer
from oneclaw.operations.mcp_serving import make_server

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
MODERN: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}


async def _keep(arguments: dict[str, Any], context: Any) -> Any:
    return arguments


def served_tool(row: dict[str, Any], number: int) -> Tool:
    described = row["description"] or ""
    return Tool(
        ToolDefinition(name=f"tool_{number}", description=described, parameters=row["inputSchema"]), _keep
    )


class Wire:
    """The messages of one client, as they go over the wire."""

    def __init__(self, outgoing: Any, incoming: Any, version: str) -> None:
        self._outgoing, self._incoming, self._version = outgoing, incoming, version
        self._number = 0
        self.received: list[tuple[str, dict[str, Any]]] = []

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request; each message is remembered with the method that it answers."""
        self._number += 1
        if self._version == "2026-07-28":
            params["_meta"] = {**MODERN, **params.get("_meta", {})}
        await self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = (await self._incoming.receive()).message
            document = json.loads(message.model_dump_json(by_alias=True, exclude_unset=True))
            self.received.append((method, document))
            if document.get("id") == self._number:
                return document["result"]

    async def send(self, document: dict[str, Any]) -> None:
        from mcp_types import jsonrpc_message_adapter

        await self._outgoing.send(SessionMessage(jsonrpc_message_adapter.validate_python(document)))


@asynccontextmanager
async def wire_of(served: SdkServer, version: str) -> AsyncGenerator[Wire]:
    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](9)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](9)
    async with anyio.create_task_group() as group:
        options = served.server.create_initialization_options()
        group.start_soon(served.server.run, server_reads, server_writes, options)
        wire = Wire(to_server, from_server, version)
        if version != "2026-07-28":
            client = {"name": "raw", "version": "1"}
            await wire.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=client)
            await wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        else:
            await wire.ask("server/discover")
        yield wire
        group.cancel_scope.cancel()
    for stream in (to_server, from_server, server_reads, server_writes):
        stream.close()


@pytest.mark.parametrize("version", VERSIONS)
async def test_schemas_of_other_servers_pass_unchanged(
    tmp_path: Path, rows: Rows, judged: Judged, version: str
) -> None:
    found = rows("mcp_tools")
    made = [served_tool(row, number) for number, row in enumerate(found)]
    async with (
        App(Config(home=tmp_path), tools=made, builtins=False) as app,
        wire_of(await make_server(app), version) as wire,
    ):
        listed = {one["name"]: one for one in (await wire.ask("tools/list"))["tools"]}
    for number, row in enumerate(found):
        with judged(row["id"]):
            one = listed[f"tool_{number}"]
            assert json.dumps(one["inputSchema"], sort_keys=True) == json.dumps(
                row["inputSchema"], sort_keys=True
            )
            assert one["description"] == (row["description"] or "")


def oracle(version: str, kind: str) -> CompiledSchema:
    path = corpus_folder() / "oracles" / f"mcp_schema_{version}.json"
    if not path.exists():
        pytest.skip(f"the schema of MCP {version} is not here; name its folder in ONECLAW_CORPUS")
    schema = json.loads(path.read_text())
    place = "$defs" if "$defs" in schema else "definitions"
    return CompiledSchema({"$ref": f"#/{place}/{kind}", place: schema[place]})


def test_the_messages_of_the_specification_are_valid(rows: Rows, judged: Judged) -> None:
    for row in rows("mcp_messages"):
        with judged(row["id"]):
            assert list(oracle(row["spec"], row["type"]).problems(row["message"])) == []


@tool(effect="read")
def picture() -> Output:
    """A picture."""
    return Output("a cat", (Image(PNG, "image/png"),))


@tool(effect="read", output={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
def number() -> dict[str, int]:
    """A number."""
    return {"n": 1}


@tool(effect="read", chars=500)
def long() -> str:
    """A long text."""
    return "x" * 5_000


@tool(effect="write", needs=["files.delete"])
def erase() -> str:
    """Asks for a permission."""
    return ""


RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
}


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_message_of_ours_fits_the_schema(tmp_path: Path, version: str, judged: Judged) -> None:
    config = Config(home=tmp_path, values={"questions.wait": "never"})
    async with (
        App(config, tools=[picture, number, long, erase]) as app,
        wire_of(await make_server(app), version) as wire,
    ):
        await wire.ask("tools/list")
        for name in ("picture", "number", "long", "nothing", "erase"):
            await wire.ask("tools/call", name=name, arguments={})
        (kept,) = (await wire.ask("resources/list"))["resources"]
        await wire.ask("resources/read", uri=kept["uri"])
        await wire.ask("resources/templates/list")
    assert len(wire.received) >= 9
    for method, document in wire.received:
        with judged(f"{version} {method} {str(document)[:80]}"):
            kind = RESULTS[method]
            result = document["result"]
            if result.get("resultType") == "input_required":
                kind = "InputRequiredResult"
            assert list(oracle(version, kind).problems(result)) == []
            assert list(oracle(version, "JSONRPCMessage").problems(document)) == []
