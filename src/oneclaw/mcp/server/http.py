"""Serves clients by HTTP: a part of the server of the page, which checks every request before."""

import asyncio
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from oneclaw.mcp.server.sdk import SdkServer

MOST_SESSIONS = 1_000
IDLE_SECONDS = 1_800.0


class HttpServing:
    """A server of the SDK as an ASGI application. It is opened and closed in a task of its own."""

    def __init__(self, served: SdkServer) -> None:
        self._served = served
        self._manager = StreamableHTTPSessionManager(
            served.server, max_sessions=MOST_SESSIONS, session_idle_timeout=IDLE_SECONDS
        )
        self._opened, self._closing = asyncio.Event(), asyncio.Event()
        self._task = asyncio.ensure_future(self._run())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._opened.wait()
        await self._manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        self._closing.set()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        async with self._manager.run(), self._served.watching():
            self._opened.set()
            await self._closing.wait()
            await self._served.tools.close()
