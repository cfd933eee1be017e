"""Progress of a call, reported to the client that asked for it."""

import asyncio
from contextlib import suppress
from typing import Any

WHOLE = 100.0
_STEP = 0.001


class ProgressReports:
    """The reports of one request, sent in order. Their numbers only rise, as the protocol has it.

    The SDK sends none to a client that did not ask for them.
    """

    def __init__(self, request: Any) -> None:
        self._session = request.session
        self._last = 0.0
        self._total: float | None = None
        self._sending: asyncio.Task[None] | None = None

    def tell(self, text: str, fraction: float | None) -> None:
        """Report a text and, where the tool says it, how much of the work is done."""
        if fraction is not None:
            self._total = WHOLE
        value = self._last + (1.0 if self._total is None else _STEP)
        self._last = max(value, WHOLE * (fraction or 0.0))
        before, total = self._sending, self._total
        self._sending = asyncio.ensure_future(self._send(before, self._last, total, text))

    async def sent(self) -> None:
        """Wait until every report is sent."""
        if self._sending is not None:
            await asyncio.gather(self._sending, return_exceptions=True)

    async def _send(
        self, before: "asyncio.Task[None] | None", value: float, total: float | None, text: str
    ) -> None:
        if before is not None:
            await asyncio.wait((before,))
        with suppress(Exception):  # the client is gone: nobody misses the report
            await self._session.report_progress(value, total, text)
