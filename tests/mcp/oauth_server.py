"""An MCP server behind an authorization server, both of the SDK: `python oauth_server.py PORT SECONDS`.

Whoever opens the page of the authorization server is signed in at once. Access tokens hold for SECONDS.
"""

import secrets
import sys
import time
from typing import Any

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    ProviderTokenVerifier,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthToken
from tests.mcp.sdk_server import server

PORT, SECONDS = int(sys.argv[1]), int(sys.argv[2])


class Memory:
    """The clients, codes and tokens of the authorization server."""

    def __init__(self) -> None:
        self.clients: dict[str, Any] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> Any:
        return self.clients.get(client_id)

    async def register_client(self, client_info: Any) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: Any, params: Any) -> str:
        code = secrets.token_hex(16)
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client: Any, authorization_code: str) -> Any:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client: Any, authorization_code: Any) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._make(client.client_id, authorization_code.resource)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> Any:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client: Any, refresh_token: Any, scopes: list[str]) -> OAuthToken:
        del self.refresh[refresh_token.token]
        return self._make(client.client_id, refresh_token.resource)

    async def load_access_token(self, token: str) -> Any:
        return self.access.get(token)

    async def revoke_token(self, token: Any) -> None:
        self.access.pop(token.token, None)

    def _make(self, client_id: str, resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_hex(16), secrets.token_hex(16)
        until = int(time.time() + SECONDS)
        more: dict[str, Any] = {"client_id": client_id, "scopes": [], "resource": resource}
        self.access[access] = AccessToken(token=access, expires_at=until, **more)
        self.refresh[refresh] = RefreshToken(token=refresh, **more)
        return OAuthToken(access_token=access, token_type="Bearer", expires_in=SECONDS, refresh_token=refresh)


memory: Any = Memory()
HERE = f"http://127.0.0.1:{PORT}"
app = server.streamable_http_app(
    auth=AuthSettings.model_validate(
        {
            "issuer_url": HERE,
            "resource_server_url": f"{HERE}/mcp",
            "validate_token_resource": True,
            "client_registration_options": ClientRegistrationOptions(enabled=True),
        }
    ),
    auth_server_provider=memory,
    token_verifier=ProviderTokenVerifier(memory),
)
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
