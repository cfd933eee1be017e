"""Deadline that pauses while a person is asked."""

import asyncio
from collections.abc import Callable
from time import monotonic

from oneclaw.core.tool import Context


class Deadline:
    """Calls `expire` once `seconds` have passed since `started`, not counting waits for people."""

    __slots__ = ("_context", "_expire", "_seconds", "_started", "_timer")

    def __init__(self, context: Context, seconds: float, started: float, expire: Callable[[], None]) -> None:
        self._context = context
        self._seconds = seconds
        self._started = started
        self._expire = expire
        left = seconds - (monotonic() - started)
        self._timer = asyncio.get_running_loop().call_later(max(left, 0.0), self._look)

    def cancel(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        left = self._seconds + self._context.waited_seconds - (monotonic() - self._started)
        if left > 0:
            self._timer = asyncio.get_running_loop().call_later(max(left, 0.001), self._look)
        else:
            self._expire()
