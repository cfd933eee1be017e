"""OAuth for MCP servers that are reached by HTTP: sign in through a browser, tokens among the secrets.

A person signs in with `oneclaw mcp login`: the browser is sent back to a port of this machine (authorization
code with PKCE). Tokens, the client's registration and the addresses of the authorization server are kept in
the secrets file. A program that runs later refreshes tokens by itself, and never opens a browser.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from oneclaw.core.errors import ToolError
from oneclaw.core.text.toml_edit import remove_value, set_value
from oneclaw.guard.files.own_file import change_file
from oneclaw.guard.secret.secrets import read_secrets
from oneclaw.mcp.client.mcp_server import McpServer
from oneclaw.mcp.client.sdk import auth, shared_auth

CALLBACK = "/callback"
NOWHERE = f"http://127.0.0.1:1{CALLBACK}"
_DONE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"Signed in. You can close this page.\n"
)
_HEAD_BYTES = 16 * 1024

Learn = Callable[[str, str], None]
"""Has a secret masked from now on."""


class SecretTokens:
    """Tokens of one server in the secrets file; the storage of the SDK."""

    def __init__(self, file: Path, server: McpServer, learn: Learn) -> None:
        self._file = file
        self._name = f"MCP_{server.prefix.upper()}_OAUTH"
        self._learn = learn

    def read(self) -> dict[str, Any]:
        try:
            said = json.loads(read_secrets(self._file).get(self._name, "{}"))
        except ValueError:
            said = {}
        kept = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
        self._teach(kept.get("tokens"))
        return kept

    def forget(self) -> bool:
        """Whether there was something to forget."""
        if not self._file.exists():
            return False
        return change_file(self._file, lambda text: remove_value(text, (self._name,)))

    def keep(self, **parts: Any) -> None:
        kept = {**self.read(), **parts}
        self._teach(kept.get("tokens"))
        change_file(self._file, lambda text: set_value(text, (self._name,), json.dumps(kept)))

    async def get_tokens(self) -> Any:
        tokens = self.read().get("tokens")
        return None if tokens is None else shared_auth.OAuthToken.model_validate(tokens)

    async def set_tokens(self, tokens: Any) -> None:
        expires = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self.keep(tokens=tokens.model_dump(mode="json", exclude_none=True), expires=expires)

    async def get_client_info(self) -> Any:
        client = self.read().get("client")
        return None if client is None else shared_auth.OAuthClientInformationFull.model_validate(client)

    async def set_client_info(self, client_info: Any) -> None:
        self.keep(client=client_info.model_dump(mode="json", exclude_none=True))

    def _teach(self, tokens: Any) -> None:
        for name in ("access_token", "refresh_token") if isinstance(tokens, dict) else ():
            value = cast("dict[str, Any]", tokens).get(name)
            if isinstance(value, str):
                self._learn(f"{self._name} {name}", value)


def make_auth(
    server: McpServer,
    tokens: SecretTokens,
    redirect_uri: str = NOWHERE,
    show: Callable[[str], Awaitable[None]] | None = None,
    wait: Callable[[], Awaitable[Any]] | None = None,
) -> Any:
    """The authentication of requests. Without `show` nobody is asked, and a missing token is an error."""

    async def refuse(url: str) -> None:
        raise ToolError(f"you must sign in first: oneclaw mcp login {server.name}")

    metadata = shared_auth.OAuthClientMetadata.model_validate(
        {
            "client_name": "OneClaw",
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
    )
    provider = auth.OAuthClientProvider(
        server.settings.url or "", metadata, tokens, show or refuse, wait or _nobody
    )
    kept = tokens.read()
    if kept.get("metadata"):
        provider.context.oauth_metadata = shared_auth.OAuthMetadata.model_validate(kept["metadata"])
    provider.context.token_expiry_time = kept.get("expires")
    return provider


async def _nobody() -> Any:
    raise ToolError("nobody is there to sign in")


async def sign_in(
    server: McpServer,
    tokens: SecretTokens,
    connect: Callable[[Any], Awaitable[None]],
    show: Callable[[str], None],
) -> None:
    """Sign in: `show` is given the address to open, `connect` makes a request with the authentication."""
    arrived: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode("ascii", "replace")
            given = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
            if urlsplit(target).path == CALLBACK and "code" in given and not arrived.done():
                fields = {name: given.get(name) for name in ("code", "state", "iss")}
                arrived.set_result(shared_auth.AuthorizationCodeResult.model_validate(fields))
            elif urlsplit(target).path == CALLBACK and "error" in given and not arrived.done():
                arrived.set_exception(ToolError(f"the server refused: {given['error'][:200]}"))
            writer.write(_DONE)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, IndexError):
            pass
        finally:
            writer.close()

    async def tell(url: str) -> None:
        show(url)

    async def wait() -> Any:
        return await arrived

    listener = await asyncio.start_server(answer, "127.0.0.1", 0, limit=_HEAD_BYTES)
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        tokens.forget()  # a new port is a new address to be sent back to, so the client registers again
        provider = make_auth(server, tokens, f"http://127.0.0.1:{port}{CALLBACK}", tell, wait)
        await connect(provider)
        metadata = provider.context.oauth_metadata
        if metadata is not None and tokens.read().get("tokens"):
            tokens.keep(metadata=metadata.model_dump(mode="json", exclude_none=True))
