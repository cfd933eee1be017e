"""ServedCall: one call of a client, from its start to its result, with the questions it asks meanwhile.

The call runs in a task of its own, apart from the request that made it. A client of 2025-11-25 is asked while
its request waits. A client of 2026-07-28 gets the question as the answer to its request, and the call goes on
when the client comes back with what the person said.
"""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult, cancelled
from oneclaw.core.engine import Engine
from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import Question
from oneclaw.core.session import Session
from oneclaw.mcp.server.elicitation import form_of

current: "contextvars.ContextVar[ServedCall | None]" = contextvars.ContextVar("served_call", default=None)
"""The call that the running code works for, also in calls and runs that it made."""


class ServedCall:
    """A call that runs. `request` is the context of the request that waits for it, as the SDK gives it."""

    def __init__(
        self, engine: Engine, broker: Broker, call: ToolCall, session: Session, can_ask: bool, request: Any
    ) -> None:
        self.call = call
        self.request = request
        self._broker = broker
        self._own: set[str] = set()
        self._asked: asyncio.Queue[Question | None] = asyncio.Queue()
        self._settled: dict[str, asyncio.Event] = {}
        self._unbind: Callable[[], None] | None = None
        if can_ask:
            self._unbind = broker.bind(self._show, self._withdraw, self._accepts)
        context = contextvars.copy_context()
        context.run(current.set, self)
        self.task = asyncio.get_running_loop().create_task(engine.call(call, session), context=context)
        self.task.add_done_callback(self._finish)

    def owns(self, question_id: str) -> None:
        """Have it known that this call asks the question; told before anybody is shown it."""
        self._own.add(question_id)

    async def next_question(self) -> Question | None:
        """The next question that the client is to be asked; None when the call has ended."""
        if self._unbind is None:
            await asyncio.wait((self.task,))
            return None
        while (question := await self._asked.get()) is not None:
            if question.id in self._settled:
                return question
        return None

    def settled(self, question_id: str) -> asyncio.Event:
        """Set when a question has its answer, whoever gave it."""
        return self._settled.setdefault(question_id, _set_event())

    def answer(self, question_id: str, answer: Any, who: str) -> None:
        """Give a person's answer; one that does not fit the question is none."""
        try:
            self._broker.answer(question_id, answer, who=who)
        except ValueError:
            self._broker.answer(question_id, None, who=who)

    def result(self) -> ToolResult:
        """The result of the call that has ended."""
        return cancelled(self.call) if self.task.cancelled() else self.task.result()

    def cancel(self) -> None:
        self.task.cancel()

    def _accepts(self, question: Question) -> bool:
        return question.id in self._own and form_of(question) is not None

    def _show(self, question: Question) -> None:
        self._settled[question.id] = asyncio.Event()
        self._asked.put_nowait(question)

    def _withdraw(self, question_id: str) -> None:
        event = self._settled.pop(question_id, None)
        if event is not None:
            event.set()

    def _finish(self, _: object) -> None:
        if self._unbind is not None:
            self._unbind()
            self._asked.put_nowait(None)


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event
