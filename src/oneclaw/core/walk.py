"""One call in progress: what each step of the engine found out."""

from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.order import Ticket
from oneclaw.core.session import Session
from oneclaw.core.tool import Context, ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.check.output import OutputCheck


class Walk:
    """One call in progress. Each step of the engine fills in what it found out."""

    __slots__ = (
        "_asked",
        "_questions",
        "arguments",
        "call",
        "context",
        "definition",
        "is_told",
        "is_written",
        "key",
        "long_text",
        "output",
        "repairs",
        "result",
        "session",
        "started",
        "ticket",
    )

    def __init__(self, call: ToolCall, session: Session) -> None:
        self.call = call
        self.session = session
        self.started = monotonic()
        self.definition: ToolDefinition | None = None
        self.output: OutputCheck | None = None
        self.arguments: dict[str, Any] = {}
        self.repairs: tuple[str, ...] = ()
        self.ticket: Ticket | None = None
        self.key: int | None = None
        self.context: Context | None = None
        self.long_text: str | None = None
        self.result: ToolResult | None = None
        self.is_written = False
        self.is_told = False
        self._questions = 0
        self._asked = 0.0

    @property
    def seconds(self) -> float:
        """How long the call has taken so far."""
        return (self._asked if self._questions else monotonic()) - self.started

    @contextmanager
    def asking(self) -> Generator[None]:
        """Meanwhile a person may be asked: how long they think is not how long the call takes."""
        if not self._questions:
            self._asked = monotonic()
        self._questions += 1
        try:
            yield
        finally:
            self._questions -= 1
            if not self._questions:  # several may be asked at once: the time counts once
                self.started += monotonic() - self._asked
