"""App: builds all parts from the settings and connects them."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneclaw import parts
from oneclaw.agent.agent import Agent
from oneclaw.agent.agent_tools import AgentTools
from oneclaw.agent.keys import Keys
from oneclaw.agent.session import make_session
from oneclaw.agent.session_tools import past_messages
from oneclaw.agent.talk import Talk
from oneclaw.config import Config, load_config
from oneclaw.core.engine import Engine
from oneclaw.core.errors import NotOpen
from oneclaw.core.event import Listeners
from oneclaw.core.garbage import collect_less_often
from oneclaw.core.hook import Hooks
from oneclaw.core.load import LoadProblem
from oneclaw.core.memory import Notebook
from oneclaw.core.message import AssistantMessage, Message
from oneclaw.core.permit.grant import GrantBook, MemoryBook
from oneclaw.core.permit.policy import Policy, Why
from oneclaw.core.registry import Registry, ToolLike
from oneclaw.core.session import Session
from oneclaw.core.source import FixedSource, ToolSource
from oneclaw.core.sources import Sources
from oneclaw.core.tool import Tool
from oneclaw.external_tools import Project, check_required, mcp_sources, outside_sources, with_tool_folders
from oneclaw.guard.outside_mark import marking
from oneclaw.js.code_mode import code_tools
from oneclaw.live_settings import LiveSettings
from oneclaw.skills.library import SkillLibrary
from oneclaw.skills.tools import SkillTools
from oneclaw.store import spill
from oneclaw.store.sessions import new_id
from oneclaw.store.store import Store
from oneclaw.sync import SyncApp
from oneclaw.tools import builtin

if TYPE_CHECKING:
    from oneclaw.agent.runs import Runs
    from oneclaw.agent.undo import UndoResult
    from oneclaw.core.run_event import RunFinished
    from oneclaw.guard.opener import ShowFile
    from oneclaw.providers.base import Provider


class App:
    """Everything a call needs, from the settings. Use it with `async with`; the engine is `app.engine`.

    Opened, it has Python's garbage collector look less often, unless the program has set that itself.

    `async with app.looking()` is for looking only: it opens the store to read, if there is one, and runs no
    calls.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        tools: Iterable[Tool | ToolLike | Callable[..., Any]] = (),
        tool_folders: Iterable[Path | str] = (),
        sources: Iterable[ToolSource] = (),
        builtins: bool = True,
        outside: bool | None = None,
        hooks: Hooks | None = None,
        agents: Iterable[Agent] = (),
        providers: "Mapping[str, Provider] | None" = None,
    ) -> None:
        """`providers` are those made in code, by the name that stands before the slash of their models.

        `outside` says whether tools are taken from the folders and plugins of this machine: as `builtins`
        where nobody says. Those of `tool_folders` and `sources` are taken in any case.
        """
        folders = [Path(folder).expanduser().absolute() for folder in tool_folders]
        config = self.config = with_tool_folders(config or load_config(), folders)
        self.registry = Registry()
        self.listeners = Listeners()
        self.broker = parts.make_broker(config, self.listeners)
        self.redactor = parts.make_redactor(config)
        self.grants: GrantBook = MemoryBook()
        self.permissions = parts.make_permissions(
            config, config.mode, self.grants, self.broker, self.redactor
        )
        self.show: ShowFile | None = None
        """Set by a front that can show files and addresses itself; otherwise the desktop opens them."""
        self.agents = parts.make_roster(config, agents)
        self.catalog = parts.make_catalog(config)
        self.runtime = parts.make_runtime(config)
        self._keys = Keys(config.secrets_file, self.redactor, self.catalog)
        self._shells = parts.LateShells(config)
        self._hooks = hooks or Hooks()
        self._providers = dict(providers or {})
        self._runs: Runs | None = None
        self._store: Store | None = None
        self._engine: Engine | None = None
        self._closing = AsyncExitStack()
        self._code = FixedSource("code", tools)
        self.skills: SkillLibrary | None = None
        """The skills there are; None without tools from outside."""
        agent_tools = AgentTools(self.agents, lambda: self.runs, (lambda: self.store) if builtins else None)
        project = Project(config, self.runtime) if (builtins if outside is None else outside) else None
        skill_tools: SkillTools | None = None
        servers: list[ToolSource] = []
        if project is not None:
            self.skills = parts.make_library(config)
            skill_tools = SkillTools(self.skills)
            asked = self._is_looking, self._sample, self.redactor.learn
            servers = mcp_sources(config, self._keys.give, self.registry, *asked)
        self._tool_search = parts.make_tool_search(config, lambda: self.engine) if servers else None
        self.sources = Sources(
            self.registry,
            (
                FixedSource("built-in", self._make_builtins() if builtins else (), origin="built-in"),
                self._code,
                agent_tools,
                *([self._tool_search] if self._tool_search is not None else ()),
                *([skill_tools] if skill_tools is not None else ()),
                *outside_sources(config, self.runtime, project, folders),
                *servers,
                *sources,
            ),
            fit=parts.fitting(config, self._keys),
            overridden=config.settings.tools.override,
        )
        owner = self._owner = LiveSettings(
            config, self.registry, self.sources, self.agents, agent_tools, project, skill_tools
        )
        self.switch, self.switch_feature, self.trust = owner.switch, owner.switch_feature, owner.trust
        self.reload, self.refresh, self.is_trusted = owner.reload, owner.take_up, owner.is_trusted
        talk = Talk(
            config, self.agents, lambda: self.runs, lambda: self.store, lambda: self.engine, owner.meet
        )
        self.call, self.run, self.ask = talk.call, talk.run, talk.ask
        self.resume, self.resume_session = talk.resume, talk.resume_session

    async def undo(
        self, call_or_run: int | str = "", *, session: str | None = None, force: bool = False
    ) -> "UndoResult":
        """Undo what a call or a run changed in the workspace; without a name, the last one that did.

        Raises `UndoRefused` where a file was changed since; `force` restores it all the same.
        """
        from oneclaw.agent.undo import undo

        return await undo(self.config, self.store, call_or_run, session=session, force=force)

    def _make_builtins(self) -> list[Tool]:
        def spend(session: Session) -> str:
            return "" if self._runs is None else self._runs.spend_call(session)

        web, is_open = self.config.settings.web, parts.is_unconfined(self.config)
        history = past_messages(self.agents, lambda: self.store)
        made = builtin.load_all(
            self.notebook, self._shells, web, lambda: self.show, is_open=is_open, history=history
        )
        return [*made, *code_tools(self.runtime, lambda: self.engine, spend)]

    def _is_looking(self) -> bool:
        return self._engine is None

    async def _sample(
        self, session: Session, messages: Sequence[Message], instructions: str, most_tokens: int
    ) -> AssistantMessage:
        return await self.runs.sample(session, messages, instructions, most_tokens)

    @property
    def store(self) -> Store:
        if self._store is None:
            raise NotOpen()
        return self._store

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise NotOpen()
        return self._engine

    @property
    def problems(self) -> tuple[LoadProblem, ...]:
        """Problems of the tool sources, and what they left out."""
        return self.sources.problems

    @property
    def policy(self) -> Policy:
        """The current policy."""
        return self._owner.policy

    @property
    def runs(self) -> "Runs":
        """Runs agents; loaded when the first one runs."""
        if self._runs is None:
            own = [tool.name for tool in self._code.tools]
            engine, store, session = self.engine, self.store, self.new_session
            made = self.agents, self.catalog, self._keys, self._providers
            told = self.notebook, self.skills
            more = own, self._tool_search
            self._runs = parts.make_runs(self.config, engine, store, *made, session, *told, *more)
            self._closing.push_async_callback(self._runs.close)
        return self._runs

    def new_session(self, agent: str = "default") -> Session:
        """A session of this agent in the workspace, with a folder of its own for long results."""
        like = None if self._engine is None else self._engine.session
        return make_session(self.config, new_id(), agent, like)

    def take_up(self, config: Config) -> None:
        """Have the mode, the rules for commands and the default model of these settings from now on."""
        made = parts.make_permissions(config, config.mode, self.grants, self.broker, self.redactor)
        self.permissions.take_up(made)
        self._shells.take_up(config)
        self.catalog.take_up(config.settings.models)
        self.config = config

    def notebook(self, agent: str) -> Notebook:
        """The memories an agent sees."""
        said = self.config.settings.agents.get(agent)
        return self.store.memories.of(agent if said is not None and said.memory == "own" else "")

    @asynccontextmanager
    async def looking(self) -> "AsyncGenerator[App]":
        """Open the store to read only; no call can be run."""
        async with AsyncExitStack() as stack:
            if self.config.store_file.exists():
                await self._open(stack, read_only=True)
            await stack.enter_async_context(self.sources)
            yield self

    def why(self, tool: str, *, agent: str = "default") -> Why:
        """Why an agent has a tool or not, as the settings and the owner say now; raises `NotFound`."""
        return self.policy.why(tool, agent=agent)

    def __enter__(self) -> SyncApp:
        """Open the app for a script or a notebook: nothing of what it gives has to be awaited."""
        self._sync = SyncApp(self)
        return self._sync

    def __exit__(self, *_: object) -> None:
        self._sync.close()

    async def __aenter__(self) -> "App":
        config = self.config
        collect_less_often()
        self._keys.open()
        async with AsyncExitStack() as stack:
            store = await self._open(stack)
            self.broker.book = store.questions
            session, runner = self.new_session(), parts.make_runner(config)
            self.runtime.open()
            for close in (self.runtime.close, self._shells.close, runner.close):
                stack.push_async_callback(close)
            self._engine = Engine(
                self.registry,
                runner,
                policy=self.policy,
                permissions=self.permissions,
                hooks=Hooks(self._hooks.before, (marking(self.sources.find_outside), *self._hooks.after)),
                journal=store.calls,
                secrets=self._keys.give,
                redactor=self.redactor,
                spill=spill.keep,
                session=session,
                listeners=self.listeners,
                parallel=config.settings.limits.parallel,
                refresh=self._owner.follow,
                why_missing=self.sources.why_missing,
            )
            self._owner.start(self._engine)
            await stack.enter_async_context(self.sources)
            await check_required(self.sources)
            await parts.prune(config, store)
            self._closing = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.broker.close()
        await self._closing.aclose()

    async def _open(self, stack: AsyncExitStack, read_only: bool = False) -> Store:
        config, redactor = self.config, self.redactor
        store = Store(config.store_file, read_only=read_only, redact=redactor.redact)
        self._store = stack.enter_context(store)
        stack.callback(self._forget)
        self.grants = store.grants
        await self.grants.refresh()
        mode = self.permissions.mode
        self.permissions = parts.make_permissions(config, mode, self.grants, self.broker, redactor)
        await self._owner.open(store)
        return store

    def _forget(self) -> None:
        self._owner.close()
        self.broker.book = None
        self._store = self._engine = self._runs = None


def ask(text: str, *, agent: Agent | str = "default", **more: Any) -> "RunFinished":
    """Ask an agent one thing in an app of its own and wait for the answer: `oneclaw.ask("Hello.").text`."""
    with App() as app:
        return app.ask(agent, text, **more)
