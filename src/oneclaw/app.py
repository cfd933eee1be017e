"""Puts the parts together: the one place that knows them all."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from oneclaw.config import Config, load_config, user_folder
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidConfig, StoreError
from oneclaw.core.event import Listeners
from oneclaw.core.hook import Hooks
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import GrantBook, MemoryBook
from oneclaw.core.permit.need import Mode
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy, Rules
from oneclaw.core.registry import Registry, ToolLike, as_tool
from oneclaw.core.session import Network, Root, Session, Workspace
from oneclaw.core.tool import Tool
from oneclaw.guard.secret.redactor import Redactor
from oneclaw.guard.secret.secrets import Secrets, secret_variables
from oneclaw.run.runner import Runner
from oneclaw.store import spill
from oneclaw.store.sessions import new_id
from oneclaw.store.store import Store
from oneclaw.tools import builtin

SWITCH = "switch."
"""How the settings of the store name a tool's switch."""

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
        hooks: Hooks | None = None,
    ) -> None:
        self.config = config or load_config()
        self.registry = Registry()
        for tool in builtin.load_all() if builtins else ():
            self._register(tool, "built-in")
        for tool in tools:
            self._register(tool)
        self._hooks = hooks
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
        self._rule()

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

    def new_session(self, agent: str = "default") -> Session:
        """A session of this agent in the workspace, with a folder of its own for long results."""
        return self._session(new_id(), agent)

    def resume_session(self, session_id: str) -> Session:
        """The session of this id, as the store knows it: its grants hold on, its long results can be read."""
        record = self.store.sessions.get(session_id)
        if record is None:
            raise InvalidConfig(f"There is no session {session_id[:100]!r}; `oneclaw log --json` names them.")
        return self._session(record.id, record.agent)

    def _session(self, session_id: str, agent: str) -> Session:
        folder = self.config.home / "sessions" / session_id
        workspace = self.config.workspace_folder
        try:
            workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidConfig(
                f"The workspace {workspace} cannot be made ({error.strerror}): name another folder with"
                " workspace.folder, ONECLAW_WORKSPACE or --workspace."
            ) from error
        network = Network(
            self.config.get("network.proxy"), tuple(self.config.get("network.private_hosts", ()))
        )
        return Session(session_id, agent, Workspace(workspace, self._roots(folder)), network, folder)

    async def switch(self, tool: str, is_on: bool) -> None:
        """Turn a tool on or off for every program that uses this store; others take half a second."""
        await self.store.settings.set(SWITCH + tool, is_on)
        self._rule()

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
        secrets = Secrets(self.config.secrets_file, redactor=self.redactor)
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
            secrets=secrets.given,
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
            if self._runner is not None:
                await self._runner.close()
        finally:
            self.__exit__(kind, error, trace)

    def _register(self, tool: Tool | ToolLike | Callable[..., Any], origin: str = "") -> None:
        made = as_tool(tool)
        limits = self.config.under(f"limits.tools.{made.name}")
        if limits.get("chars", LEAST_CHARS) < LEAST_CHARS:
            raise InvalidConfig(
                f"limits.tools.{made.name}.chars is {limits['chars']}; at least {LEAST_CHARS:,} are needed"
                " to say what was cut and where the rest is."
            )
        if limits:
            made = replace(made, definition=replace(made.definition, **limits))
        self.registry.register(made, origin)

    def _open(self, read_only: bool = False) -> Store:
        store = self._store = Store(self.config.store_file, read_only=read_only)
        self.grants = store.grants
        self.permissions = self._permissions(self.permissions.mode)
        self._rule()
        return store

    def _permissions(self, mode: Mode) -> Permissions:
        return Permissions(
            mode=mode,
            states=self.config.under("permissions.needs"),
            grants=self.grants,
            broker=self.broker,
            redact=self.redactor.redact_value,
        )

    def _rule(self) -> None:
        """Make the policy anew from what the settings and the store say now."""
        switches = self.config.under("switches")
        if self._store is not None:
            self._switched = (
                self._store.settings.version
            )  # before reading: what changes meanwhile is seen next
            said = self._store.settings.all(SWITCH)
            switches |= {key.removeprefix(SWITCH): value for key, value in said.items()}
        self.policy = policy_of(self.config, switches)
        if self._engine is not None:
            self._engine.policy = self.policy

    def _follow(self) -> None:
        """Take up what other programs have switched."""
        now = monotonic()
        if now >= self._look_again and self._store is not None:
            self._look_again = now + _LAG_SECONDS
            with suppress(StoreError):  # the journal needs the same store, and says what is wrong with it
                if self._store.settings.version != self._switched:
                    self._rule()

    def _roots(self, session_folder: Path) -> tuple[Root, ...]:
        """What narrows and widens the workspace: our own files are closed, long results may be read."""
        config = self.config
        return (
            Root(config.home, "none"),
            Root(config.secrets_file, "none"),
            Root(session_folder, "read"),
            # Whether the file is there or not: one that a tool made would be obeyed at the next start.
            Root(user_folder("config"), "read"),
            *((Root(config.file, "read"),) if config.file else ()),
            *(Root(Path(folder).expanduser(), "read") for folder in config.get("workspace.read", ())),
            *(Root(Path(folder).expanduser(), "write") for folder in config.get("workspace.write", ())),
        )


def policy_of(config: Config, switches: dict[str, bool]) -> Policy:
    """The policy the settings say."""

    def rules(prefix: str) -> Rules:
        allow = config.get(f"{prefix}.allow")
        return Rules(None if allow is None else tuple(allow), tuple(config.get(f"{prefix}.deny", ())))

    def named(prefix: str) -> dict[str, Rules]:
        names = {key.split(".tools.")[0] for key in config.under(prefix) if ".tools." in key}
        return {name: rules(f"{prefix}.{name}.tools") for name in names}

    return Policy(rules("tools"), named("agents"), named("plugins"), switches, config.under("features"))
