"""Starts and owns runs, one at a time in a session.

start      the run has its row in the store, and is a task of this program
its task   plays the loop and tells its events to the recording
the end    the row says how it ended; a queued message that nobody read becomes part of the conversation
a crash    whoever opens the store next finds the row `interrupted`; `resume` goes on with what is left
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import fields, replace
from functools import partial
from typing import Literal

from oneclaw.agent.agent import Agent, Limits
from oneclaw.agent.chain import Chain, Link
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.conversations import Conversations
from oneclaw.agent.digests import Digests
from oneclaw.agent.inbox import Inbox, Queued
from oneclaw.agent.know_how import KnowHow
from oneclaw.agent.loop import Offer, Run
from oneclaw.agent.recording import Recording
from oneclaw.agent.repeat import Repeats
from oneclaw.agent.resuming import count_again, go_on_with, why_not
from oneclaw.agent.roster import Roster
from oneclaw.agent.run_handle import RunHandle, status_of
from oneclaw.agent.stop import Spending
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidConfig, MissingKey, NotFound, OneClawError, StoreError, describe
from oneclaw.core.event_json import fields_of
from oneclaw.core.message import AssistantMessage, Message, UserMessage
from oneclaw.core.pauses import Pauses
from oneclaw.core.run_event import RunFinished
from oneclaw.core.session import Session
from oneclaw.providers.base import ProviderError
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.connect import Providers
from oneclaw.providers.model import Model
from oneclaw.store.runs import RunOrigin, RunRecord
from oneclaw.store.sessions import new_id
from oneclaw.store.store import Store

log = logging.getLogger("oneclaw")

WaitPolicy = Literal["never", "unattended", "always"]
UNATTENDED: tuple[RunOrigin, ...] = ("schedule", "api")
"""Origins of runs without a person in front of them."""
_HEAR_SECONDS = 0.3
"""How often messages of other programs are looked for while runs are going on."""
_GAP = 1_000_000
"""Numbers left out where a run goes on: pieces of an answer have numbers too, and were not stored."""
NO_MODEL = (
    "No model is set. Choose one with `oneclaw setup`, or set a key and a model, as in"
    " `export ANTHROPIC_API_KEY=…` with"
    ' `--model anthropic/claude-sonnet-4-5` (or models.default = "…" in the settings),\n'
    "or use a server of your own, `--model ollama/llama3.2`, or a tiny model, `--model local/smollm2` after"
    " `pip install oneclaw-smollm2`. `oneclaw models` shows what can be had."
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
        know_how: KnowHow | None = None,
        own_tools: Sequence[str] = (),
        wait: WaitPolicy = "unattended",
        offer: Offer = lambda tools, window, session: tools,
    ) -> None:
        """`own_tools` are those made in code, which small models get too; `wait` says in which runs questions
        wait for a person."""
        self._wait = wait
        self._offer = offer
        self.roster = roster
        self.catalog = catalog
        self.providers = providers
        self._engine = engine
        self._store = store
        self._new_session = new_session
        self._digests = digests
        self._know_how = know_how
        self._own_tools = tuple(own_tools)
        self._conversations = Conversations(store)
        self._running: dict[str, _ActiveRun] = {}
        self._starting: set[str] = set()
        self._awaited: dict[str, set[asyncio.Event]] = {}
        self._hearing: asyncio.Task[None] | None = None

    async def start(
        self,
        agent: Agent | str,
        message: UserMessage | str | None,
        *,
        session: Session | None = None,
        model: str = "",
        parent: Session | None = None,
        origin: RunOrigin = "person",
        reason: str = "",
        pause: "Callable[[], AbstractContextManager[None]] | None" = None,
    ) -> RunHandle:
        """Say `message` to the agent, or go on where the session stands. The run belongs to the program.

        `pause` stops the clock of whoever waits for the run while the run waits for a person.
        """
        if isinstance(agent, str):
            agent = self.roster.get(agent)
        is_new = session is None
        if session is None:
            session = self._new_session(agent.name)
            session = session if parent is None else replace(session, parent=parent)
        if isinstance(message, str):
            message = UserMessage(message)
        asking = None if session.parent is None else self._running.get(session.parent.id)
        run_id = new_id()
        with self._claimed(session):
            chain = await self._chain(agent, model)
            if message is None:
                message = go_on_with(await self._conversations.of(session), agent)
            record = RunRecord(
                id=run_id,
                session=session.id,
                root=run_id if asking is None else asking.recording.root,
                parent=None if asking is None else asking.recording.run,
                agent=agent.name,
                model=chain.link.model.name,
                origin=origin if asking is None else "parent",
                reason=reason,
                limits={each.name: getattr(agent.limits, each.name) for each in fields(agent.limits)},
            )
            if await self._store.runs.start(record) is None:
                raise await self._busy(session.id)
            session = replace(session, run=run_id, waits=self._is_waiting(record.origin))
            conversation = await self._conversations.of(session, is_new=is_new)
            return await self._begin(agent, conversation, chain, message, record, asking, pause)

    async def resume(self, run_id: str, *, model: str = "") -> RunHandle:
        """Go on with a run that was interrupted or stopped, with the budget that was left."""
        record = await self._store.runs.find(run_id)
        if record is None:
            raise NotFound("run", run_id, "runs")
        if record.parent is not None:
            raise InvalidConfig(f"The run {record.id} was started by {record.parent}; resume that one.")
        session = await self._session_of(record)
        session = replace(session, run=record.id, waits=self._is_waiting(record.origin))
        agent = replace(self.roster.get(record.agent), limits=Limits(**record.limits))
        with self._claimed(session):
            conversation = await self._conversations.of(session)
            message = go_on_with(conversation, agent, record.id)
            chain = await self._chain(agent, model)
            if not await self._store.runs.go_on(record.id):
                raise InvalidConfig(why_not(record.id, await self._store.runs.get(record.id)))
            return await self._begin(agent, conversation, chain, message, record, None, goes_on=True)

    async def tell(self, session: Session, message: UserMessage) -> None:
        """Put a message into a session from outside: between two rounds of its run, or for its next one."""
        going = self._running.get(session.id)
        if going is not None:
            going.handle.say(message)
        else:
            await self._store.messages.append(session, message)
            self._conversations.forget(session.id)

    def get(self, run_id: str) -> RunHandle | None:
        """The handle of a run of this program that is going on."""
        return next((each.handle for each in self._running.values() if each.handle.id == run_id), None)

    def all(self) -> list[RunHandle]:
        """The handles of the runs of this program that are going on."""
        return [each.handle for each in self._running.values()]

    def running_in(self, session_id: str) -> RunHandle | None:
        """The handle of the run of this program that is going on in a session."""
        found = self._running.get(session_id)
        return None if found is None else found.handle

    async def next_begin(self, session_id: str, seconds: float) -> None:
        """Wait until a run begins in a session, or for so long."""
        bell = asyncio.Event()
        self._awaited.setdefault(session_id, set()).add(bell)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await bell.wait()
        finally:
            waiting = self._awaited[session_id]
            waiting.discard(bell)
            if not waiting:
                del self._awaited[session_id]

    def ring(self, session_id: str) -> None:
        """Wake those who wait for a run in a session, of this program or of another one."""
        for bell in self._awaited.get(session_id, ()):
            bell.set()

    def spend_call(self, session: Session) -> str:
        """Count a call that a call of the session makes; why it must not be made, at the limit."""
        going = self._running.get(session.id)
        return "" if going is None else going.run.spending.take_call()

    async def sample(
        self, session: Session, messages: Sequence[Message], instructions: str, most_tokens: int
    ) -> AssistantMessage:
        """One answer of the model that runs in a session, for a tool it called. Raises `ProviderError`."""
        going = self._running.get(session.id)
        if going is None:
            raise ProviderError("No model runs in this session.", "request")
        return await going.run.sample(messages, instructions, most_tokens)

    def small_tools(self, model: Model) -> tuple[str, ...]:
        """The only tools that a small model gets."""
        return (*(model.tools or self.catalog.small_tools), *self._own_tools)

    async def close(self) -> None:
        """Stop every run of this program; each can be resumed."""
        await asyncio.gather(*(each.handle.stop() for each in self._running.values()))
        if self._hearing is not None:
            self._hearing.cancel()
            await asyncio.wait((self._hearing,))
        await self.providers.close()

    async def _begin(
        self,
        agent: Agent,
        conversation: Conversation,
        chain: Chain,
        message: UserMessage | None,
        record: RunRecord,
        asking: "_ActiveRun | None",
        pause: "Callable[[], AbstractContextManager[None]] | None" = None,
        goes_on: bool = False,
    ) -> RunHandle:
        store, session, spent, last = self._store, conversation.session, None, 0
        repeats = Repeats(agent.limits.repeats)
        if goes_on:
            last = await store.events.last(record.root) + _GAP
            spent = await store.runs.spent(record)
            count_again(repeats, conversation.window.messages, self._engine.polls)
        told = "" if self._digests is None else await self._digests.of(session)
        if self._know_how is not None and not chain.link.model.is_small:
            told += self._know_how.instructions(session)
            conversation.session = session = self._know_how.opened(session)
        if told:
            agent = replace(agent, instructions=agent.instructions + told)
        above, above_spent = (None, None) if asking is None else (asking.recording, asking.run.spending)
        recording = Recording(record.id, session.id, above, store.events, last)
        inbox = Inbox()
        run = Run(
            agent,
            conversation,
            self._engine,
            chain,
            tell=recording.tell,
            spending=Spending(agent.limits, above_spent, spent, Pauses(pause)),
            repeats=repeats,
            small_tools=self.small_tools,
            offer=self._offer,
            inbox=inbox,
        )
        task = asyncio.get_running_loop().create_task(self._go(run, recording, message, inbox))
        handle = RunHandle(run, recording, inbox, task)
        self._running[session.id] = _ActiveRun(run, recording, handle)
        self.ring(session.id)
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.get_running_loop().create_task(self._hear())
        self._engine.clocks[session.id] = run.spending.pauses
        return handle

    async def _go(
        self, run: Run, recording: Recording, message: UserMessage | None, inbox: Inbox
    ) -> RunFinished:
        """Play a run to its end, and have the store say how it ended."""
        session = run.conversation.session
        failure: BaseException | None = None
        try:
            finished = await run.go(message)
        except asyncio.CancelledError:
            finished = run.finished("stopped", "The run was stopped.")
        except Exception as error:
            failure, finished = error, run.finished("failed", describe(error))
        ending = asyncio.ensure_future(self._end(run, recording, finished, inbox))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:  # stopped a second time: it ends all the same
            await asyncio.wait((ending,))
        finally:
            self._running.pop(session.id, None)
            self._engine.clocks.pop(session.id, None)
        if failure is not None:
            raise failure
        return finished

    async def _end(self, run: Run, recording: Recording, finished: RunFinished, inbox: Inbox) -> None:
        conversation = run.conversation
        try:
            for queued in await inbox.take():  # nobody read it: it is there for the next run
                await conversation.append(queued.message)
            recording.tell(finished)
            await self._store.calls.close_late()  # a run that is over has no open calls
            state = status_of(finished)
            await self._store.runs.finish(recording.run, state, run.model, fields_of(finished))
            for late in await self._store.queued.of_runs([recording.run]):  # none can come any more
                if await self._store.queued.remove(late.id):
                    await conversation.append(late.message)
        except StoreError as error:
            log.warning("The end of run %s could not be written: %s", recording.run, error)
            self._conversations.forget(conversation.session.id)

    async def _hear(self) -> None:
        """Take up what other programs queue for runs of this one, while there are any."""
        while self._running:
            await asyncio.sleep(_HEAR_SECONDS)
            with suppress(StoreError):  # the next look may find it
                await self._hear_once()

    async def _hear_once(self) -> None:
        handles = {each.handle.id: each.handle for each in self._running.values()}
        found = await self._store.queued.of_runs(list(handles)) if handles else []
        for handle in handles.values():
            for gone in handle.foreign - {each.id for each in found}:
                handle.withdraw(gone)
        for each in found:
            handle = handles[each.run]
            if each.id not in handle.foreign and handle.status == "running":
                claim = partial(self._store.queued.remove, each.id)
                handle.queue(Queued(each.message, each.id, claim))

    def _is_waiting(self, origin: RunOrigin) -> bool:
        """Whether questions of such a run wait for a person: whoever asked an agent is asked in its place."""
        return self._wait == "always" or (self._wait == "unattended" and origin in UNATTENDED)

    def _claimed(self, session: Session) -> "_Claim":
        """Hold a session while a run begins in it; raises `SessionBusy` when it is taken."""
        if session.id in self._starting or session.id in self._running:
            raise SessionBusy(f"Session {session.id} is running already; wait for it, or begin another one.")
        return _Claim(self._starting, session.id)

    async def _busy(self, session_id: str) -> SessionBusy:
        other = await self._store.runs.running(session_id)
        whose = "" if other is None else f" (run {other.id}, process {other.process.partition('-')[0]})"
        return SessionBusy(
            f"Session {session_id} is running in another program{whose}; wait for it, or begin another one."
        )

    async def _session_of(self, record: RunRecord) -> Session:
        stored = await self._store.sessions.get(record.session)
        agent = record.agent if stored is None else stored.agent
        return replace(self._new_session(agent), id=record.session)

    async def _chain(self, agent: Agent, model: str) -> Chain:
        names = self._models(agent, model)
        await self.providers.learn_windows(names)
        return Chain(names, self._link)

    def _models(self, agent: Agent, model: str) -> Sequence[str]:
        first = model or agent.model or self.catalog.default
        if not first:
            raise InvalidConfig(NO_MODEL)
        self._check_options(agent)
        rest = agent.fallbacks or self.catalog.fallbacks
        names = [first, *(name for name in rest if name != first)]
        self._check_keys(names)
        return names

    def _check_keys(self, names: Sequence[str]) -> None:
        """Raise `MissingKey` for the first model when no model of the chain has its key."""
        missing: list[MissingKey] = []
        for name in names:
            try:
                self.providers.check_key(name)
                return
            except MissingKey as error:
                missing.append(error)
            except InvalidConfig:  # said when the model has its turn
                return
        raise missing[0]

    def _check_options(self, agent: Agent) -> None:
        """Refuse options for a provider that is not there: nobody would ever be sent them."""
        for name in agent.options.keys() - self.providers.made.keys():
            try:
                self.catalog.provider(name)
            except InvalidConfig as error:
                message = f"The agent {agent.name} has options.{name[:80]}, which are sent to no provider."
                raise InvalidConfig(f"{message} {error}") from None

    def _link(self, name: str) -> Link:
        model = self.catalog.model(name)
        provider, short = self.providers.get(model.name)
        return Link(model, provider, short)


class _ActiveRun:
    """A run that is going on."""

    __slots__ = ("handle", "recording", "run")

    def __init__(self, run: Run, recording: Recording, handle: RunHandle) -> None:
        self.run = run
        self.recording = recording
        self.handle = handle


class _Claim:
    """Holds a session while a run begins in it."""

    __slots__ = ("_held", "_session")

    def __init__(self, held: set[str], session: str) -> None:
        self._held = held
        self._session = session

    def __enter__(self) -> None:
        self._held.add(self._session)

    def __exit__(self, *_: object) -> None:
        self._held.discard(self._session)
