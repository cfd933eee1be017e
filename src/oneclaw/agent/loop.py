"""The agent loop: asks the model, runs its calls, asks again.

    while there is reason to go on:               _go_rounds
        fit the conversation into the window      _prepare
        ask, and keep the answer                  Asking
        run its calls, and keep their results     _run_calls
    say how it ended                              RunFinished

An answer is kept before its calls run and every call has its result kept, whatever happens: a run that is
stopped, killed or fails leaves a conversation that any provider takes, and that the next run goes on with.

A run is one task. Stopping it, be it by the user or by the clock, is cancelling what it awaits.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from oneclaw.agent import stop
from oneclaw.agent.agent import Agent
from oneclaw.agent.chain import Chain
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.expected import WrongAnswer, expect
from oneclaw.agent.fitting import Fitting
from oneclaw.agent.inbox import Inbox
from oneclaw.agent.model_request import ModelRequest
from oneclaw.agent.repeat import Repeats
from oneclaw.agent.stop import Spending
from oneclaw.agent.tokens import estimate_text, estimate_tools
from oneclaw.core.answer import Answered
from oneclaw.core.call import ToolCall, ToolResult, cancelled
from oneclaw.core.engine import Engine
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, UserMessage
from oneclaw.core.run_event import (
    MessageRead,
    ModelSwitched,
    Reason,
    RoundFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    UsageCounted,
)
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.core.value import compact
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.model import Model

ROUNDS_OF_A_TURN = 4
"""A run in which neither the model nor a tool ever waits lets others work after so many rounds."""
_LEAST_SECONDS = 0.01
MOST_SILENCES = 2
"""How often a model that says nothing is asked again."""

Offer = Callable[[tuple[ToolDefinition, ...], int, Session], tuple[ToolDefinition, ...]]
"""Chooses the tools that a model with this window is told of in a session."""


class Run:
    """One run of an agent in a session: `finished = await run.go(message)`."""

    def __init__(
        self,
        agent: Agent,
        conversation: Conversation,
        engine: Engine,
        chain: Chain,
        *,
        tell: Callable[[RunEvent], None] = lambda event: None,
        spending: Spending | None = None,
        repeats: Repeats | None = None,
        small_tools: Callable[[Model], Sequence[str]] = lambda model: model.tools,
        offer: Offer = lambda tools, window, session: tools,
        inbox: Inbox | None = None,
    ) -> None:
        """`tell` is told each event; `inbox` holds what is written to the session meanwhile."""
        self.agent = agent
        self.conversation = conversation
        self.spending = spending or Spending(agent.limits)
        self._engine = engine
        self._chain = chain
        self._small_tools = small_tools
        self._offer = offer
        self._tell = tell
        self._inbox = inbox
        self._repeats = repeats or Repeats(agent.limits.repeats)
        # None of them knows this run: a cycle would keep all of it until the garbage collector comes by.
        self._spend = partial(_spend, chain, self.spending)
        self._fitting = Fitting(conversation, chain, tell, self._spend)
        self._asking = ModelRequest(agent, conversation, chain, tell)
        self._timer: asyncio.TimerHandle | None = None
        self._expected = expect(agent)
        self._answer: AssistantMessage | None = None
        self._results: tuple[ToolResult, ...] = ()
        self._silences = 0
        self._tools: tuple[ToolDefinition, ...] = ()

    @property
    def model(self) -> str:
        """The model that answers now."""
        return self._chain.link.model.name

    async def go(self, message: UserMessage | None) -> RunFinished:
        """Say something to the agent, and return how it ended; None goes on where the session stands.

        Its last messages are safe with the next write, as that of the end of the run.
        """
        unsubscribe = self._engine.subscribe(self._tell, self.conversation.session.id)
        try:
            if message is not None:
                await self.conversation.append(message)
            said = "" if message is None or message.origin != "user" else message.text
            self._tell(RunStarted(self._session.id, self.agent.name, self.model, said))
            try:
                async with asyncio.timeout(None) as limit:
                    try:
                        self._look_at_time(limit)
                        finished = self.finished(await self._go_rounds())
                    finally:
                        if self._timer is not None:
                            self._timer.cancel()
            except TimeoutError:
                finished = self.finished("seconds")
            except (ProviderError, WrongAnswer) as error:
                finished = self.finished("failed", error=str(error))
            return finished
        finally:
            unsubscribe()

    def _look_at_time(self, limit: asyncio.Timeout) -> None:
        """Have the limit run out with the time of the run, which stands still while people are waited for."""
        left = self.spending.seconds_left()
        if left is None:
            return
        loop = asyncio.get_running_loop()
        if left > 0:
            self._timer = loop.call_later(max(left, _LEAST_SECONDS), self._look_at_time, limit)
        else:
            limit.reschedule(loop.time())

    async def _go_rounds(self) -> Reason:
        closing: Reason | None = None
        while True:
            ended = self.spending.ends()
            if ended is not None:
                return ended
            closing = closing or self.spending.closes()
            if closing in ("rounds", "calls"):
                await self.conversation.append(_guard(stop.closing_words(closing, self.spending)))
            await self._read_inbox()
            message = await self._go_round(closing)
            ended = closing or _ending(message)
            if ended == "done" and not message.text:
                self._count_empty_answer(message)
                continue
            if ended is not None:
                again = self._expected.judge(message, closing is not None) if self._expected else ""
                if not again:
                    return ended
                await self.conversation.append(_guard(again))
                continue
            if self._is_repeating(message):
                closing = "repeats"
                await self.conversation.append(_guard(self._repeats.explanation(message.calls)))
            if self.spending.rounds % ROUNDS_OF_A_TURN == 0:
                await asyncio.sleep(
                    0
                )  # readers and other runs have their turn, also where nothing ever waits

    async def _read_inbox(self) -> None:
        """Have the model read what was written to the session since the last round."""
        for queued in await self._inbox.take() if self._inbox is not None else ():
            await self.conversation.append(queued.message)
            self._tell(MessageRead(queued.id, queued.message.text))

    def _count_empty_answer(self, message: AssistantMessage) -> None:
        """Have a model that said nothing asked again, as some do after a result; not for ever."""
        self._silences += 1
        if self._silences > MOST_SILENCES:
            raise ProviderError(
                f"{message.model} said nothing {self._silences} times; ask in other words, or another model.",
                "stream",
            )

    async def _go_round(self, closing: Reason | None) -> AssistantMessage:
        await self._prepare()
        self.spending.rounds += 1
        self._answer = None
        message = await self._asking.ask(closing is None, self._current_tools, self._switch)
        self._answer = message
        self._count(message)
        if message.calls:
            await self._run_calls(self._bounded(message.calls, closing))
        self._tell(RoundFinished(self.spending.rounds, message))
        return message

    async def _prepare(self) -> None:
        """Take the tools there are, and make what is sent fit."""
        await self._engine.refresh()
        self._take_tools()
        try:
            await self._fitting.fit()
        except ProviderError as error:
            self._switch(error)

    def _current_tools(self) -> tuple[ToolDefinition, ...]:
        return self._tools

    def _take_tools(self) -> None:
        """The tools there are now, for the model that answers now."""
        window = self._chain.link.model.window
        tools = self._offer(self._engine.available(self._session), window, self._session)
        if tools is not self._tools:
            self._tools = tools
            overhead = estimate_text(self.agent.instructions) + estimate_tools(tools)
            if self.agent.answer_type is not None:
                overhead += estimate_text(compact(self.agent.answer_type.schema))
            self.conversation.window.overhead_tokens = overhead

    def _switch(self, error: ProviderError) -> None:
        """Have a model that refused the length asked again with less; else the next one of the chain."""
        if error.trouble == "window" and self._fitting.give_way():
            return
        failed = self._chain.link.model.name
        link = self._chain.advance(error, self.conversation.window.tokens)
        self._take_tools()
        self._tell(ModelSwitched(failed, link.model.name, str(error)))
        self._fitting.shrink()

    async def _run_calls(self, calls: Sequence[ToolCall]) -> None:
        """Run the calls of an answer and keep their results; of a stopped round, those there are."""
        self.spending.add_calls(sum(not call.fault for call in calls))
        done: dict[str, ToolResult] = {}
        try:
            self._results = tuple(await self._engine.call_all(calls, self._session, done))
        except BaseException:
            self._results = tuple(done.get(call.id) or cancelled(call) for call in calls)
            raise
        finally:
            await self.conversation.append(ResultsMessage(self._results))

    def _bounded(self, calls: tuple[ToolCall, ...], closing: Reason | None) -> Sequence[ToolCall]:
        """The calls; those over the limit, and any of a last answer, with the fault that they came late."""
        left = 0 if closing is not None else self.spending.calls_left()
        if left is None or len(calls) <= left:
            return calls
        return [*calls[:left], *(replace(call, fault=call.fault or stop.LATE) for call in calls[left:])]

    def _is_repeating(self, message: AssistantMessage) -> bool:
        return self._repeats.count(message.calls, self._results, self._engine.polls)

    def _count(self, message: AssistantMessage) -> None:
        cost = self._spend(message)
        self.conversation.window.measure(message.usage)
        spent = self.spending
        self._tell(UsageCounted(message.model, message.usage, cost, spent.usage, spent.cost))

    async def sample(
        self, messages: Sequence[Message], instructions: str, most_tokens: int
    ) -> AssistantMessage:
        """One answer of the model that answers now, beside the conversation and without tools; it is spent.

        Raises `ProviderError`.
        """
        link = self._chain.link
        request = Request(link.name, messages, instructions, (), False, most_tokens)
        async with aclosing(link.provider.answer(request)) as answers:
            async for answer in answers:
                if isinstance(answer, Answered):
                    self._spend(answer.message)
                    return replace(answer.message, model=link.model.name)
        raise ProviderError(f"{link.model.name} gave no answer.", "stream")

    @property
    def _session(self) -> Session:
        """The session as the model that answers has it: a small one with the tools for small models only."""
        session, model = self.conversation.session, self._chain.link.model
        if not model.is_small and not model.asks:
            return session
        only = tuple(self._small_tools(model)) if model.is_small else session.only
        return replace(session, only=only, asks=model.asks)

    def finished(self, reason: Reason, error: str = "") -> RunFinished:
        """How the run ended, with what it has spent."""
        spent = self.spending
        text = self._asking.seen if self._answer is None else self._answer.text
        error = error or stop.explain(reason, spent)
        expected = self._expected
        if expected and expected.problem and reason != "failed":
            error = f"{error} The answer does not fit: {expected.problem}.".strip()
        return RunFinished(
            self._session.id,
            reason,
            text,
            spent.rounds,
            spent.calls,
            spent.usage,
            spent.cost,
            spent.seconds,
            error,
            expected.value if expected else None,
        )


def _spend(chain: Chain, spending: Spending, message: AssistantMessage) -> float | None:
    """Count what an answer took; returns its cost."""
    cost = chain.cost(message)
    spending.add(message.usage, cost)
    return cost


def _ending(message: AssistantMessage) -> Reason | None:
    """Why the run ends with this answer; None when the model is to be asked again."""
    if message.calls or message.finish == "calls":
        return None
    if message.finish in ("refusal", "length", "cut"):
        return message.finish
    return "done"


def _guard(text: str) -> UserMessage:
    return UserMessage(text, origin="guard")
