"""Serves the tools of an agent to MCP clients: makes the session that their calls belong to."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from oneclaw.core.errors import InvalidConfig

if TYPE_CHECKING:
    from oneclaw.app import App
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
