"""Puts the parts together: the one place that knows them all."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from oneclaw.agent.agent import Agent, Limits
from oneclaw.agent.delegate import delegate_tools
from oneclaw.agent.roster import Roster
from oneclaw.agent.session import make_session
from oneclaw.agent.session_tools import session_tools
from oneclaw.config import Config, load_config, user_folder
from oneclaw.core.call import Image
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidConfig, Kind, StoreError, ToolError
from oneclaw.core.event import Listeners
from oneclaw.core.hook import Hooks
from oneclaw.core.load import Problem
from oneclaw.core.memory import DIGEST_CHARS, Notebook
from oneclaw.core.message import UserMessage
from oneclaw.core.permit.broker import WAIT_SECONDS, Broker
from oneclaw.core.permit.grant import GrantBook, MemoryBook
from oneclaw.core.permit.need import Mode
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy
from oneclaw.core.registry import Registry, ToolLike, as_tool
from oneclaw.core.session import Session
from oneclaw.core.tool import Tool, ToolDefinition
from oneclaw.guard.command.approval import judge_calls
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.outside_mark import marking
from oneclaw.guard.secret.redactor import Redactor
from oneclaw.guard.secret.secrets import Secrets, secret_variables
from oneclaw.js.code_mode import code_tools
from oneclaw.js.runtime import Runtime
from oneclaw.outside import Outside
from oneclaw.owner import Owner
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.run.runner import Runner
from oneclaw.store import spill
from oneclaw.store.sessions import new_id
from oneclaw.store.store import Store
from oneclaw.tools import builtin

if TYPE_CHECKING:
    from oneclaw.agent.run_handle import RunHandle
    from oneclaw.agent.runs import Runs
    from oneclaw.core.run_event import RunEvent, RunFinished
    from oneclaw.guard.opener import Show
    from oneclaw.providers.base import Provider
    from oneclaw.run.shell.shells import Shells

LEAST_CHARS = 500
KEEP_DAYS = 90
"""Days that ended runs are kept where the settings say nothing."""


class App:
    """Everything a call needs, from the settings. Use it with `async with`; the engine is `app.engine`.

    `async with app.looking()` is for looking only: it opens the store to read, if there is one, and runs no
    calls.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        tools: Iterable[Tool | ToolLike | Callable[..., Any]] = (),
        builtins: bool = True,
        outside: bool | None = None,
        hooks: Hooks | None = None,
        agents: Iterable[Agent] = (),
        providers: "Mapping[str, Provider] | None" = None,
    ) -> None:
        """`providers` are those made in code, by the name that stands before the slash of their models.

        `outside` says whether tools are taken from folders and plugins: as `builtins` where nobody says.
        """
        self.config = config or load_config()
        self.registry = Registry()
        self._shells: Shells | None = None
        self.show: Show | None = None
        """Set by a front that can show files and addresses itself; otherwise the desktop opens them."""
        parts = self.notebook, self._open_shells, self.config.under("web"), lambda: self.show
        shell = self.config.under("shell")
        self._is_open = shell.get("mode") == "native" or shell.get("sandbox") == "none"
        """Whether the owner has commands run without a sandbox."""
        for tool in builtin.load_all(*parts, is_open=self._is_open) if builtins else ():
            self._register(tool, "built-in")
        self._own_tools = [self._register(tool).name for tool in tools]
        self._hooks = hooks or Hooks()
        self.agents = Roster(self._agents_folder(), _run_limits(self.config))
        for agent in agents:
            self.agents.add(agent)
        self.catalog = Catalog(
            self.config.under("models"),
            self.config.under("providers"),
            LocalModels(_local_settings(self.config)),
        )
        self._has_builtins = builtins
        self._made_providers = dict(providers or {})
        self._runs: Runs | None = None
        self._secrets: Secrets | None = None
        self._store: Store | None = None
        self._engine: Engine | None = None
        self._runner: Runner | None = None
        self.listeners = Listeners()
        self.broker = Broker(
            seconds=self.config.get("permissions.prompt_seconds", 300.0),
            wait_seconds=self.config.get("questions.wait_seconds", WAIT_SECONDS),
            emit=self.listeners.emit,
        )
        self.redactor = Redactor(secret_variables(os.environ, self.config.get("secrets.environment", ())))
        self.grants: GrantBook = MemoryBook()
        self.permissions = self._permissions(self.config.mode)
        self.runtime = Runtime(
            size=self.config.get("javascript.workers", 4),
            memory_bytes=self.config.get("javascript.memory_mb", 64) << 20,
        )
        for tool in code_tools(self.runtime, lambda: self.engine, self._spend_call) if builtins else ():
            self._register(tool, "built-in")
        self.outside = Outside(self.config, self.runtime, self.registry, self._register)
        self._has_outside = builtins if outside is None else outside
        followed = self.outside if self._has_outside else None
        self._owner = Owner(self.config, self.registry, self.agents, followed)
        self._owner.rule()
        self._register_agent_tools()
        if self._has_outside:
            self.outside.load()

    @property
    def store(self) -> Store:
        if self._store is None:
            raise RuntimeError("The store is open inside `with App(...)` only.")
        return self._store

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("The engine runs inside `async with App(...)` only.")
        return self._engine

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the tools from outside, and what was left out of them."""
        return self.outside.problems

    @property
    def runs(self) -> "Runs":
        """What runs agents; loaded when the first is run."""
        if self._runs is None:
            from oneclaw.agent.digests import Digests
            from oneclaw.agent.runs import Runs
            from oneclaw.providers.connect import Providers

            assert self._secrets is not None
            providers = Providers(
                self.catalog,
                secrets=self._secrets.lookup,
                network=self.engine.session.network,
                extra=self._made_providers,
            )
            chars = self.config.get("memory.digest_chars", DIGEST_CHARS)
            self._runs = Runs(
                self.engine,
                self.store,
                self.agents,
                self.catalog,
                providers,
                self.new_session,
                Digests(self.engine, self.notebook, chars),
                self._own_tools,
                self.config.get("questions.wait", "unattended"),
            )
        return self._runs

    def run(
        self,
        agent: Agent | str,
        text: str,
        *,
        session: Session | str | None = None,
        model: str = "",
        images: Iterable[Image] = (),
    ) -> "AsyncGenerator[RunEvent]":
        """Say something to an agent and yield what happens, the last a `RunFinished`.

        Without a session it is a new one; a session's id goes on with it. This is the short form of
        `runs.start`: here, leaving the `async for` early stops the run.
        """
        agent = self._known(agent)
        message = UserMessage(text, tuple(images))

        async def start() -> "RunHandle":
            found = await self.resume_session(session) if isinstance(session, str) else session
            return await self.runs.start(agent, message, session=found, model=model)

        return follow(start)

    def resume(self, name: str, *, model: str = "") -> "AsyncGenerator[RunEvent]":
        """Go on with a run that was interrupted or stopped, with the budget it had left; or with a session
        where it stands, with the agent it belongs to."""

        async def start() -> "RunHandle":
            if await self.store.runs.get(name) is not None:
                return await self.runs.resume(name, model=model)
            session = await self.resume_session(name)
            return await self.runs.start(self.agents.get(session.agent), None, session=session, model=model)

        return follow(start)

    async def ask(self, agent: Agent | str, text: str, **more: Any) -> "RunFinished":
        """`run`, for whoever wants only the end of it."""
        from oneclaw.core.run_event import RunFinished

        async with aclosing(self.run(agent, text, **more)) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    return event
        raise RuntimeError("The run ended without saying so.")

    def new_session(self, agent: str = "default") -> Session:
        """A session of this agent in the workspace, with a folder of its own for long results."""
        return make_session(self.config, new_id(), agent)

    async def resume_session(self, session_id: str) -> Session:
        """The session of this id, as the store knows it: its grants hold on, its long results can be read."""
        record = await self.store.sessions.get(session_id)
        if record is None:
            raise InvalidConfig(f"There is no session {session_id[:100]!r}; `oneclaw sessions` lists them.")
        return make_session(self.config, record.id, record.agent)

    @property
    def policy(self) -> Policy:
        """What exists for whom, as the settings and the owner say now."""
        return self._owner.policy

    def notebook(self, agent: str) -> Notebook:
        """The memories an agent sees."""
        is_own = self.config.get(f"agents.{agent}.memory") == "own"
        return self.store.memories.of(agent if is_own else "")

    async def switch(self, tool: str, is_on: bool | None) -> None:
        """Turn a tool on or off for every program that uses this store; others take half a second.

        None takes the word back: the settings decide again.
        """
        await self._owner.switch(tool, is_on)

    async def switch_feature(self, feature: str, is_on: bool | None) -> None:
        """Turn a feature on or off, with the tools that need it, as `switch` does one tool."""
        await self._owner.switch_feature(feature, is_on)

    async def refresh(self) -> None:
        """Take up at once what the store says of tools and agents; calls do so twice a second."""
        await self._owner.take_up()

    async def reload(self) -> tuple[Problem, ...]:
        """Take up changed tool files, here and in every program that uses this store; gives what is wrong."""
        await self._owner.reload()
        return self.problems

    async def trust(self, folder: Path, is_trusted: bool = True) -> bool:
        """Have the tools of a project loaded from here on, or no longer; says whether that is new."""
        return await self._owner.trust(folder, is_trusted)

    @asynccontextmanager
    async def looking(self) -> "AsyncGenerator[App]":
        """Open the store to read only; no call can be run."""
        if self.config.store_file.exists():
            await self._open(read_only=True)
        try:
            yield self
        finally:
            self._close()

    def _close(self) -> None:
        self._owner.close()
        self.broker.book = None
        store, self._store, self._engine = self._store, None, None
        if store is not None:
            store.close()

    async def __aenter__(self) -> "App":
        self._secrets = Secrets(self.config.secrets_file, redactor=self.redactor)
        self.runtime.open()
        store = await self._open()
        self.broker.book = store.questions
        try:
            session = self.new_session()
        except BaseException:
            self._close()
            raise
        self._runner = Runner(
            threads=self.config.get("limits.threads", 32),
            processes=self.config.get("limits.processes", 4),
            memory_bytes=self.config.get("limits.memory_mb", 1024) << 20,
        )
        self._engine = Engine(
            self.registry,
            self._runner,
            policy=self.policy,
            permissions=self.permissions,
            hooks=Hooks(self._hooks.before, (marking(self.outside.find), *self._hooks.after)),
            journal=store.calls,
            secrets=self._given,
            redactor=self.redactor,
            spill=spill.keep,
            session=session,
            listeners=self.listeners,
            parallel=self.config.get("limits.parallel", 64),
            refresh=self._owner.follow,
        )
        self._owner.start(self._engine)
        await self._prune(store)
        return self

    async def _prune(self, store: Store) -> None:
        """Forget runs that ended long ago, some at each start; conversations stay."""
        days = self.config.get("store.keep_days", KEEP_DAYS)
        if days is not False:
            with suppress(StoreError):  # a full disk is no reason not to begin
                await store.runs.prune(days)
                await store.questions.prune(days)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._owner.close()
            self.broker.close()
            if self._runs is not None:
                await self._runs.close()
            if self._runner is not None:
                await self._runner.close()
            if self._shells is not None:
                await self._shells.close()
        finally:
            self._runs = self._shells = None
            await self.runtime.close()
            self._close()

    def _register(self, tool: Tool | ToolLike | Callable[..., Any], origin: str = "") -> Tool:
        made = as_tool(tool)
        limits = self.config.under(f"limits.tools.{made.name}")
        if limits.get("chars", LEAST_CHARS) < LEAST_CHARS:
            raise InvalidConfig(
                f"limits.tools.{made.name}.chars is {limits['chars']}; at least {LEAST_CHARS:,} are needed"
                " to say what was cut and where the rest is."
            )
        if limits:
            made = replace(made, definition=replace(made.definition, **limits))
        if made.definition.secrets:
            missing = partial(self._why_missing, made.definition)
            made = replace(made, definition=replace(made.definition, missing=missing))
        return self.registry.register(made, origin)

    def _why_missing(self, definition: ToolDefinition) -> str:
        """What a tool lacks here by its own word, or of the secrets it declares."""
        lacking = definition.missing() if definition.missing is not None else ""
        if lacking:
            return lacking
        try:
            secrets = self._secrets or Secrets(self.config.secrets_file, redactor=self.redactor)
            return secrets.why_missing(definition.secrets)
        except InvalidConfig as error:
            return str(error)

    def _open_shells(self) -> "Shells":
        """What runs commands; loaded when the first is run."""
        if self._shells is None:
            from oneclaw.run.shell.shells import Shells, ShellSettings

            self._shells = Shells(ShellSettings(self.config.home, **self.config.under("shell")))
        return self._shells

    def _spend_call(self, session: Session) -> str:
        """Count a call that a script makes against the limits of its run; why it must not be made."""
        return "" if self._runs is None else self._runs.spend_call(session)

    def _given(self, names: Iterable[str]) -> Mapping[str, str]:
        """The secrets a tool declared. The key of a provider is none of them: whoever has it can spend it."""
        assert self._secrets is not None
        names = tuple(names)
        for name in names:
            holder = self.catalog.holder(name)
            if holder is not None:
                raise ToolError(
                    f"The tool declares the secret {name}, which is the key of the provider {holder}; such"
                    " keys are given to no tool: set a key for the tool under another name and declare that.",
                    Kind.PERMISSION_DENIED,
                )
        return self._secrets.given(names)

    def _known(self, agent: Agent | str) -> Agent:
        """The agent; one that was made in code is known by its name from here on."""
        if isinstance(agent, str):
            return self.agents.get(agent)
        known = self.agents.all().get(agent.name)
        if known is None or known.agent != agent:
            self.agents.add(agent)
            self._owner.rule()
            if agent.agents:
                self._register_agent_tools()
        return agent

    def _register_agent_tools(self) -> None:
        """The tools by which agents reach each other, for the agents there are now."""
        every = [listed.agent for listed in self.agents.all().values() if listed.agent is not None]
        made = delegate_tools(every, lambda: self.runs)
        if self._has_builtins:
            made += session_tools(lambda: self.runs, lambda: self.store)
        is_taken = False
        for tool in made:
            entry = self.registry.find(tool.name)
            is_taken |= entry is not None and entry.tool.origin != "agents"
            self.registry.remove(tool.name)
            self._register(tool, "agents")
        if is_taken and self._has_outside:
            self.outside.load()  # a tool from outside had the name: it says that it has not any more

    def _agents_folder(self) -> Path:
        """`agents` beside the settings file, or in the user's configuration folder."""
        return (self.config.file.parent if self.config.file else user_folder("config")) / "agents"

    async def _open(self, read_only: bool = False) -> Store:
        store = self._store = Store(self.config.store_file, read_only=read_only, redact=self.redactor.redact)
        self.grants = store.grants
        await self.grants.refresh()
        self.permissions = self._permissions(self.permissions.mode)
        await self._owner.open(store)
        self._register_agent_tools()
        return store

    def _permissions(self, mode: Mode) -> Permissions:
        return Permissions(
            mode=mode,
            states=self.config.under("permissions.needs"),
            grants=self.grants,
            broker=self.broker,
            redact=self.redactor.redact_value,
            judge=judge_calls(parse_rules(self.config.get("shell.allow", ())), is_open=self._is_open),
        )


async def follow(start: "Callable[[], Awaitable[RunHandle]]") -> "AsyncGenerator[RunEvent]":
    """The events of the run that `start` starts, bare; leaving early stops the run."""
    handle = await start()
    run = handle.id
    try:
        async for envelope in handle.events():
            if envelope.run == run:
                yield envelope.event
        await handle.wait()
    finally:
        await handle.stop()


def _run_limits(config: Config) -> Limits:
    return Limits(**{name: None if limit is False else limit for name, limit in config.under("runs").items()})


def _local_settings(config: Config) -> LocalSettings:
    return LocalSettings(config.home, user_folder("cache") / "models", **config.under("local"))
