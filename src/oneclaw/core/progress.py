"""Progress of a running tool: an event a few times a second at the most, from any thread."""

import asyncio
import threading
from collections.abc import Callable
from time import monotonic
from typing import Protocol

from oneclaw.core.event import Emit, ToolProgressed

EVERY_SECONDS = 0.1
TEXT_CHARS = 500


class _Redactor(Protocol):
    def redact(self, text: str) -> str: ...


class Progress:
    """What `context.progress` calls; the last word of a call (fraction 1) is never dropped."""

    __slots__ = ("_call_id", "_emit", "_last", "_loop", "_redactor", "_session", "_thread", "_tool")

    def __init__(self, call_id: str, tool: str, session: str, emit: Emit, redactor: _Redactor | None) -> None:
        self._call_id = call_id
        self._tool = tool
        self._session = session
        self._emit = emit
        self._redactor = redactor
        self._last = 0.0
        self._thread = threading.get_ident()
        self._loop = asyncio.get_running_loop()

    def __call__(self, text: str, fraction: float | None = None) -> None:
        now = monotonic()
        if now - self._last < EVERY_SECONDS and (fraction is None or fraction < 1):
            return
        self._last = now
        shown = str(text)[: 10 * TEXT_CHARS]
        if self._redactor is not None:
            shown = self._redactor.redact(shown)  # before the cut: half a secret is not known as one
        shown = shown[:TEXT_CHARS]
        if fraction is not None:
            fraction = min(1.0, max(0.0, float(fraction)))
        event = ToolProgressed(self._call_id, self._tool, self._session, shown, fraction)
        self._deliver(lambda: self._emit(event))

    def _deliver(self, send: Callable[[], None]) -> None:
        if threading.get_ident() == self._thread:
            send()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(send)
