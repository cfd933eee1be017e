"""The broker: one queue of questions to people; each gets exactly one answer, and the first one counts.

Theory of operation. A call that must ask hands its prompt to `ask` and waits on a future. A prompt leaves the
queue in one place only, `_settle`, which takes it out, sets the future and tells whoever listens; whoever
comes later finds it gone. What settles a prompt:

    a person        `answer`, from any front; an answer that is kept settles all the prompts it covers
    the clock       `seconds` after the question was asked
    nobody          no front is bound, the last one leaves, or each one failed to show it
    the call        it was cancelled: the prompt is withdrawn

A front is shown one prompt at a time, in the order asked; `pending` lists them all, and any may be answered.
Everything happens on the event loop of the calls; another thread answers through `answer_threadsafe`.
"""

import asyncio
import concurrent.futures
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from oneclaw.core.event import Emit, PermissionAnswered, PermissionAsked
from oneclaw.core.permit.grant import fits
from oneclaw.core.permit.prompt import ANSWERS, KEPT, Answer, Prompt, Reply, check_answer, covers
from oneclaw.core.settings.tree import DEFAULTS

Show = Callable[[Prompt], None]
Withdraw = Callable[[str], None]


class _Front:
    """Someone who shows prompts, and what they are showing."""

    __slots__ = ("failed", "is_showing", "show", "shown", "withdraw")

    def __init__(self, show: Show, withdraw: Withdraw | None) -> None:
        self.show = show
        self.withdraw = withdraw
        self.shown: str | None = None
        self.is_showing = False
        self.failed: dict[str, str] = {}


@dataclass(slots=True)
class _Waiting:
    prompt: Prompt
    raw: Mapping[str, Any]
    remember: Callable[[Reply], None] | None
    future: "asyncio.Future[Reply]"
    timer: asyncio.TimerHandle | None = None


class Broker:
    """The one queue. `seconds` is how long a question waits before it is a no."""

    def __init__(
        self, *, seconds: float = DEFAULTS.permissions.prompt_seconds, emit: Emit | None = None
    ) -> None:
        self.seconds = seconds
        self._emit = emit
        self._fronts: list[_Front] = []
        self._waiting: dict[str, _Waiting] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_bound(self) -> bool:
        return bool(self._fronts)

    def pending(self) -> tuple[Prompt, ...]:
        """The open prompts, oldest first."""
        return tuple(waiting.prompt for waiting in self._waiting.values())

    def bind(self, show: Show, withdraw: Withdraw | None = None) -> Callable[[], None]:
        """Let a front show prompts; returns the function that ends it.

        `show` is given one prompt at a time and must not wait; `withdraw` is given the id of a prompt it was
        shown that is settled, by whomever.
        """
        front = _Front(show, withdraw)
        self._fronts.append(front)
        self._advance(front)

        def unbind() -> None:
            if front in self._fronts:
                self._fronts.remove(front)
                self._settle_unseen("The last place where a person could answer was closed.")

        return unbind

    async def ask(
        self,
        prompt: Prompt,
        raw: Mapping[str, Any] | None = None,
        remember: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """Wait for the one answer. `raw` are the arguments as checked: patterns are held against them.

        `remember` is called when this very prompt gets an answer that is to be kept: at once, so that the
        answer is kept even if the call is cancelled in that moment.
        """
        if not self._fronts:
            return Reply("nobody", "Nobody is there to ask.")
        self._loop = asyncio.get_running_loop()
        waiting = _Waiting(prompt, raw or {}, remember, self._loop.create_future())
        self._waiting[prompt.id] = waiting
        try:
            waiting.timer = self._loop.call_later(self.seconds, self._time_out, prompt.id)
            self._tell_asked(prompt)
            for front in tuple(self._fronts):
                self._advance(front)
            return await waiting.future
        finally:
            self._settle(Reply("withdrawn", "The call was cancelled."), prompt.id)

    def answer(
        self,
        prompt_id: str,
        answer: Answer,
        *,
        pattern: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> bool:
        """Answer a prompt; False when it has its answer already or is not known. On the loop's thread only.

        `pattern` and `seconds` narrow what `session`, `agent` and `always` grant. What cannot be answered so
        raises ValueError, and the prompt stays open.
        """
        waiting = self._waiting.get(prompt_id)
        check_answer(answer, ANSWERS if waiting is None else waiting.prompt.answers, pattern, seconds)
        if waiting is None or waiting.future.done():  # done while in the queue: cancelled this moment
            return False
        if pattern and not fits(pattern, waiting.raw):
            raise ValueError("The pattern does not fit the very call that asks; change it.")
        reply = Reply(answer, by=prompt_id, pattern=pattern or {}, seconds=seconds)
        others = [
            other.prompt.id
            for other in self._waiting.values()
            if other is not waiting and covers(waiting.prompt, reply, other.prompt, other.raw)
        ]
        self._settle(reply, prompt_id, *others)
        return True

    def answer_threadsafe(
        self,
        prompt_id: str,
        answer: Answer,
        *,
        pattern: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> bool:
        """`answer`, from a thread that is not the loop's; waits until the loop has taken it."""
        loop = self._loop
        if loop is None or loop.is_closed():
            return False
        if _running_loop() is loop:
            return self.answer(prompt_id, answer, pattern=pattern, seconds=seconds)
        done: concurrent.futures.Future[bool] = concurrent.futures.Future()

        def run() -> None:
            try:
                done.set_result(self.answer(prompt_id, answer, pattern=pattern, seconds=seconds))
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

    def _settle(self, reply: Reply, *prompt_ids: str) -> None:
        """The only way out of the queue. All are out before anybody is told or shown the next."""
        settled = [self._waiting.pop(one) for one in prompt_ids if one in self._waiting]
        for waiting in settled:
            if waiting.timer is not None:
                waiting.timer.cancel()
            if not waiting.future.done():
                waiting.future.set_result(reply)
            if waiting.remember is not None and reply.by == waiting.prompt.id and reply.outcome in KEPT:
                waiting.remember(reply)
        for waiting in settled:
            if self._emit is not None:
                prompt = waiting.prompt
                self._emit(PermissionAnswered(prompt.id, prompt.call_id, prompt.session, reply.outcome))
            for front in tuple(self._fronts):
                self._take_away(front, waiting.prompt.id)

    def _time_out(self, prompt_id: str) -> None:
        self._settle(Reply("timeout", f"Nobody answered within {self.seconds:g} seconds."), prompt_id)

    def _settle_unseen(self, reason: str) -> None:
        """Settle what no front is left to show."""
        for prompt_id in tuple(self._waiting):
            if all(prompt_id in front.failed for front in self._fronts):
                failures = [front.failed[prompt_id] for front in self._fronts]
                self._settle(Reply("nobody", failures[0] if failures else reason), prompt_id)

    def _advance(self, front: _Front) -> None:
        """Show the front its next prompts until one stays open. A front may answer while it is shown one."""
        if front.is_showing:
            return
        front.is_showing = True
        try:
            while front.shown is None and (prompt := self._next_for(front)) is not None:
                self._show(front, prompt)
        finally:
            front.is_showing = False

    def _next_for(self, front: _Front) -> Prompt | None:
        if front not in self._fronts:
            return None
        return next((one.prompt for key, one in self._waiting.items() if key not in front.failed), None)

    def _show(self, front: _Front, prompt: Prompt) -> None:
        front.shown = prompt.id
        try:
            front.show(prompt)
        except Exception as error:
            front.shown = None
            if prompt.id in self._waiting:
                front.failed[prompt.id] = f"The question could not be shown ({type(error).__name__})."
                self._settle_unseen("")

    def _take_away(self, front: _Front, prompt_id: str) -> None:
        front.failed.pop(prompt_id, None)
        if front.shown == prompt_id:
            front.shown = None
            if front.withdraw is not None:
                with suppress(Exception):  # the prompt is settled; a front's trouble is its own
                    front.withdraw(prompt_id)
            self._advance(front)

    def _tell_asked(self, prompt: Prompt) -> None:
        if self._emit is not None:
            self._emit(
                PermissionAsked(
                    prompt.id,
                    prompt.call_id,
                    prompt.tool,
                    prompt.session,
                    prompt.agent,
                    prompt.need,
                    prompt.text,
                )
            )


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
