"""CallState: one call in progress, with the findings of each engine step."""

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.order import Ticket
from oneclaw.core.pauses import Pauses
from oneclaw.core.permit.asking import ask_person
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.session import Session
from oneclaw.core.tool import Context, ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.check.output import OutputCheck


class CallState:
    """One call in progress. Each step of the engine fills in what it found out."""

    definition: ToolDefinition | None = None
    output: "OutputCheck | None" = None
    label = ""
    repairs: tuple[str, ...] = ()
    ticket: Ticket | None = None
    key: int | None = None
    context: Context | None = None
    long_text: str | None = None
    result: ToolResult | None = None
    is_written = False
    is_told = False
    _questions = 0
    _asked = 0.0

    def __init__(
        self, call: ToolCall, session: Session, permissions: Permissions, clocks: Mapping[str, Pauses]
    ) -> None:
        """`clocks` are those of the runs, by session: they stand still while a person is asked."""
        self.call = call
        self.session = session
        self.started = monotonic()
        self.arguments: dict[str, Any] = {}
        self._permissions = permissions
        self._clocks = clocks

    @property
    def seconds(self) -> float:
        """How long the call has taken so far."""
        return (self._asked if self._questions else monotonic()) - self.started

    async def require(self, need: str, reason: str) -> None:
        """Ask for a need that only shows while the tool runs; see `Context.require`."""
        definition = self.definition
        assert definition is not None
        with self.asking():
            call_id, arguments, session = self.call.id, self.arguments, self.session
            await self._permissions.require(call_id, definition, arguments, session, need, reason)

    async def ask(self, *asked: Any) -> Any:
        """Ask a person for the tool; see `Context.ask`."""
        call, definition = self.call, self.definition
        assert definition is not None
        with self.asking():
            session, arguments = self.session, self.arguments
            return await ask_person(self._permissions, call.id, definition.name, arguments, session, *asked)

    @contextmanager
    def asking(self) -> Generator[None]:
        """Meanwhile a person may be asked: it takes no time of the call, nor of the runs that wait for it."""
        with ExitStack() as stack:
            for each in self.session.line:
                if each.id in self._clocks:
                    stack.enter_context(self._clocks[each.id].paused())
            if not self._questions:
                self._asked = monotonic()
            self._questions += 1
            try:
                yield
            finally:
                self._questions -= 1
                if not self._questions:  # several may be asked at once: the time counts once
                    self.started += monotonic() - self._asked
