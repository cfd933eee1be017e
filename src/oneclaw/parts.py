"""The parts of a program, each made from the settings."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from oneclaw.agent.agent import Agent
from oneclaw.agent.keys import Keys
from oneclaw.agent.roster import Roster
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
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.secret.redactor import Redactor
from oneclaw.guard.secret.secrets import secret_variables
from oneclaw.js.runtime import Runtime
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.run.runner import Runner
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.agent.runs import Runs
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
    return Catalog(config.under("models"), config.under("providers"), LocalModels(local))


def make_broker(config: Config, listeners: Listeners) -> Broker:
    return Broker(
        seconds=config.settings.permissions.prompt_seconds,
        wait_seconds=config.settings.questions.wait_seconds,
        emit=listeners.emit,
    )


def make_redactor(config: Config) -> Redactor:
    return Redactor(secret_variables(os.environ, config.settings.secrets.environment))


def make_permissions(
    config: Config, mode: Mode, grants: GrantBook, broker: Broker, redactor: Redactor
) -> Permissions:
    rules = parse_rules(config.settings.shell.allow)
    states = {need: State(said) for need, said in config.settings.permissions.needs.items()}
    return Permissions(
        mode=mode,
        states=states,
        grants=grants,
        broker=broker,
        redact=redactor.redact_value,
        judge=judge_calls(rules, is_open=is_unconfined(config)),
    )


def make_runtime(config: Config) -> Runtime:
    javascript = config.settings.javascript
    return Runtime(size=javascript.workers, memory_bytes=javascript.memory_mb << 20)


def make_runner(config: Config) -> Runner:
    limits = config.settings.limits
    memory_bytes = limits.memory_mb << 20
    return Runner(threads=limits.threads, processes=limits.processes, memory_bytes=memory_bytes)


def is_unconfined(config: Config) -> bool:
    """Whether the owner has commands run without a sandbox."""
    shell = config.settings.shell
    return shell.mode == "native" or shell.sandbox == "none"


def fitting(config: Config, keys: Keys) -> Callable[[Tool], Tool]:
    """What gives a tool the owner's limits, and has it say which of its secrets is not set."""

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
    own_tools: Sequence[str],
) -> "Runs":
    """What runs agents; loaded when the first is run."""
    from oneclaw.agent.digests import Digests
    from oneclaw.agent.runs import Runs
    from oneclaw.providers.connect import Providers

    providers = Providers(catalog, secrets=keys.lookup, network=engine.session.network, extra=extra)
    digests = Digests(engine, notebook, config.settings.memory.digest_chars)
    wait = config.settings.questions.wait
    return Runs(engine, store, roster, catalog, providers, new_session, digests, own_tools, wait)


async def prune(config: Config, store: Store) -> None:
    """Forget runs that ended long ago, some at each start; conversations stay."""
    days = config.settings.store.keep_days
    if days is not None:
        with suppress(StoreError):  # a full disk is no reason not to begin
            await store.runs.prune(days)
            await store.questions.prune(days)


class LateShells:
    """What runs commands; loaded when the first is run."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._shells: Shells | None = None

    def __call__(self) -> "Shells":
        if self._shells is None:
            from oneclaw.run.shell.shells import Shells, ShellSettings

            self._shells = Shells(ShellSettings(self._config.home, **self._config.under("shell")))
        return self._shells

    async def close(self) -> None:
        shells, self._shells = self._shells, None
        if shells is not None:
            await shells.close()
