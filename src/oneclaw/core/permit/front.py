"""Front: shows questions to a person, one at a time."""

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterable
from contextlib import suppress

from oneclaw.core.question import Question

ShowQuestion = Callable[[Question], None]
Withdraw = Callable[[str], None]
Accepts = Callable[[Question], bool]


class Front:
    """Someone who shows questions, and the one they are showing.

    `open_for` gives the questions it could show, oldest first. `failed` has those that it could not show, and
    why; `on_failure` is called when there is another.
    """

    __slots__ = (
        "_is_showing",
        "_on_failure",
        "_open_for",
        "_show",
        "_shown",
        "_withdraw",
        "accepts",
        "failed",
    )

    def __init__(
        self,
        show: ShowQuestion,
        withdraw: Withdraw | None,
        open_for: "Callable[[Front], Iterable[Question]]",
        on_failure: Callable[[], None],
        accepts: Accepts | None = None,
    ) -> None:
        self._show = show
        self._withdraw = withdraw
        self._open_for = open_for
        self._on_failure = on_failure
        self._shown: str | None = None
        self._is_showing = False
        self.accepts: Accepts = accepts or (lambda _: True)
        self.failed: dict[str, str] = {}

    def advance(self) -> None:
        """Show the next questions until one stays open. The front may answer while it is shown one."""
        if self._is_showing:
            return
        self._is_showing = True
        try:
            while self._shown is None and (question := self._next()) is not None:
                self._show_one(question)
        finally:
            self._is_showing = False

    def take_away(self, question_id: str) -> None:
        """Have it known that a question is settled."""
        self.failed.pop(question_id, None)
        if self._shown == question_id:
            self._shown = None
            if self._withdraw is not None:
                with suppress(Exception):  # the question is settled; a front's trouble is its own
                    self._withdraw(question_id)
            self.advance()

    def _next(self) -> Question | None:
        return next((one for one in self._open_for(self) if one.id not in self.failed), None)

    def _show_one(self, question: Question) -> None:
        self._shown = question.id
        try:
            self._show(question)
        except Exception as error:
            self._shown = None
            if any(one.id == question.id for one in self._open_for(self)):
                self.failed[question.id] = f"The question could not be shown ({type(error).__name__})."
                self._on_failure()


def run_on(loop: asyncio.AbstractEventLoop, work: Callable[[], bool]) -> bool:
    """Do something on a loop, from any thread, and wait until it is done; False when the loop is closed."""
    if loop.is_closed():
        return False
    if _running_loop() is loop:
        return work()
    done: concurrent.futures.Future[bool] = concurrent.futures.Future()

    def run() -> None:
        try:
            done.set_result(work())
        except Exception as error:
            done.set_exception(error)

    try:
        loop.call_soon_threadsafe(run)
    except RuntimeError:  # closed since
        return False
    while True:
        try:
            return done.result(timeout=1.0)
        except concurrent.futures.TimeoutError:
            if loop.is_closed():
                return False


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
