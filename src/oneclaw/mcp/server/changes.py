"""Announces to clients when the tools of an agent have changed."""

import asyncio
from collections.abc import Awaitable, Callable

from oneclaw.core.errors import OneClawError
from oneclaw.core.permit.need import PERSON
from oneclaw.core.tool import ToolDefinition
from oneclaw.mcp.server.tool_server import ToolServer

EVERY_SECONDS = 0.5


class ListChanges:
    """Looks at the tools twice a second, and calls `announce` when they are others.

    Another program may switch a tool, and its store is where that can be seen.
    """

    def __init__(self, server: ToolServer, announce: Callable[[], Awaitable[None]]) -> None:
        self._server = server
        self._announce = announce
        self._last: tuple[ToolDefinition, ...] | None = None

    async def watch(self) -> None:
        """Look until the task is cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(EVERY_SECONDS)

    async def look(self) -> None:
        try:
            await self._server.engine.refresh()
        except OneClawError:  # the next look may succeed
            return
        # Tools that ask a person come and go with the people who are there; that is no news to a client.
        found = tuple(one for one in self._server.definitions() if PERSON not in one.needs)
        before, self._last = self._last, found
        if before is not None and before != found:
            await self._announce()
