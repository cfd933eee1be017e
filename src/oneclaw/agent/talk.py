"""Short form of a run: send a message, read its events; leaving early stops the run."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from oneclaw.agent.agent import Agent
from oneclaw.agent.roster import DEFAULT, Roster
from oneclaw.agent.session import make_session
from oneclaw.config import Config
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.engine import Engine
from oneclaw.core.errors import NotFound
from oneclaw.core.message import UserMessage
from oneclaw.core.session import Session

if TYPE_CHECKING:
    from oneclaw.agent.run_handle import RunHandle
    from oneclaw.agent.runs import Runs
    from oneclaw.core.run_event import RunEvent, RunFinished
    from oneclaw.store.store import Store


class Talk:
    """Starts runs by the name of an agent, a session or a run. `meet` is called when an agent is new."""

    def __init__(
        self,
        config: Config,
        roster: Roster,
        runs: "Callable[[], Runs]",
        store: "Callable[[], Store]",
        engine: Callable[[], Engine],
        meet: Callable[[], None],
    ) -> None:
        self._config = config
        self._roster = roster
        self._runs = runs
        self._store = store
        self._engine = engine
        self._meet = meet
        self._met: dict[str, Agent] = {}

    async def call(
        self, tool: ToolCall | str, arguments: Mapping[str, Any] | None = None, /, **named: Any
    ) -> ToolResult:
        """Call a tool, as `call("read_file", path="notes.txt")`, and wait for its one result."""
        if not isinstance(tool, ToolCall):
            tool = ToolCall(tool, {**(arguments or {}), **named})
        return await self._engine().call(tool)

    def run(
        self,
        agent: Agent | str,
        text: str | None = None,
        *,
        session: Session | str | None = None,
        model: str = "",
        images: Iterable[Image] = (),
    ) -> "AsyncGenerator[RunEvent]":
        """Say something to an agent and yield what happens, the last a `RunFinished`.

        A text alone is said to the default agent: `run("Hello.")`. Without a session it is a new one; a
        session's id goes on with it. This is the short form of `runs.start`: here, leaving the `async for`
        early stops the run.
        """
        asked, text = _said(agent, text)
        message = UserMessage(text, tuple(images))

        async def start() -> "RunHandle":  # in the loop: whoever does not await has none around `run`
            found = await self.resume_session(session) if isinstance(session, str) else session
            return await self._runs().start(self._known(asked), message, session=found, model=model)

        return follow(start)

    def resume(self, name: str, *, model: str = "") -> "AsyncGenerator[RunEvent]":
        """Go on with a run that was interrupted or stopped, with the budget it had left; or with a session
        where it stands, with the agent it belongs to."""

        async def start() -> "RunHandle":
            if await self._store().runs.get(name) is not None:
                return await self._runs().resume(name, model=model)
            session = await self.resume_session(name)
            agent = self._roster.get(session.agent)
            return await self._runs().start(agent, None, session=session, model=model)

        return follow(start)

    async def ask(
        self, agent: Agent | str, text: str | None = None, *, check: bool = True, **more: Any
    ) -> "RunFinished":
        """`run`, for whoever wants only the end of it.

        Raises `RunFailed` where there is no answer; `check=False` returns such an end, too.
        """
        from oneclaw.core.run_event import RunFailed, RunFinished

        async with aclosing(self.run(agent, text, **more)) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    if check and not event.is_answer:
                        raise RunFailed(event)
                    return event
        raise RuntimeError("The run ended without saying so.")

    async def resume_session(self, session_id: str) -> Session:
        """The session of this id, as the store knows it: its grants hold on, its long results can be read."""
        record = await self._store().sessions.get(session_id)
        if record is None:
            raise NotFound("session", session_id, "sessions")
        return make_session(self._config, record.id, record.agent)

    def _known(self, agent: Agent | str) -> Agent:
        """The agent; one that was made in code is known by its name from here on."""
        if isinstance(agent, str):
            return self._roster.get(agent)
        known = self._roster.add(agent)
        if known != self._met.get(known.name):
            self._met[known.name] = known
            self._meet()
        return known


def _said(agent: Agent | str, text: str | None) -> tuple[Agent | str, str]:
    """Reads the agent and the text from the arguments; a single argument is the text."""
    if text is not None:
        return agent, text
    if not isinstance(agent, str):
        raise TypeError(f"Say something to the agent {agent.name}: the text is missing.")
    return DEFAULT, agent


async def follow(start: "Callable[[], Awaitable[RunHandle]]") -> "AsyncGenerator[RunEvent]":
    """The events of the run that `start` starts or resumes, from there on; leaving early stops it."""
    handle = await start()
    run = handle.id
    try:
        with handle.follow() as read_on:
            while found := await read_on():
                for envelope in found:
                    if envelope.run == run:
                        yield envelope.event
        await handle.wait()
    finally:
        await handle.stop()
