"""Progress of a running tool, limited to a few events a second."""

import asyncio
from collections.abc import Callable
from time import monotonic

from oneclaw.core.call_state import CallState
from oneclaw.core.event import Emit, ToolProgressed

EVERY_SECONDS = 0.1
TEXT_CHARS = 500


class Progress:
    """`context.progress`; the last report of a call (fraction 1) is never dropped."""

    __slots__ = ("_emit", "_last", "_loop", "_redact", "_walk")

    def __init__(self, walk: CallState, emit: Emit, redact: Callable[[str], str] | None) -> None:
        self._walk = walk
        self._emit = emit
        self._redact = redact
        self._last = 0.0
        self._loop = asyncio.get_running_loop()

    def __call__(self, text: str, fraction: float | None = None) -> None:
        now = monotonic()
        if now - self._last < EVERY_SECONDS and (fraction is None or fraction < 1):
            return
        self._last = now
        shown = str(text)[: 10 * TEXT_CHARS]
        if self._redact is not None:
            shown = self._redact(shown)  # before the cut: half a secret is not known as one
        if fraction is not None:
            fraction = min(1.0, max(0.0, float(fraction)))
        call, definition = self._walk.call, self._walk.definition
        assert definition is not None
        session = self._walk.session.id
        event = ToolProgressed(call.id, definition.name, session, shown[:TEXT_CHARS], fraction)
        try:
            is_here = asyncio.get_running_loop() is self._loop
        except RuntimeError:  # in a thread
            is_here = False
        if is_here:
            self._emit(event)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._emit, event)
