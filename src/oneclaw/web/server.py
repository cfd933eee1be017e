"""The server of the page: puts the gate, the API, the socket and the files of the page together."""

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from oneclaw.core.errors import InvalidConfig
from oneclaw.operations.access import LOGIN_SECONDS, AccessBook, access_file
from oneclaw.web.api import ENDPOINTS
from oneclaw.web.endpoint import fail
from oneclaw.web.live import Live
from oneclaw.web.mcp_route import McpRoute
from oneclaw.web.openapi import openapi
from oneclaw.web.request_gate import COOKIE, Refused, RequestGate
from oneclaw.web.server_address import PORT, ServerAddress

if TYPE_CHECKING:
    from oneclaw.app import App

PAGE = Path(__file__).parent / "page"
_WRONG = {
    "link": "This link was used already, or is too old. `oneclaw serve` prints a new one.",
    "password": "The password is wrong.",
    "token": "This token is not known; `oneclaw tokens` lists those that are.",
}
_SHUTDOWN_SECONDS = 5


class Server:
    """The page of an app, on one address. `link` is a new one-time link to it."""

    def __init__(self, app: "App", at: ServerAddress | None = None, *, port: int = PORT) -> None:
        """Raises `InvalidConfig` for an address that cannot be used, or that nothing guards.

        `port` is that of the loopback, where no address is given.
        """
        self._app = app
        self._at = ServerAddress(port=port) if at is None else at
        self._access = AccessBook(access_file(app.config.home))
        self._at.check(self._access)
        self._socket = self._at.listen()
        self.port: int = self._socket.getsockname()[1]
        self._hosts = self._at.hosts(self.port)
        config = uvicorn.Config(
            self._asgi(),
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=1 << 20,
            server_header=False,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            ssl_certfile=self._at.certificate,
            ssl_keyfile=self._at.key,
        )
        try:
            config.load()
        except OSError as error:  # as that of a key which is not the certificate's
            self._socket.close()
            raise InvalidConfig(f"The certificate {self._at.certificate} cannot be used: {error}.") from None
        self._server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        return f"{self._at.scheme}://{self._hosts[0]}/"

    def link(self) -> str:
        """A link that logs one browser in, once."""
        return f"{self.address}#link={self._access.make_link()}"

    async def serve(self) -> None:
        """Answer until `stop` is called, or the task is cancelled."""
        self._server.capture_signals = nullcontext  # pyright: ignore[reportAttributeAccessIssue]  ours to hear
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            await self._mcp.close()
            self._socket.close()

    def stop(self) -> None:
        self._server.should_exit = True

    def _asgi(self) -> ASGIApp:
        live, self._mcp = Live(self._app), McpRoute(self._app)
        routes: list[BaseRoute] = [
            Route("/", _page, methods=["GET"]),
            Route("/api/login", self._log_in, methods=["POST"]),
            Route("/api/openapi.json", _show_openapi, methods=["GET"]),
            WebSocketRoute("/api/socket", live.serve),
            *(endpoint.route(self._app) for endpoint in ENDPOINTS),
            *self._mcp.routes,
            Mount("/page", StaticFiles(directory=PAGE)),
        ]
        handlers: Any = {Refused: _refuse, HTTPException: _fail}
        inner = Starlette(routes=routes, exception_handlers=handlers)
        self._gate = RequestGate(inner, self._access, self._hosts, self._at.scheme)
        return self._gate

    async def _log_in(self, request: Request) -> Response:
        """Exchange a one-time link, a password or a token for a cookie."""
        try:
            said = await request.json()
            ((kind, secret),) = said.items()
            if kind not in ("link", "password", "token") or not isinstance(secret, str):
                raise TypeError
        except (ValueError, AttributeError, TypeError, RecursionError):
            return fail(400, 'Send {"link": …}, {"password": …} or {"token": …}.')
        attempt = self._gate.note_attempt(request.scope)
        cookie = await asyncio.to_thread(self._access.log_in, kind, secret)
        if cookie is None:
            raise Refused(401, _WRONG[kind])
        self._gate.forgive(attempt)
        response = JSONResponse({"ok": True})
        response.set_cookie(
            COOKIE,
            cookie,
            max_age=int(LOGIN_SECONDS),
            path="/",
            httponly=True,
            samesite="strict",
            secure=self._at.certificate is not None,
        )
        return response


async def _refuse(request: Request, refused: Refused) -> Response:
    return fail(refused.status, str(refused))


async def _fail(request: Request, error: HTTPException) -> Response:
    return fail(error.status_code, f"{error.detail}: {request.method} {request.url.path[:200]}")


async def _page(request: Request) -> Response:
    return FileResponse(PAGE / "index.html", media_type="text/html")


async def _show_openapi(request: Request) -> Response:
    return JSONResponse(openapi(ENDPOINTS))
