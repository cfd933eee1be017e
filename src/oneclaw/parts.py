"""Builds each part of an app from the settings."""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.agent.agent import Agent
from oneclaw.agent.keys import Keys
from oneclaw.agent.roster import Roster
from oneclaw.agent.session import undo_folder
from oneclaw.config import Config, user_folder
from oneclaw.core.engine import Engine
from oneclaw.core.errors import StoreError
from oneclaw.core.event import Listeners
from oneclaw.core.memory import Notebook
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import GrantBook
from oneclaw.core.permit.need import Mode, State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.session import Session
from oneclaw.core.tool import Tool
from oneclaw.guard.command.approval import judge_calls
from oneclaw.guard.command.denied import parse_denied
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.files.kept import is_due
from oneclaw.guard.files.kept import prune as prune_files
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.guard.secret.secrets import secret_variables
from oneclaw.js.runtime import Runtime
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.providers.packages import ProviderPackages
from oneclaw.run.runner import CallRunner
from oneclaw.skills.library import SkillLibrary
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.agent.runs import Runs
    from oneclaw.agent.tool_search import ToolSearch
    from oneclaw.providers.base import Provider
    from oneclaw.run.shell.shells import Shells


def make_roster(config: Config, agents: Iterable[Agent]) -> Roster:
    """The agents: those in `agents` beside the settings file or in the user's folder, and those given."""
    folder = config.file.parent if config.file else user_folder("config")
    roster = Roster(folder / "agents", config.settings.runs)
    for agent in agents:
        roster.add(agent)
    return roster


def make_catalog(config: Config) -> Catalog:
    local = LocalSettings(config.home, user_folder("cache") / "models", **config.under("local"))
    settings = config.settings
    return Catalog(settings.models, settings.providers, LocalModels(local), ProviderPackages())


def make_broker(config: Config, listeners: Listeners) -> Broker:
    return Broker(
        seconds=config.settings.permissions.prompt_seconds,
        wait_seconds=config.settings.questions.wait_seconds,
        emit=listeners.emit,
    )


def make_redactor(config: Config) -> SecretRedactor:
    return SecretRedactor(secret_variables(os.environ, config.settings.secrets.environment))


def make_permissions(
    config: Config, mode: Mode, grants: GrantBook, broker: Broker, redactor: SecretRedactor
) -> Permissions:
    shell = config.settings.shell
    rules, denied = parse_rules(shell.allow), parse_denied(shell.deny)
    is_read_unasked = shell.read_unasked and mode != "deny"
    reads_in = str(config.workspace_folder.absolute()) if is_read_unasked else ""
    states = {need: State(said) for need, said in config.settings.permissions.needs.items()}
    return Permissions(
        mode=mode,
        states=states,
        grants=grants,
        broker=broker,
        redact=redactor.redact_value,
        judge=judge_calls(rules, is_open=is_unconfined(config), reads_in=reads_in, denied=denied),
    )


def make_runtime(config: Config) -> Runtime:
    javascript = config.settings.javascript
    return Runtime(size=javascript.workers, memory_bytes=javascript.memory_mb << 20)


def make_library(config: Config) -> SkillLibrary:
    """The skills of the workspace, of the home, and of the folder `skills` in the data folder."""
    return SkillLibrary(config.workspace_folder, config.home / "skills", Path(os.path.expanduser("~")))


def make_runner(config: Config) -> CallRunner:
    limits = config.settings.limits
    memory_bytes = limits.memory_mb << 20
    return CallRunner(threads=limits.threads, processes=limits.processes, memory_bytes=memory_bytes)


def is_unconfined(config: Config) -> bool:
    """Whether the owner has commands run without a sandbox."""
    shell = config.settings.shell
    return shell.mode == "native" or shell.sandbox == "none"


def fitting(config: Config, keys: Keys) -> Callable[[Tool], Tool]:
    """Applies the owner's limits to a tool, and reports missing secrets."""

    def fit(tool: Tool) -> Tool:
        limits = config.under(f"limits.tools.{tool.name}")
        if tool.definition.secrets:
            limits["missing"] = partial(keys.why_missing, tool.definition)
        return replace(tool, definition=replace(tool.definition, **limits)) if limits else tool

    return fit


def make_runs(
    config: Config,
    engine: Engine,
    store: Store,
    roster: Roster,
    catalog: Catalog,
    keys: Keys,
    extra: "Mapping[str, Provider]",
    new_session: Callable[[str], Session],
    notebook: Callable[[str], Notebook],
    library: SkillLibrary | None,
    own_tools: Sequence[str],
    tool_search: "ToolSearch | None" = None,
) -> "Runs":
    """Runs agents; loaded when the first one runs."""
    from oneclaw.agent.digests import Digests
    from oneclaw.agent.know_how import KnowHow
    from oneclaw.agent.runs import Runs
    from oneclaw.providers.connect import Providers

    providers = Providers(catalog, secrets=keys.lookup, network=engine.session.network, extra=extra)
    digests = Digests(engine, notebook, config.settings.memory.digest_chars)
    know_how = None if library is None else KnowHow(engine, library, config.settings.skills)
    wait = config.settings.questions.wait
    more = {} if tool_search is None else {"offer": tool_search.offer}
    made = engine, store, roster, catalog, providers, new_session
    return Runs(*made, digests, know_how, own_tools, wait, **more)


def make_tool_search(config: Config, engine: Callable[[], Engine]) -> "ToolSearch":
    """Finds tools of MCP servers, where they are too many to tell a model of."""
    from oneclaw.agent.tool_search import ToolSearch

    return ToolSearch(engine, config.settings.mcp.tools_share)


async def prune(config: Config, store: Store) -> None:
    """Forget runs that ended long ago and files that were deleted long ago; conversations stay."""
    undo, days = undo_folder(config), config.settings.store.keep_days
    if is_due(undo):
        with suppress(OSError):
            await asyncio.to_thread(prune_files, undo)
    if days is not None:
        with suppress(StoreError):  # a full disk is no reason not to begin
            await store.runs.prune(days)
            await store.questions.prune(days)


class LateShells:
    """Runs commands; loaded when the first one runs."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._shells: Shells | None = None

    def __call__(self) -> "Shells":
        if self._shells is None:
            from oneclaw.run.shell.shells import Shells, ShellSetup

            setup = ShellSetup(self._config.home, **self._config.under("shell"))
            if self._config.settings.permissions.needs.get("shell") == "granted":
                setup = replace(setup, read_unasked=False)  # nobody is asked about any command
            self._shells = Shells(setup)
        return self._shells

    def take_up(self, config: Config) -> None:
        """Have the rules for commands of these settings from the next command on."""
        self._config = config
        if self._shells is not None:
            self._shells.rules = parse_rules(config.settings.shell.allow)

    async def close(self) -> None:
        shells, self._shells = self._shells, None
        if shells is not None:
            await shells.close()
