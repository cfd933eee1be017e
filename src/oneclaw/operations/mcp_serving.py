"""Serves the tools of agents to MCP clients: makes the session that their calls belong to."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidConfig

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.mcp.server.http import HttpServing
    from oneclaw.mcp.server.sdk import SdkServer


async def serve_stdio(app: "App", agent: str, asks_agents: bool, ready: Callable[[], None]) -> None:
    """Serve one client on standard input and output until it closes its side; `ready` is called before."""
    served = await make_server(app, agent, asks_agents=asks_agents)
    from oneclaw.mcp.server import stdio

    ready()
    await stdio.serve_stdio(served)


async def make_server(app: "App", agent: str = "default", *, asks_agents: bool = False) -> "SdkServer":
    """The MCP server of an agent's tools; raises `NotFound` for an agent that there is not.

    `asks_agents` has it offer every other agent as a tool, `ask_NAME`.
    """
    try:
        from oneclaw.mcp.server.sdk import SdkServer
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("oneclaw"):
            raise
        raise InvalidConfig(f"Serving MCP needs {error.name}: pip install 'oneclaw[mcp]'.") from None
    from oneclaw.mcp.server.tool_server import ToolServer

    found = app.agents.get(agent)
    if asks_agents:
        others = [name for name, one in app.agents.all().items() if one.agent is not None and name != agent]
        app.agents.add(replace(found, agents=tuple(others)))
        await app.refresh()
    waits = app.config.settings.questions.wait != "never"
    session = replace(app.new_session(agent), waits=waits)
    return SdkServer(ToolServer(app.engine, app.broker, session))


class McpEndpoint:
    """Serves clients by HTTP. A server is made for an agent when the first client asks for its tools."""

    def __init__(self, app: "App") -> None:
        self._app = app
        self._made: dict[str, HttpServing] = {}
        self._making = asyncio.Lock()

    async def serve(self, agent: str, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request; raises `NotFound` for an agent that there is not."""
        if agent not in self._made:
            async with self._making:
                if agent not in self._made:
                    served = await make_server(self._app, agent)
                    from oneclaw.mcp.server.http import HttpServing

                    self._made[agent] = HttpServing(served)
        await self._made[agent](scope, receive, send)

    async def close(self) -> None:
        """End every connection, and the calls that still run."""
        for made in self._made.values():
            await made.close()
        self._made.clear()
