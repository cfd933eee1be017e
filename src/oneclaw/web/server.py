"""The server of the page: puts the gate, the API, the socket and the files of the page together."""

import socket as sockets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
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
from oneclaw.web.openapi import openapi
from oneclaw.web.request_gate import COOKIE, Refused, RequestGate

if TYPE_CHECKING:
    from oneclaw.app import App

PAGE = Path(__file__).parent / "page"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
PORT = 7468
_SHUTDOWN_SECONDS = 5


class Server:
    """The page of an app, on one address. `link` is a new one-time link to it."""

    def __init__(self, app: "App", host: str = "127.0.0.1", port: int = PORT) -> None:
        if host not in LOOPBACK:
            raise InvalidConfig(f"The page is served on this machine only (127.0.0.1), not on {host[:80]!r}.")
        self._app = app
        self._access = AccessBook(access_file(app.config.home))
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._host = f"[{host}]" if ":" in host else host
        config = uvicorn.Config(
            self._asgi(),
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=1 << 20,
            server_header=False,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        self._server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        return f"http://{self._host}:{self.port}/"

    def link(self) -> str:
        """A link that logs one browser in, once."""
        return f"{self.address}#link={self._access.make_link()}"

    async def serve(self) -> None:
        """Answer until `stop` is called, or the task is cancelled."""
        self._server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        self._server.should_exit = True

    def _asgi(self) -> ASGIApp:
        live = Live(self._app)
        hosts = [f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")]
        routes: list[BaseRoute] = [
            Route("/", _page, methods=["GET"]),
            Route("/api/login", self._log_in, methods=["POST"]),
            Route("/api/openapi.json", _show_openapi, methods=["GET"]),
            WebSocketRoute("/api/socket", live.serve),
            *(endpoint.route(self._app) for endpoint in ENDPOINTS),
            Mount("/page", StaticFiles(directory=PAGE)),
        ]
        handlers: Any = {Refused: _refuse}
        self._gate = RequestGate(Starlette(routes=routes, exception_handlers=handlers), self._access, hosts)
        return self._gate

    async def _log_in(self, request: Request) -> Response:
        """Exchange a one-time link for a cookie."""
        self._gate.check_failures()
        try:
            said = await request.json()
            link = str(said["link"])
        except (ValueError, KeyError, TypeError):
            return JSONResponse({"error": 'Send the link as {"link": …}.'}, 400)
        cookie = self._access.exchange(link)
        if cookie is None:
            self._gate.note_failure()
            raise Refused(401, "This link was used already, or is too old. `oneclaw serve` prints a new one.")
        response = JSONResponse({"ok": True})
        response.set_cookie(
            COOKIE, cookie, max_age=int(LOGIN_SECONDS), path="/", httponly=True, samesite="strict"
        )
        return response


async def serve_page(app: "App", port: int, told: Callable[[Server], None]) -> None:
    """Serve the page of an app until the task is cancelled; `told` is called when it can be opened."""
    server = Server(app, port=port)
    told(server)
    await server.serve()


async def _refuse(request: Request, refused: Refused) -> Response:
    return fail(refused.status, str(refused))


async def _page(request: Request) -> Response:
    return FileResponse(PAGE / "index.html", media_type="text/html")


async def _show_openapi(request: Request) -> Response:
    return JSONResponse(openapi(ENDPOINTS))


def _listen(host: str, port: int) -> sockets.socket:
    """A socket that listens; made with its protocol, or the loop would not set TCP_NODELAY."""
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    listening = sockets.socket(family, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
    listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InvalidConfig(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from None
    listening.listen(128)
    return listening
