"""Ways to MCP servers: a supervised local program, or an address that is reached by HTTP."""

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from oneclaw.child.child import Child
from oneclaw.child.child_spec import ChildSpec, environment
from oneclaw.core.errors import ToolError
from oneclaw.core.session import Network
from oneclaw.core.text.display import one_line
from oneclaw.mcp.client.mcp_server import GiveSecrets, McpServer

if TYPE_CHECKING:
    from oneclaw.guard.sandbox.sandbox import Sandbox
    from oneclaw.mcp.client.oauth import SecretTokens
    from oneclaw.mcp.client.sampling import AskModel


@dataclass(frozen=True, slots=True)
class WireParts:
    """Parts of wires: secrets, network settings, the sandbox of local servers, and the model."""

    give: GiveSecrets
    network: Network = field(default_factory=Network)
    sandbox: "Callable[[], Sandbox] | None" = None
    ask_model: "AskModel | None" = None
    tokens: "Callable[[McpServer], SecretTokens] | None" = None


async def make_wire(server: McpServer, parts: WireParts) -> Any:
    """A new way to a server. Raises `ToolError` where there can be none."""
    return LocalWire(server, parts) if server.is_local else HttpWire(server, parts)


class LocalWire:
    """A local server. Its environment has paths, language, time zone and the secrets of its settings."""

    def __init__(self, server: McpServer, parts: WireParts) -> None:
        from oneclaw.mcp.client.child_transport import ChildTransport
        from oneclaw.mcp.client.sieve import Sieve

        self._server = server
        self._closing = AsyncExitStack()
        self._child = ChildTransport(partial(self._start, parts))
        self._sieve = Sieve(self._child)
        self.transport: Any = self._sieve

    @property
    def ended(self) -> asyncio.Event:
        return self._child.ended

    @property
    def log(self) -> str:
        return self._child.log

    @property
    def warnings(self) -> list[str]:
        noise = self._child.noise
        if not noise.count:
            return []
        return [
            f"it wrote {noise.count:,} lines to its output that are not of the protocol, the first:"
            f" {one_line(noise.first, 200)}"
        ]

    def bad_tools(self) -> Mapping[str, str]:
        return self._sieve.bad

    async def why_ended(self) -> str:
        return await self._child.why_ended()

    async def close(self) -> None:
        await self._closing.aclose()

    async def _start(self, parts: WireParts, descriptors: dict[int, int]) -> Child:
        server, said = self._server, self._server.settings
        assert said.command is not None
        secrets = server.environment(parts.give)
        variables = environment() | secrets
        if said.folder is None:
            server.folder.mkdir(parents=True, exist_ok=True)  # the workspace, which is made when it is used
        if not os.path.isdir(server.folder):  # noqa: ASYNC240 - one look at the disk
            raise ToolError(f"the folder {server.folder}, where it starts, is not there")
        program = shutil.which(said.command, path=variables.get("PATH"))
        if program is None:
            raise ToolError(f"the program {said.command!r} is not installed, or not on the PATH")
        argv = [program, *said.args]
        if said.sandbox:
            from oneclaw.mcp.client.sandboxed import start_sandboxed

            if parts.sandbox is None:
                raise ToolError("there is no sandbox here")
            sandbox = parts.sandbox()
            return await start_sandboxed(server, argv, secrets, sandbox, descriptors, self._closing)
        spec = ChildSpec(
            argv=argv, environment=variables, directory=str(server.folder), descriptors=descriptors
        )
        try:
            return Child(spec)
        except OSError as error:
            raise ToolError(f"it cannot be started: {error.strerror}") from None


class HttpWire:
    """A server that is reached by HTTP; each request stands alone, so there is no end to be told of."""

    ended = None
    log = ""

    def __init__(self, server: McpServer, parts: WireParts, auth: Any = None) -> None:
        from oneclaw.mcp.client.http_transport import http_transport, make_http_client
        from oneclaw.mcp.client.oauth import make_auth
        from oneclaw.mcp.client.sieve import Sieve

        url, headers = server.settings.url or "", server.headers(parts.give)
        is_signed = any(name.lower() == "authorization" for name in headers)
        if auth is None and parts.tokens is not None and not is_signed:
            auth = make_auth(server, parts.tokens(server))
        self._client = make_http_client(url, parts.network, headers, auth)
        self._sieve = Sieve(http_transport(url, self._client))
        self.transport: Any = self._sieve
        self.warnings: list[str] = []

    def bad_tools(self) -> Mapping[str, str]:
        return self._sieve.bad

    async def why_ended(self) -> str:
        return "closed the connection"

    async def close(self) -> None:
        await self._client.aclose()
