"""Broker: one queue of questions to people; each gets exactly one answer.

Theory of operation. A call that must ask hands its question to `ask` and waits on a future. A question leaves
the queue in one place only, `_settle`, which takes it out, sets the future and tells whoever listens; whoever
comes later finds it gone. What settles a question:

    a person        `answer`, from any front; an answer that is kept settles all the questions it covers
    another program its answer stands in the book, which is looked at while a question is open
    the clock       when the question expires
    nobody          no front shows such questions, the last one leaves, or each one failed to show it
    the call        it was cancelled: the question is withdrawn

With a book (`QuestionBook`) a question is stored before anybody is shown it, and how it ends is written there
first: of two answers, given in two programs, the one that was written first is the answer in both. A question
that `waits` is open with nobody there, too; it stays open in the book when the program closes or is killed.

A front is shown one question at a time, in the order asked; `pending` lists all, and any may be answered.
Everything happens on the event loop of the calls; another thread answers through `answer_threadsafe`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import time
from typing import Any

from oneclaw.core.errors import OneClawError
from oneclaw.core.event import Emit, QuestionAnswered, QuestionAsked
from oneclaw.core.permit.front import Accepts, Front, ShowQuestion, Withdraw, run_on
from oneclaw.core.permit.grant import fits
from oneclaw.core.permit.prompt import Fits, covers
from oneclaw.core.question import KEPT, MISFIT, Question, QuestionBook, Reply, read_answer
from oneclaw.core.session import Session
from oneclaw.core.settings.tree import DEFAULTS

NOBODY = "Nobody is there to ask."
_LOOK_SECONDS = 0.25


@dataclass(slots=True, eq=False)
class _WaitingQuestion:
    question: Question
    fits: Fits
    remember: Callable[[Reply], None] | None
    future: "asyncio.Future[Reply]"
    is_stored: bool = False
    is_ending: bool = False
    timer: asyncio.TimerHandle | None = None


class Broker:
    """The one queue. `seconds` is how long a question waits before it is a no, `wait_seconds` how long one
    waits that needs nobody to be there; `book` keeps questions for other programs."""

    def __init__(
        self,
        *,
        seconds: float = DEFAULTS.permissions.prompt_seconds,
        wait_seconds: float = DEFAULTS.questions.wait_seconds,
        emit: Emit | None = None,
    ) -> None:
        self.seconds = seconds
        self.wait_seconds = wait_seconds
        self.book: QuestionBook | None = None
        self._emit = emit
        self._fronts: list[Front] = []
        self._waiting: dict[str, _WaitingQuestion] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._is_closing = False

    def why_nobody(self, session: Session) -> str:
        """Why nobody can answer a question of the session; empty when somebody can."""
        if self._fronts or session.line[-1].waits:
            return ""
        return (
            "nobody can answer: no terminal or page is open, and this run does not wait for one"
            " (setting questions.wait)."
        )

    def seconds_for(self, session: Session) -> float:
        """How long a question of the session is open."""
        return self.wait_seconds if session.line[-1].waits else self.seconds

    def pending(self) -> tuple[Question, ...]:
        """The open questions, oldest first."""
        return tuple(waiting.question for waiting in self._waiting.values())

    def bind(
        self, show: ShowQuestion, withdraw: Withdraw | None = None, accepts: Accepts | None = None
    ) -> Callable[[], None]:
        """Let a front show questions; returns the function that ends it.

        `show` is given one question at a time and must not wait; `withdraw` is given the id of a question it
        was shown that is settled, by whomever. `accepts` says which questions it shows; without it, all.
        """
        front = Front(show, withdraw, self._open_for, partial(self._settle_unseen, ""), accepts)
        self._fronts.append(front)
        front.advance()

        def unbind() -> None:
            if front in self._fronts:
                self._fronts.remove(front)
                self._settle_unseen("The last place where a person could answer was closed.")

        return unbind

    def close(self) -> None:
        """The program ends: questions that wait stay open in the book for whoever goes on."""
        self._is_closing = True

    async def ask(
        self,
        question: Question,
        raw: Mapping[str, Any] | None = None,
        remember: Callable[[Reply], None] | None = None,
        rules: Fits | None = None,
    ) -> Reply:
        """Wait for the one answer. `raw` are the arguments as checked: patterns are held against them, or
        `rules` says whether one fits.

        `remember` is called when this very question gets an answer that is to be kept: at once, so that the
        answer is kept even if the call is cancelled in that moment.
        """
        if not self._fronts and not question.waits:
            return Reply("nobody", NOBODY)
        self._loop = asyncio.get_running_loop()
        rules = rules or partial(fits, arguments=raw or {})
        left = round(question.expires - question.created, 3) if question.expires else self.seconds
        is_stored, asked = False, question
        if self.book is not None:
            try:
                asked, earlier = await self.book.ask(question)
            except OneClawError as error:
                if not self._fronts:
                    return Reply("nobody", f"{NOBODY} The question could not be stored: {error}")
            else:
                is_stored = True
                if asked is not question:  # a program that is gone asked it
                    left = max(asked.expires - time(), 0.0)
                if earlier is not None:
                    earlier = _held(earlier, rules)
                    if remember is not None and earlier.outcome in KEPT:
                        remember(earlier)
                    self._tell_answered(replace(question, id=earlier.by), earlier)
                    return replace(earlier, by=question.id)
        waiting = _WaitingQuestion(
            asked,
            rules,
            remember,
            self._loop.create_future(),
            is_stored,
        )
        self._waiting[asked.id] = waiting
        try:
            waiting.timer = self._loop.call_later(left, self._time_out, waiting, left)
            self._tell_asked(asked)
            if is_stored and self.book is not None:
                with suppress(OneClawError):  # the question itself is safe
                    await self.book.flush()
            for front in tuple(self._fronts):
                front.advance()
            self._settle_unseen(NOBODY)
            if is_stored and self._looking is None:
                self._looking = self._start(self._look())
            reply = await waiting.future
            return replace(reply, by=question.id) if reply.by == asked.id else reply
        finally:
            if not waiting.is_ending and asked.id in self._waiting:
                if is_stored and self.book is not None and not (self._is_closing and asked.waits):
                    self.book.withdraw(asked.id)
                self._settle(Reply("withdrawn", "The call was cancelled."), waiting)

    def answer(
        self,
        question_id: str,
        answer: Any,
        *,
        pattern: Mapping[str, str] | None = None,
        seconds: float | None = None,
        who: str = "",
    ) -> bool:
        """Answer a question; False when it has its answer already or is not known. On the loop's thread only.

        `pattern` and `seconds` narrow what `session`, `agent` and `always` grant. What cannot be answered so
        raises ValueError, and the question stays open. `who` names the person or the place.

        With a book, the answer counts unless another program has written one before.
        """
        waiting = self._waiting.get(question_id)
        if waiting is None:
            return False
        reply = read_answer(waiting.question, answer, pattern, seconds)
        if waiting.future.done() or waiting.is_ending:  # done while in the queue: cancelled this moment
            return False
        if pattern and not waiting.fits(pattern):
            raise ValueError(MISFIT)
        self._end(waiting, reply, who)
        return True

    def answer_threadsafe(self, question_id: str, answer: Any, **more: Any) -> bool:
        """`answer`, from a thread that is not the loop's; waits until the loop has taken it."""
        give = partial(self.answer, question_id, answer, **more)
        return False if self._loop is None else run_on(self._loop, give)

    def _end(self, waiting: _WaitingQuestion, reply: Reply, who: str = "") -> None:
        """End a question and all questions that its answer covers; stored ones end through the book."""
        covered = [
            other
            for other in self._waiting.values()
            if other is not waiting and not other.is_ending and _is_covered(waiting, reply, other)
        ]
        ended = [waiting, *covered]
        for each in ended:
            each.is_ending = True
        if self.book is None or not any(each.is_stored for each in ended):
            self._settle(reply, *ended)
        else:
            self._start(self._write(self.book, ended, reply, who))

    async def _write(self, book: QuestionBook, ended: list[_WaitingQuestion], reply: Reply, who: str) -> None:
        """Store how questions ended; if the book already has another answer, that one counts."""
        for each in ended:
            said = reply
            if each.is_stored:
                try:
                    said = _held(await book.settle(each.question.id, reply, who), each.fits)
                except OneClawError as error:
                    said = Reply("nobody", f"The answer could not be stored: {error}")
            self._settle(said, each)

    async def _look(self) -> None:
        """Poll for answers of other programs while a question is open."""
        try:
            while self.book is not None and any(each.is_stored for each in self._waiting.values()):
                with suppress(OneClawError):  # the next look may find it
                    for question_id, reply in (await self.book.answered()).items():
                        waiting = self._waiting.get(question_id)
                        if waiting is not None and not waiting.is_ending:
                            self._end(waiting, _held(reply, waiting.fits))
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            self._looking = None

    def _start(self, work: "Coroutine[Any, Any, None]") -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _settle(self, reply: Reply, *ended: _WaitingQuestion) -> None:
        """Remove questions from the queue; the only place that does. Events follow after all are removed."""
        settled = [each for each in ended if self._waiting.pop(each.question.id, None) is each]
        for waiting in settled:
            if waiting.timer is not None:
                waiting.timer.cancel()
            if not waiting.future.done():
                waiting.future.set_result(reply)
            if waiting.remember is not None and reply.by == waiting.question.id and reply.outcome in KEPT:
                waiting.remember(reply)
        for waiting in settled:
            self._tell_answered(waiting.question, reply)
            for front in tuple(self._fronts):
                front.take_away(waiting.question.id)

    def _time_out(self, waiting: _WaitingQuestion, seconds: float) -> None:
        if not waiting.is_ending:
            self._end(waiting, Reply("timeout", f"Nobody answered within {seconds:g} seconds."))

    def _settle_unseen(self, reason: str) -> None:
        """Settle what no front is left to show, unless it waits for one."""
        for question_id, waiting in tuple(self._waiting.items()):
            if waiting.question.waits or waiting.is_ending:
                continue
            able = [front for front in self._fronts if front.accepts(waiting.question)]
            if all(question_id in front.failed for front in able):
                failures = [front.failed[question_id] for front in able]
                self._end(waiting, Reply("nobody", failures[0] if failures else reason))

    def _open_for(self, front: Front) -> Iterator[Question]:
        """The questions that a front could show, oldest first; none to one that has left."""
        if front in self._fronts:
            for one in tuple(self._waiting.values()):
                if not one.is_ending and front.accepts(one.question):
                    yield one.question

    def _tell_asked(self, asked: Question) -> None:
        if self._emit is not None:
            head = asked.id, asked.call_id, asked.tool, asked.session, asked.agent, asked.need, asked.text
            more = asked.kind, asked.answers, asked.schema, asked.expires, asked.diff
            self._emit(QuestionAsked(*head, *more))

    def _tell_answered(self, asked: Question, reply: Reply) -> None:
        if self._emit is not None:
            head = asked.id, asked.call_id, asked.session
            self._emit(QuestionAnswered(*head, reply.outcome, reply.value))


def _held(reply: Reply, fits: Fits) -> Reply:
    """An answer from the book; a no where its pattern does not fit the call, which its giver saw in part."""
    try:
        is_fitting = not reply.pattern or fits(reply.pattern)
    except ValueError:
        is_fitting = False
    misfit = "The person's yes has a pattern that this call does not fit; ask them what to do instead."
    return reply if is_fitting else Reply("no", misfit, by=reply.by)


def _is_covered(waiting: _WaitingQuestion, reply: Reply, other: _WaitingQuestion) -> bool:
    try:
        return covers(waiting.question, reply, other.question, other.fits)
    except ValueError:  # a pattern that can be none for the other call
        return False
