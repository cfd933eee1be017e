"""`/mcp` of the server: the tools of the agent `default`, and `/mcp/NAME` those of another."""

from typing import TYPE_CHECKING

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.operations.mcp_serving import McpEndpoint
from oneclaw.web.endpoint import fail

if TYPE_CHECKING:
    from oneclaw.app import App


class McpRoute:
    """Answers MCP clients; the protocol is loaded when the first one comes."""

    def __init__(self, app: "App") -> None:
        self._endpoint = McpEndpoint(app)
        self.routes = [Route("/mcp", self), Route("/mcp/{agent}", self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        agent: str = scope["path_params"].get("agent", "default")
        try:
            await self._endpoint.serve(agent, scope, receive, send)
        except NotFound as error:
            await fail(404, str(error))(scope, receive, send)
        except InvalidConfig as error:
            await fail(501, str(error))(scope, receive, send)

    async def close(self) -> None:
        await self._endpoint.close()
