"""Connects a ToolServer to the MCP SDK: the only file of the server that imports it.

Loading the SDK takes over a second, so this file is loaded when the first client comes.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, NotificationParams

from oneclaw.core.version import __version__
from oneclaw.mcp.server.changes import ListChanges
from oneclaw.mcp.server.result_files import NoSuchResource
from oneclaw.mcp.server.tool_server import ToolServer, UnknownState, is_modern

RESOURCE_NOT_FOUND = -32002
MOST_CLIENTS = 1_000
INSTRUCTIONS = "Tools of OneClaw. A call that needs a permission is put to a person; a refused call says why."


class _Server(Server[Any]):
    """The SDK's server, which says in every handshake that it tells of changed tools."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **named: Any
    ) -> Any:
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, *more, **named)


class SdkServer:
    """A ToolServer as a server of the SDK. `server` is the SDK's; it serves stdio and HTTP."""

    def __init__(self, tools: ToolServer) -> None:
        self.tools = tools
        self.bus = InMemorySubscriptionBus()
        self._clients: deque[ServerSession] = deque(maxlen=MOST_CLIENTS)
        handlers: dict[str, Any] = {
            "on_list_tools": tools.list_tools,
            "on_call_tool": self._call_tool,
            "on_list_resources": tools.list_resources,
            "on_list_resource_templates": tools.list_templates,
            "on_read_resource": self._read_resource,
            "on_subscriptions_listen": ListenHandler(self.bus),
            "get_tool_input_schema": self._input_schema,
        }
        about: Any = {"version": __version__, "title": "OneClaw", "instructions": INSTRUCTIONS}
        self.server: Server[Any] = _Server("oneclaw", **about, **handlers)
        self.server.middleware.clear()  # traces are for those who install an exporter
        self.server.add_notification_handler("notifications/initialized", NotificationParams, self._meet)

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Announce changes of the tools meanwhile."""
        watch = asyncio.ensure_future(ListChanges(self.tools, self._announce).watch())
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _announce(self) -> None:
        await self.bus.publish(ToolsListChanged())
        for client in tuple(self._clients):
            with suppress(Exception):  # it is gone
                await client.send_tool_list_changed()

    async def _meet(self, request: Any, params: Any) -> None:
        """Remember a client of the handshake era, which is told of changes without asking for it."""
        self._clients.append(request.session)

    async def _call_tool(self, request: Any, params: Any) -> Any:
        try:
            return await self.tools.call_tool(request, params)
        except UnknownState as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    async def _read_resource(self, request: Any, params: Any) -> Any:
        try:
            return await self.tools.read_resource(request, params)
        except NoSuchResource as error:
            code = INVALID_PARAMS if is_modern(request) else RESOURCE_NOT_FOUND
            raise MCPError(code, str(error), {"uri": str(params.uri)[:200]}) from None

    def _input_schema(self, name: str) -> Any:
        entry = self.tools.engine.registry.find(name)
        return None if entry is None else entry.tool.definition.parameters
