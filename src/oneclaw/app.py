"""Puts the parts together: the one place that knows them all."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any

from oneclaw.agent.agent import Agent, Limits
from oneclaw.agent.delegate import delegate_tools
from oneclaw.agent.features import features_now
from oneclaw.agent.roster import Roster
from oneclaw.agent.rules import policy_of
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
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import GrantBook, MemoryBook
from oneclaw.core.permit.need import Mode
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy
from oneclaw.core.registry import Registry, ToolLike, as_tool
from oneclaw.core.session import Session
from oneclaw.core.tool import Tool
from oneclaw.guard.command.approval import judge_calls
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.secret.redactor import Redactor
from oneclaw.guard.secret.secrets import Secrets, secret_variables
from oneclaw.js.code_mode import code_tools
from oneclaw.js.runtime import Runtime
from oneclaw.outside import Outside, trust_key
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.run.runner import Runner
from oneclaw.store import spill
from oneclaw.store.sessions import new_id
from oneclaw.store.store import Store
from oneclaw.tools import builtin

if TYPE_CHECKING:
    from oneclaw.agent.event import RunEvent, RunFinished
    from oneclaw.agent.runs import Runs
    from oneclaw.guard.opener import Show
    from oneclaw.providers.base import Provider
    from oneclaw.run.shell.shells import Shells

SWITCH = "tool_enabled_"
"""How the settings of the store name a tool's switch."""
FEATURE = "feature."
"""How they name the switch of a feature."""
RELOADED = "tools.reloaded"
"""How they name the count of the times the owner had tools from outside loaded anew."""

LEAST_CHARS = 500
_LAG_SECONDS = 0.5


class App:
    """Everything a call needs, from the settings. Use it with `async with`; the engine is `app.engine`.

    A plain `with` is for looking only: it opens the store to read, if there is one, and runs no calls.
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
        parts = self._notebook, self._open_shells, self.config.under("web"), lambda: self.show
        for tool in builtin.load_all(*parts) if builtins else ():
            self._register(tool, "built-in")
        self._own_tools = [self._register(tool).name for tool in tools]
        self._hooks = hooks
        self.agents = Roster(self._agents_folder(), self._saved_agents, _run_limits(self.config))
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
            seconds=self.config.get("permissions.prompt_seconds", 300.0), emit=self.listeners.emit
        )
        self.redactor = Redactor(secret_variables(os.environ, self.config.get("secrets.environment", ())))
        self.grants: GrantBook = MemoryBook()
        self.permissions = self._permissions(self.config.mode)
        self.policy = Policy()
        self._switched = -1
        self._look_again = 0.0
        self._reloaded: int | None = None
        self._reloading: asyncio.Task[None] | None = None
        self.runtime = Runtime(
            size=self.config.get("javascript.workers", 4),
            memory_bytes=self.config.get("javascript.memory_mb", 64) << 20,
        )
        for tool in code_tools(self.runtime, lambda: self.engine, self._spend_call) if builtins else ():
            self._register(tool, "built-in")
        self.outside = Outside(self.config, self.runtime, self.registry, self._register)
        self._has_outside = builtins if outside is None else outside
        self._rule()
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
                Digests(self.engine, self._notebook, chars),
                self._own_tools,
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

        Without a session it is a new one; a session's id goes on with it. Close the generator to stop it.
        """
        agent = self._known(agent)
        if isinstance(session, str):
            session = self.resume_session(session)
        return self.runs.run(agent, UserMessage(text, tuple(images)), session=session, model=model)

    def resume(self, session_id: str, *, model: str = "") -> "AsyncGenerator[RunEvent]":
        """Go on with a session where it stands, as after a crash, with the agent it belongs to."""
        session = self.resume_session(session_id)
        return self.runs.run(self.agents.get(session.agent), None, session=session, model=model)

    async def ask(self, agent: Agent | str, text: str, **more: Any) -> "RunFinished":
        """`run`, for whoever wants only the end of it."""
        from oneclaw.agent.event import RunFinished

        async with aclosing(self.run(agent, text, **more)) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    return event
        raise RuntimeError("The run ended without saying so.")

    def new_session(self, agent: str = "default") -> Session:
        """A session of this agent in the workspace, with a folder of its own for long results."""
        return make_session(self.config, new_id(), agent)

    def resume_session(self, session_id: str) -> Session:
        """The session of this id, as the store knows it: its grants hold on, its long results can be read."""
        record = self.store.sessions.get(session_id)
        if record is None:
            raise InvalidConfig(f"There is no session {session_id[:100]!r}; `oneclaw log --json` names them.")
        return make_session(self.config, record.id, record.agent)

    async def switch(self, tool: str, is_on: bool) -> None:
        """Turn a tool on or off for every program that uses this store; others take half a second."""
        entry = self.registry.find(tool)
        if entry is not None and not entry.tool.definition.switchable:
            feature = entry.tool.definition.feature or ""
            which = f"{feature}; switch that" if feature in self.registry else f"the feature {feature}; set"
            setting = "" if feature in self.registry else f" features.{feature}"
            raise InvalidConfig(
                f"{tool} cannot be switched alone: it comes and goes with {which}{setting}, or name the tool"
                " in a deny list."
            )
        await self.store.settings.set(SWITCH + tool, is_on)
        self._rule()

    async def switch_feature(self, feature: str, is_on: bool) -> None:
        """Turn a feature on or off, with the tools that need it, as `switch` does one tool."""
        await self.store.settings.set(FEATURE + feature, is_on)
        self._rule()

    async def reload(self) -> tuple[Problem, ...]:
        """Take up changed tool files, here and in every program that uses this store; gives what is wrong."""
        if self._has_outside:
            await self.outside.reload()
        self._reloaded = int(self.store.settings.get(RELOADED, 0)) + 1
        await self.store.settings.set(RELOADED, self._reloaded)
        return self.problems

    async def trust(self, folder: Path, is_trusted: bool = True) -> bool:
        """Have the tools of a project loaded from here on, or no longer; says whether that is new."""
        key, settings = trust_key(folder), self.store.settings
        was_trusted = bool(settings.get(key))
        if is_trusted:
            with suppress(
                OSError
            ):  # what is there is closed to tools and commands; what is not, they could make
                (folder / ".oneclaw" / "tools").mkdir(parents=True, exist_ok=True)
            await settings.set(key, True)
        else:
            await settings.delete(key)
        self._rule()
        return was_trusted != is_trusted

    def __enter__(self) -> "App":
        if self.config.store_file.exists():
            self._open(read_only=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        store, self._store, self._engine = self._store, None, None
        if store is not None:
            store.close()

    async def __aenter__(self) -> "App":
        self._secrets = Secrets(self.config.secrets_file, redactor=self.redactor)
        self.runtime.open()
        store = self._open()
        try:
            session = self.new_session()
        except BaseException:
            self.__exit__(None, None, None)
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
            hooks=self._hooks,
            journal=store.calls,
            secrets=self._given,
            redactor=self.redactor,
            spill=spill.keep,
            session=session,
            listeners=self.listeners,
            parallel=self.config.get("limits.parallel", 64),
            refresh=self._follow,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._reloading is not None:
                self._reloading.cancel()
            if self._runs is not None:
                await self._runs.providers.close()
            if self._runner is not None:
                await self._runner.close()
            if self._shells is not None:
                await self._shells.close()
        finally:
            self._runs = self._shells = None
            await self.runtime.close()
            self.__exit__(kind, error, trace)

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
        return self.registry.register(made, origin)

    def _open_shells(self) -> "Shells":
        """What runs commands; loaded when the first is run."""
        if self._shells is None:
            from oneclaw.run.shell.shells import Shells, ShellSettings

            self._shells = Shells(ShellSettings(self.config.home, **self.config.under("shell")))
        return self._shells

    def _spend_call(self, session: Session) -> str:
        """Count a call that a script makes against the limits of its run; why it must not be made."""
        return "" if self._runs is None else self._runs.spend_call(session)

    def _notebook(self, agent: str) -> Notebook:
        """The memories an agent sees."""
        is_own = self.config.get(f"agents.{agent}.memory") == "own"
        return self.store.memories.of(agent if is_own else "")

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
            self._rule()
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

    def _saved_agents(self) -> Mapping[str, Mapping[str, Any]]:
        return {} if self._store is None else self._store.agents.all()

    def _open(self, read_only: bool = False) -> Store:
        store = self._store = Store(self.config.store_file, read_only=read_only, redact=self.redactor.redact)
        self.grants = store.grants
        self.permissions = self._permissions(self.permissions.mode)
        self._rule()
        self._register_agent_tools()
        return store

    def _permissions(self, mode: Mode) -> Permissions:
        return Permissions(
            mode=mode,
            states=self.config.under("permissions.needs"),
            grants=self.grants,
            broker=self.broker,
            redact=self.redactor.redact_value,
            judge=judge_calls(parse_rules(self.config.get("shell.allow", ()))),
        )

    def _rule(self) -> None:
        """Make the policy anew from what the settings and the store say now."""
        switches, features = self.config.under("switches"), self.config.under("features")
        if self._store is not None:
            # Before reading: what changes meanwhile is seen next.
            self._switched = self._store.settings.version
            for prefix, chosen in ((SWITCH, switches), (FEATURE, features)):
                said = self._store.settings.all(prefix)
                chosen |= {key.removeprefix(prefix): value for key, value in said.items()}
            self._heed(self._store)
        self.policy = policy_of(self.config, switches, features_now(features, switches), self.agents)
        if self._engine is not None:
            self._engine.policy = self.policy

    def _heed(self, store: Store) -> None:
        """Load the tools from outside anew when the owner said so, or has another word on this project."""
        is_trusted = bool(store.settings.get(trust_key(self.config.workspace_folder)))
        reloaded = int(store.settings.get(RELOADED, 0))
        is_asked = self._reloaded not in (None, reloaded)
        self._reloaded = reloaded
        if not self._has_outside or not (is_asked or is_trusted != self.outside.is_trusted):
            return
        is_running = self._engine is not None
        self.outside.load(is_trusted, with_plugins=is_asked and not is_running)
        if is_asked and is_running:  # plugins may take a while to say what they have: the calls go on
            self._reloading = asyncio.ensure_future(self.outside.reload())

    def _follow(self) -> None:
        """Take up what other programs have switched."""
        now = monotonic()
        if now >= self._look_again and self._store is not None:
            self._look_again = now + _LAG_SECONDS
            with suppress(StoreError):  # the journal needs the same store, and says what is wrong with it
                if self._store.settings.version != self._switched:
                    self._rule()


def _run_limits(config: Config) -> Limits:
    return Limits(**{name: None if limit is False else limit for name, limit in config.under("runs").items()})


def _local_settings(config: Config) -> LocalSettings:
    return LocalSettings(config.home, user_folder("cache") / "models", **config.under("local"))
