"""The loop: ask the model, run its calls, ask again.

    while there is reason to go on:               _go_rounds
        fit the conversation into the window      _prepare
        ask, and keep the answer                  Asking
        run its calls, and keep their results     _run_calls
    say how it ended                              RunFinished

An answer is kept before its calls run and every call has its result kept, whatever happens: a run that is
stopped, killed or fails leaves a conversation that any provider takes, and that the next run goes on with.

A run is one task; what it has to tell lies in `_heard` and is yielded from there. Stopping it, be it by the
user or by the clock, is cancelling what it awaits.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace

from oneclaw.agent import stop
from oneclaw.agent.agent import Agent
from oneclaw.agent.asking import Asking
from oneclaw.agent.chain import Chain
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.event import (
    ModelSwitched,
    Reason,
    RoundFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    UsageCounted,
)
from oneclaw.agent.fitting import Fitting
from oneclaw.agent.repeat import Repeats
from oneclaw.agent.stop import Spending
from oneclaw.agent.tokens import estimate_text, estimate_tools
from oneclaw.core.call import ToolCall, ToolResult, cancelled
from oneclaw.core.engine import Engine
from oneclaw.core.event import Event, PermissionAnswered, PermissionAsked, ToolFinished
from oneclaw.core.message import AssistantMessage, ResultsMessage, UserMessage
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import ProviderError
from oneclaw.providers.catalog import Model

MOST_SILENCES = 2
"""How often a model that says nothing is asked again."""


class Run:
    """One run of an agent in a session: `async for event in run.events(text)`."""

    def __init__(
        self,
        agent: Agent,
        conversation: Conversation,
        engine: Engine,
        chain: Chain,
        *,
        spending: Spending | None = None,
        small_tools: Callable[[Model], Sequence[str]] = lambda model: model.tools,
        inbox: Callable[[], Sequence[UserMessage]] = tuple,
    ) -> None:
        """`inbox` gives what others have written to the session meanwhile."""
        self.agent = agent
        self.conversation = conversation
        self.spending = spending or Spending(agent.limits)
        self._engine = engine
        self._chain = chain
        self._small_tools = small_tools
        self._inbox = inbox
        self._repeats = Repeats(agent.limits.repeats)
        self._fitting = Fitting(conversation, chain, self._tell, self._spend)
        self._asking = Asking(
            agent,
            conversation,
            chain,
            tools=lambda: self._tools,
            tell=self._tell,
            switch=self._switch,
        )
        self._heard: deque[RunEvent] = deque()
        self._bell: asyncio.Future[None] | None = None
        self._answer: AssistantMessage | None = None
        self._finished_calls: dict[str, ToolResult] = {}
        self._results: tuple[ToolResult, ...] = ()
        self._prompts: set[str] = set()
        self._silences = 0
        self._tools: tuple[ToolDefinition, ...] = ()

    async def events(self, message: UserMessage | None) -> AsyncGenerator[RunEvent]:
        """Say something to the agent and yield what happens; None goes on where the session stands.

        Closing this stops the run where it is.
        """
        unsubscribe = self._engine.subscribe(self._hear)
        task = asyncio.ensure_future(self._run(message))
        task.add_done_callback(self._ring)
        try:
            while True:
                while self._heard:
                    yield self._heard.popleft()
                if task.done():
                    break
                self._bell = asyncio.get_running_loop().create_future()
                await self._bell
            task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))
            unsubscribe()

    async def _run(self, message: UserMessage | None) -> None:
        if message is not None:
            await self.conversation.append(message)
        self._tell(RunStarted(self._session.id, self.agent.name, self._chain.link.model.name))
        try:
            async with asyncio.timeout(self.spending.seconds_left()):
                finished = self._finished(await self._go_rounds())
        except TimeoutError:
            finished = self._finished("seconds")
        except ProviderError as error:
            finished = self._finished("failed", error=str(error))
        self._tell(finished)

    async def _go_rounds(self) -> Reason:
        closing: Reason | None = None
        while True:
            ended = self.spending.ends()
            if ended is not None:
                return ended
            closing = closing or self.spending.closes()
            if closing in ("rounds", "calls"):
                await self.conversation.append(_guard(stop.closing_words(closing, self.spending)))
            for note in self._inbox():
                await self.conversation.append(note)
            message = await self._go_round(closing)
            ended = closing or _ending(message)
            if ended == "done" and not message.text:
                self._hush(message)
                continue
            if ended is not None:
                return ended
            if self._is_repeating(message):
                closing = "repeats"
                await self.conversation.append(_guard(self._repeats.explanation(message.calls)))

    def _hush(self, message: AssistantMessage) -> None:
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
        message = self._answer = await self._asking.ask(can_call=closing is None)
        self._count(message)
        if message.calls:
            await self._run_calls(self._bounded(message.calls, closing))
        self._tell(RoundFinished(self.spending.rounds, message))
        return message

    async def _prepare(self) -> None:
        """Take the tools there are, and make what is sent fit."""
        self._take_tools()
        try:
            await self._fitting.fit()
        except ProviderError as error:
            self._switch(error)

    def _take_tools(self) -> None:
        """The tools there are now, for the model that answers now."""
        tools = self._engine.available(self._session)
        if tools is not self._tools:
            self._tools = tools
            overhead = estimate_text(self.agent.instructions) + estimate_tools(tools)
            self.conversation.window.overhead_tokens = overhead

    def _switch(self, error: ProviderError) -> None:
        failed = self._chain.link.model.name
        link = self._chain.advance(error, self.conversation.window.tokens)
        self._take_tools()
        self._tell(ModelSwitched(failed, link.model.name, str(error)))
        self._fitting.shrink()

    async def _run_calls(self, calls: Sequence[ToolCall]) -> None:
        """Run the calls of an answer and keep their results; of a stopped round, those there are."""
        self._finished_calls.clear()
        self.spending.add_calls(sum(not call.fault for call in calls))
        try:
            await self._engine.call_all(calls, self._session)
        finally:
            done = self._finished_calls
            self._results = tuple(done.get(call.id) or cancelled(call) for call in calls)
            await self.conversation.append(ResultsMessage(self._results))

    def _bounded(self, calls: tuple[ToolCall, ...], closing: Reason | None) -> Sequence[ToolCall]:
        """The calls; those over the limit, and any of a last answer, with the fault that they came late."""
        left = 0 if closing is not None else self.spending.calls_left()
        if left is None or len(calls) <= left:
            return calls
        return [*calls[:left], *(replace(call, fault=call.fault or stop.LATE) for call in calls[left:])]

    def _hear(self, event: Event) -> None:
        """What the engine tells of our calls."""
        if isinstance(event, PermissionAnswered):
            if event.prompt_id in self._prompts:
                self._tell(event)
        elif event.session == self.conversation.session.id:
            if isinstance(event, ToolFinished) and not event.parent:
                self._finished_calls[event.call_id] = event.result
            elif isinstance(event, PermissionAsked):
                self._prompts.add(event.prompt_id)
            self._tell(event)

    def _tell(self, event: RunEvent) -> None:
        self._heard.append(event)
        self._ring()

    def _ring(self, _: object = None) -> None:
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)

    def _is_repeating(self, message: AssistantMessage) -> bool:
        registry = self._engine.registry

        def polls(name: str) -> bool:
            entry = registry.find(name)
            return entry is not None and entry.tool.definition.polls

        return self._repeats.count(message.calls, self._results, polls)

    def _count(self, message: AssistantMessage) -> None:
        cost = self._spend(message)
        self.conversation.window.measure(message.usage)
        spent = self.spending
        self._tell(UsageCounted(message.model, message.usage, cost, spent.usage, spent.cost))

    def _spend(self, message: AssistantMessage) -> float | None:
        cost = self._chain.cost(message)
        self.spending.add(message.usage, cost)
        return cost

    @property
    def _session(self) -> Session:
        """The session as the model that answers has it: a small one with the tools for small models only."""
        session, model = self.conversation.session, self._chain.link.model
        if not model.is_small and not model.asks:
            return session
        only = tuple(self._small_tools(model)) if model.is_small else session.only
        return replace(session, only=only, asks=model.asks)

    def _finished(self, reason: Reason, error: str = "") -> RunFinished:
        spent = self.spending
        text = self._asking.seen if self._answer is None else self._answer.text
        error = error or stop.explain(reason, spent)
        return RunFinished(
            self._session.id,
            reason,
            text or error,
            spent.rounds,
            spent.calls,
            spent.usage,
            spent.cost,
            spent.seconds,
            error,
        )


def _ending(message: AssistantMessage) -> Reason | None:
    """Why the run ends with this answer; None when the model is to be asked again."""
    if message.calls or message.finish == "calls":
        return None
    if message.finish in ("refusal", "length", "cut"):
        return message.finish
    return "done"


def _guard(text: str) -> UserMessage:
    return UserMessage(text, origin="guard")
