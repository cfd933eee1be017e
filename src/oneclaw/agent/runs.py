"""Starts runs: finds the agent, the conversation and the models, one run at a time in a session."""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from oneclaw.agent.agent import Agent
from oneclaw.agent.chain import Chain, Link
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.digests import Digests
from oneclaw.agent.event import RunEvent
from oneclaw.agent.loop import Run
from oneclaw.agent.recall import recall
from oneclaw.agent.roster import Roster
from oneclaw.agent.stop import Spending
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidConfig, OneClawError
from oneclaw.core.message import AssistantMessage, UserMessage
from oneclaw.core.session import Session
from oneclaw.providers.catalog import Catalog, Model
from oneclaw.providers.connect import Providers
from oneclaw.store.store import Store

log = logging.getLogger("oneclaw")

_KEPT = 32
NO_MODEL = (
    "No model is set. Set a key and a model, as in `export ANTHROPIC_API_KEY=…` with"
    ' `--model anthropic/claude-sonnet-4-5` (or models.default = "…" in the settings),\n'
    "or use a server of your own, `--model ollama/llama3.2`, or the tiny model that comes with OneClaw,"
    " `--model local/smollm2`. `oneclaw models` shows what can be had."
)


class SessionBusy(OneClawError):
    """A run was asked for in a session where one is running."""


class Runs:
    """The runs of a program. Conversations stay at hand between runs; the store has them all."""

    def __init__(
        self,
        engine: Engine,
        store: Store,
        roster: Roster,
        catalog: Catalog,
        providers: Providers,
        new_session: Callable[[str], Session],
        digests: Digests | None = None,
        own_tools: Sequence[str] = (),
    ) -> None:
        """`own_tools` are those made in code, which small models get too."""
        self.roster = roster
        self.catalog = catalog
        self.providers = providers
        self._engine = engine
        self._store = store
        self._new_session = new_session
        self._digests = digests
        self._own_tools = tuple(own_tools)
        self._conversations: dict[str, Conversation] = {}
        self._running: dict[str, Run] = {}
        self._busy: set[str] = set()
        self._inboxes: dict[str, list[UserMessage]] = {}

    async def run(
        self,
        agent: Agent,
        message: UserMessage | None,
        *,
        session: Session | None = None,
        model: str = "",
        parent: Session | None = None,
    ) -> AsyncGenerator[RunEvent]:
        """One run: say `message` to the agent, or go on where the session stands, and yield what happens."""
        session = session or replace(self._new_session(agent.name), parent=parent)
        if session.id in self._busy:
            raise SessionBusy(f"Session {session.id} is running already; wait for it, or begin another one.")
        self._busy.add(session.id)
        try:
            run = await self._begin(agent, session, model)
            if message is None:
                message = _go_on(run.conversation)
            async with aclosing(run.events(message)) as events:
                async for event in events:
                    yield event
        finally:
            self._busy.discard(session.id)
            self._running.pop(session.id, None)
            for late in self._inboxes.pop(session.id, ()):
                await self.tell(session, late)

    def small_tools(self, model: Model) -> tuple[str, ...]:
        """The only tools that a small model gets."""
        return (*(model.tools or self.catalog.small_tools), *self._own_tools)

    async def _begin(self, agent: Agent, session: Session, model: str) -> Run:
        chain = Chain(self._models(agent, model), self._link)
        if self._digests is not None:
            agent = replace(agent, instructions=agent.instructions + self._digests.of(session))
        asking = None if session.parent is None else self._running.get(session.parent.id)
        run = self._running[session.id] = Run(
            agent,
            await self._conversation(session),
            self._engine,
            chain,
            spending=Spending(agent.limits, None if asking is None else asking.spending),
            small_tools=self.small_tools,
            inbox=lambda: self._inboxes.pop(session.id, ()),
        )
        return run

    async def tell(self, session: Session, message: UserMessage) -> None:
        """Put a message into a session from outside: between two rounds of its run, or for its next one."""
        if session.id in self._busy:
            self._inboxes.setdefault(session.id, []).append(message)
        else:
            await (await self._conversation(session)).append(message)

    def spend_call(self, session: Session) -> str:
        """Count a call that a call of the session makes; why it must not be made, at the limit."""
        run = self._running.get(session.id)
        return "" if run is None else run.spending.take_call()

    async def _conversation(self, session: Session) -> Conversation:
        known = self._conversations.pop(session.id, None)
        if known is None:
            known = await self._recall(session)
        known.session = session  # whoever wrote into it before may have known less of it
        self._conversations[session.id] = known  # last in the row: the first is let go of
        while len(self._conversations) > _KEPT:
            self._conversations.pop(next(iter(self._conversations)))
        return known

    async def _recall(self, session: Session) -> Conversation:
        recalled = recall(self._store, session.id)
        if recalled.late is not None:
            await self._store.messages.append(session, recalled.late)
        for note in recalled.notes:
            log.info("Session %s: %s", session.id, note)
        messages = recalled.messages[recalled.through :]
        if recalled.summary is not None:
            messages = [UserMessage(recalled.summary, origin="summary"), *messages]
        past = (message for message in recalled.messages if isinstance(message, AssistantMessage))
        taken = (call.id for message in past for call in message.calls)
        book = self._store.messages
        return Conversation(session, book, messages, users=recalled.users, taken=taken, redact=book.redact)

    def _models(self, agent: Agent, model: str) -> Sequence[str]:
        first = model or agent.model or self.catalog.default
        if not first:
            raise InvalidConfig(NO_MODEL)
        rest = agent.fallbacks or self.catalog.fallbacks
        return [first, *(name for name in rest if name != first)]

    def _link(self, name: str) -> Link:
        model = self.catalog.model(name)
        provider, short = self.providers.get(model.name)
        return Link(model, provider, short)


def _go_on(conversation: Conversation) -> UserMessage | None:
    """What to say to go on where a conversation stands: nothing where the model is to answer anyway."""
    last = conversation.window.messages[-1] if conversation.window.messages else None
    if not isinstance(last, AssistantMessage) and last is not None:
        return None
    if last is not None and last.finish in ("stopped", "cut", "length"):
        return UserMessage("Go on where you stopped.", origin="guard")
    raise InvalidConfig(
        f"There is nothing to go on with in session {conversation.session.id}: say something,"
        f' as in `oneclaw run --session {conversation.session.id} "…"`.'
    )
