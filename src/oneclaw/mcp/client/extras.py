"""Resources and prompts of MCP servers, as tools of ours."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from oneclaw.core.call import Output
from oneclaw.core.errors import invalid
from oneclaw.core.permit.need import MCP
from oneclaw.core.text.display import one_line
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.mcp.client.call_result import ResultParts, link_line
from oneclaw.mcp.client.connection import Connection

LISTED = 500
_URI = {"uri": {"type": "string", "description": "The address, as list_resources names it."}}
_PROMPT = {
    "name": {"type": "string", "description": "The name, as list_prompts names it."},
    "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
}

Work = Callable[[dict[str, Any], Context], Awaitable[Any]]


def extra_tools(connection: Connection, origin: str) -> list[Tool]:
    """The tools for what else a server has, beside its own tools."""
    server, able = connection.server, connection.capabilities
    extras = Extras(connection)
    made: list[Tool] = []

    def add(name: str, about: str, properties: Mapping[str, Any], required: list[str], work: Work) -> None:
        definition = ToolDefinition(
            name=f"{server.prefix}_{name}",
            description=f"{about} of the MCP server {server.name}.",
            parameters={"type": "object", "properties": dict(properties), "required": required},
            needs=(MCP,),
            seconds=server.settings.total_seconds,
            group=server.prefix,
            effect="unknown",
            isolation="inline",
        )
        made.append(Tool(definition, work, origin=origin))

    if able is not None and able.resources is not None:
        add("list_resources", "List the resources", {}, [], extras.list_resources)
        add("read_resource", "Read a resource", _URI, ["uri"], extras.read_resource)
    if able is not None and able.prompts is not None:
        add("list_prompts", "List the prompts", {}, [], extras.list_prompts)
        add("get_prompt", "Get a prompt, filled in,", _PROMPT, ["name"], extras.get_prompt)
    return made


class Extras:
    """Lists and reads the resources and prompts of one server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list_resources(self, arguments: dict[str, Any], context: Context) -> str:
        client, name = await self._connection.client(), self._connection.server.name
        found = await self._pages(client.list_resources, "resources", context)
        templates = await self._pages(client.list_resource_templates, "resource_templates", context)
        lines = [link_line(one, name) for one in found]
        lines += [
            f"[template {one_line(one.uri_template, 500)}: {one_line(one.title or one.name, 200)}]"
            for one in templates
        ]
        return "\n".join(lines) or "There are no resources."

    async def read_resource(self, arguments: dict[str, Any], context: Context) -> Output:
        client = await self._connection.client()
        result = await self._connection.exchange(lambda call: client.read_resource(arguments["uri"]), context)
        parts = ResultParts(self._connection.server.name, context)
        for one in result.contents:
            await parts.add_resource(one)
        return Output("\n".join(parts.texts), tuple(parts.images))

    async def list_prompts(self, arguments: dict[str, Any], context: Context) -> str:
        client = await self._connection.client()
        lines: list[str] = []
        for one in await self._pages(client.list_prompts, "prompts", context):
            names = ", ".join(f"{each.name}{'' if each.required else '?'}" for each in one.arguments or ())
            lines.append(one_line(f"{one.name}({names}): {one.description or one.title or ''}", 500))
        return "\n".join(lines) or "There are no prompts."

    async def get_prompt(self, arguments: dict[str, Any], context: Context) -> Output:
        client = await self._connection.client()
        given: dict[str, Any] = arguments.get("arguments") or {}
        if any(not isinstance(value, str) for value in given.values()):
            raise invalid("The arguments of a prompt are texts.")
        result = await self._connection.exchange(
            lambda call: client.get_prompt(arguments["name"], dict(given)), context
        )
        parts = ResultParts(self._connection.server.name, context)
        for message in result.messages:
            parts.texts.append(f"{message.role}:")
            await parts.add(message.content)
        return Output("\n".join(parts.texts), tuple(parts.images))

    async def _pages(self, fetch: Callable[..., Any], field: str, context: Context) -> list[Any]:
        """All entries of a listing, up to `LISTED`; none where the server does not know the listing."""
        from oneclaw.mcp.client.sdk import MCPError, types

        found: list[Any] = []
        cursor: str | None = None

        async def page(_: Any, at: str | None) -> Any:
            try:
                return await fetch(cursor=at)
            except MCPError as error:
                if error.code == types.METHOD_NOT_FOUND:
                    return None
                raise

        while len(found) < LISTED:
            result = await self._connection.exchange(lambda call, at=cursor: page(call, at), context)
            found += [] if result is None else getattr(result, field)
            cursor = None if result is None else result.next_cursor
            if not cursor:
                break
        return found[:LISTED]
