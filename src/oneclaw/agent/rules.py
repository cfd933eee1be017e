"""Builds the tool policy from settings and agent definitions."""

from collections.abc import Callable
from dataclasses import dataclass, field

from oneclaw.agent.features import FEATURES, features_now, features_said
from oneclaw.agent.roster import Roster
from oneclaw.config import Config
from oneclaw.core.permit.policy import Policy, Rules
from oneclaw.core.settings.tree import AgentToolSettings, PluginToolSettings, Settings, ToolSettings
from oneclaw.core.tool import Tool


@dataclass(frozen=True, slots=True)
class Switches:
    """Switches of tools and features in one place."""

    switches: dict[str, bool] = field(default_factory=dict[str, bool])
    features: dict[str, bool] = field(default_factory=dict[str, bool])


def policy_of(
    config: Config, stored: Switches, roster: Roster, find: Callable[[str], Tool] | None = None
) -> Policy:
    """The policy the settings say, with what was switched since and what agents say of themselves.

    For an agent that both speak of, the settings' allow list holds in place of its own, and both deny.
    """

    def rules(said: ToolSettings | AgentToolSettings | PluginToolSettings) -> Rules:
        return Rules(said.allow, said.deny)

    settings = config.settings
    agents = {name: rules(agent.tools) for name, agent in settings.agents.items()}
    plugins = {name: rules(plugin.tools) for name, plugin in settings.plugins.items()}
    for name, listed in roster.all().items():
        if listed.agent is not None and listed.agent.rules != Rules():
            own, owners = listed.agent.rules, agents.get(name, Rules())
            allow = own.allow if owners.allow is None else owners.allow
            agents[name] = Rules(allow, (*owners.deny, *own.deny))
    return Policy(rules(settings.tools), agents, plugins, *_switched(settings, stored), find=find)


def _switched(
    settings: Settings, stored: Switches
) -> tuple[dict[str, bool], dict[str, bool], dict[str, str]]:
    """The switches, the features, and by whose word each is as it is: what was switched since wins."""
    switches: dict[str, bool] = {}
    features: dict[str, bool] = {}
    sources: dict[str, str] = {}
    written = Switches(dict(settings.switches), features_said(settings.features))
    for said, is_stored in ((written, False), (stored, True)):
        for all_, some, kind, command in (
            (switches, said.switches, "switches", "tools"),
            (features, said.features, "features", "features"),
        ):
            all_ |= some
            for name, is_on in some.items():
                word = f"`oneclaw {command} {'on' if is_on else 'off'} {name}`"
                sources[f"{kind}.{name}"] = word if is_stored else f"{kind}.{name}"
        for feature in FEATURES:
            lead = said.switches.get(feature.lead)
            if lead is not None and said.features.get(feature.name) is not False:
                features[feature.name] = lead
                sources[f"features.{feature.name}"] = sources[f"switches.{feature.lead}"]
            switches.pop(feature.lead, None)
    return switches, features_now(features), sources
