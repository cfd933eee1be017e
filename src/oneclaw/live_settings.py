"""Settings changed while programs run: switches, trusted projects, reloads; kept in the store.

Each change goes to the store, where every program finds it. `follow` looks for changes in the store and on
this machine at most twice a second, and `rule` makes the policy that decides the next call.
"""

from collections.abc import Awaitable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from oneclaw.agent.agent_tools import AgentTools
from oneclaw.agent.features import FEATURES
from oneclaw.agent.roster import Roster
from oneclaw.agent.rules import Switches, policy_of
from oneclaw.config import Config
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidConfig, NotOpen, StoreError
from oneclaw.core.load import LoadProblem
from oneclaw.core.permit.policy import Policy
from oneclaw.core.registry import Registry
from oneclaw.core.source import ToolSource
from oneclaw.core.sources import Sources
from oneclaw.external_tools import TRUST, Project, trust_key
from oneclaw.skills.tools import SkillTools
from oneclaw.store.settings import StoredSettings
from oneclaw.store.store import Store

SWITCH = "tool_enabled_"
"""Prefix of the stored setting of a tool's switch."""
FEATURE = "feature."
"""Prefix of the stored setting of a feature's switch."""
RELOADED = "tools.reloaded"
"""The stored setting that counts reloads of tools from outside."""

_LAG_SECONDS = 0.5


class LiveSettings:
    """Live settings and the policy they make. `project` is None without tool folders."""

    def __init__(
        self,
        config: Config,
        registry: Registry,
        sources: Sources,
        roster: Roster,
        agent_tools: AgentTools,
        project: Project | None,
        skill_tools: SkillTools | None = None,
    ) -> None:
        self._config = config
        self._registry = registry
        self._sources = sources
        self._roster = roster
        self._agent_tools = agent_tools
        self._project = project
        self._skill_tools = skill_tools
        self._store: Store | None = None
        self._engine: Engine | None = None
        self._said = Switches()
        self._trusted: frozenset[str] = frozenset()
        self._seen: dict[str, int] = {}
        self._lacked: list[str] = []
        self._look_again = 0.0
        self._reloaded: int | None = None
        self.policy = Policy()
        self.rule()

    async def open(self, store: Store) -> None:
        """Take up what the store has."""
        self._store = store
        await self.take_up()

    def start(self, engine: Engine) -> None:
        """Have an engine follow the policy."""
        self._engine = engine

    def close(self) -> None:
        self._store = self._engine = None

    async def switch(self, tool: str, is_on: bool | None) -> None:
        """Turn a tool on or off for every program that uses this store; others take half a second.

        None takes the word back: the settings decide again.
        """
        entry = self._registry.find(tool)
        if entry is not None:
            tool = entry.tool.name
            if not entry.tool.definition.switchable:
                raise InvalidConfig(self._why_bound(tool, entry.tool.definition.feature or ""))
        await self._keep(SWITCH + tool, is_on)
        for feature in FEATURES:
            if feature.lead == tool:
                await self._stored().delete(FEATURE + feature.name)
        await self.take_up()

    async def switch_feature(self, feature: str, is_on: bool | None) -> None:
        """Turn a feature on or off, with the tools that need it, as `switch` does one tool."""
        await self._keep(FEATURE + feature, is_on)
        for known in FEATURES:
            if known.name == feature and known.lead:
                await self._stored().delete(SWITCH + known.lead)
        await self.take_up()

    async def reload(self) -> tuple[LoadProblem, ...]:
        """Have the sources from outside look anew, here and in every program that uses this store; gives what
        is wrong."""
        await self._sources.reopen(self._outside)
        self._reloaded = int(await self._stored().get(RELOADED, 0)) + 1
        await self._stored().set(RELOADED, self._reloaded)
        return self._sources.problems

    async def trust(self, folder: Path, is_trusted: bool = True) -> bool:
        """Have the tools of a project loaded from here on, or no longer; says whether that is new."""
        key, settings = trust_key(folder), self._stored()
        was_trusted = bool(await settings.get(key))
        if is_trusted:
            # What is there is closed to tools and commands; what is not, they could make.
            with suppress(OSError):
                (folder / ".oneclaw" / "tools").mkdir(parents=True, exist_ok=True)
            await settings.set(key, True)
        else:
            await settings.delete(key)
        await self.take_up()
        return was_trusted != is_trusted

    def is_trusted(self, folder: Path) -> bool:
        """Whether the owner trusts this very folder, as was last read of the store."""
        return trust_key(folder) in self._trusted

    def rule(self) -> None:
        """Make the policy anew from the settings and from what was last read of the store."""
        self._lacked = self._lacks()
        self.policy = policy_of(self._config, self._said, self._roster, self._registry.get)
        if self._engine is not None:
            self._engine.policy = self.policy

    def follow(self) -> Awaitable[None] | None:
        """Take up what other programs were told and what this machine has by now; None when too soon."""
        now = monotonic()
        if now < self._look_again or self._store is None:
            return None
        self._look_again = now + _LAG_SECONDS
        return self._look(self._store)

    async def _look(self, store: Store) -> None:
        with suppress(StoreError):  # the journal needs the same store, and says what is wrong with it
            if _counted(await store.versions()) != self._seen:
                await self.take_up()
            elif self._lacks() != self._lacked:
                self.rule()

    async def take_up(self) -> None:
        """Take up at once what the store says of tools and agents; calls do so twice a second."""
        store = self._store
        if store is None:
            return
        self._seen = _counted(await store.versions())  # before reading: what changes meanwhile is seen next
        kept = await store.settings.all()
        self._said = Switches(_named(kept, SWITCH), _named(kept, FEATURE))
        self._roster.saved = await store.agents.all()
        self._take_trusted(frozenset(key for key in kept if key.startswith(TRUST) and kept[key]))
        self.meet()
        before, self._reloaded = self._reloaded, int(kept.get(RELOADED, 0))
        if before not in (None, self._reloaded):  # in the background: the calls go on
            await self._sources.reopen(self._outside, 0)

    def _take_trusted(self, trusted: frozenset[str]) -> None:
        """Have the tools and the skills of the folders that are trusted now."""
        is_new, self._trusted = trusted != self._trusted, trusted
        if self._project is not None:
            self._project.trust(self.is_trusted(self._config.workspace_folder))
        if self._skill_tools is not None and is_new:
            self._skill_tools.trust(self.is_trusted)

    def meet(self) -> None:
        """Have the tools and the policy for the agents there are now."""
        self._agent_tools.refresh()
        self.rule()

    @property
    def _outside(self) -> list[ToolSource]:
        return [source for source in self._sources if source.is_outside]

    def _lacks(self) -> list[str]:
        """Missing requirements of tools; programs installed or secrets set meanwhile are found."""
        return [tool.definition.missing() for tool in self._registry if tool.definition.missing is not None]

    async def _keep(self, key: str, is_on: bool | None) -> None:
        """Keep a word, or take it back.

        The word on the other name of a switch is deleted after that: of two that differ off holds, so that
        nothing is on for a moment that nobody switched on.
        """
        if is_on is None:
            await self._stored().delete(key)
        else:
            await self._stored().set(key, is_on)

    def _why_bound(self, tool: str, feature: str) -> str:
        is_tool = feature in self._registry
        whose, command = (feature, "tools") if is_tool else (f"the feature {feature}", "features")
        return (
            f"{tool} cannot be switched alone: it comes and goes with {whose}; use `oneclaw {command} on"
            f" {feature}` or `off`, or name the tool in a deny list."
        )

    def _stored(self) -> StoredSettings:
        if self._store is None:
            raise NotOpen()
        return self._store.settings


def _named(kept: Mapping[str, Any], prefix: str) -> dict[str, bool]:
    return {key.removeprefix(prefix): is_on for key, is_on in kept.items() if key.startswith(prefix)}


def _counted(versions: Mapping[str, int]) -> dict[str, int]:
    """Reloads everything but grants, which permissions handle."""
    return {name: versions[name] for name in ("settings", "agents")}
