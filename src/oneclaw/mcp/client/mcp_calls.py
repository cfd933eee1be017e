"""McpCalls: the calls that wait for a server, and the limit on how long each goes without a sign of life.

A server that asks something while a call runs asks on behalf of that call. In the newer protocol the request
comes as the answer to the call itself; in the older one it comes alone, and counts as that of the last call.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from oneclaw.core.tool import Context


@dataclass(slots=True, eq=False)
class McpCall:
    """A call that a server is busy with."""

    context: Context
    clock: asyncio.Timeout
    idle_seconds: float
    pauses: int = 0
    samples: int = 0

    def heard(self) -> None:
        """The server has given a sign of life: its time starts anew."""
        if not self.pauses and not self.clock.expired():
            self.clock.reschedule(asyncio.get_running_loop().time() + self.idle_seconds)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Meanwhile a person or a model is waited for, and not the server."""
        self.pauses += 1
        if not self.clock.expired():
            self.clock.reschedule(None)
        try:
            yield
        finally:
            self.pauses -= 1
            self.heard()


_current: ContextVar[McpCall | None] = ContextVar("oneclaw_mcp_call", default=None)


class McpCalls:
    """The calls of one server, oldest first."""

    def __init__(self) -> None:
        self._calls: list[McpCall] = []

    @contextmanager
    def running(self, call: McpCall) -> Generator[None]:
        self._calls.append(call)
        token = _current.set(call)
        try:
            yield
        finally:
            _current.reset(token)
            self._calls.remove(call)

    def asking(self) -> McpCall | None:
        """The call on whose behalf a server asks now; None when no call runs."""
        current = _current.get()
        if current is not None and current in self._calls:
            return current
        return self._calls[-1] if self._calls else None
