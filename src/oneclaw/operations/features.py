"""Lists and switches features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oneclaw.agent.features import FEATURES
from oneclaw.core.errors import NotFound
from oneclaw.core.registry import nearest

if TYPE_CHECKING:
    from oneclaw.app import App


@dataclass(frozen=True, slots=True)
class FeatureState:
    """A feature as it stands for an agent.

    by     who said so: the settings or the owner; empty where nobody did
    tools  the tools that come and go with it
    off    those of them that are off all the same, and why
    """

    name: str
    on: bool
    by: str
    meaning: str
    tools: tuple[str, ...]
    off: Mapping[str, str]


def feature_names(app: "App") -> list[str]:
    """The features there are: ours, and those that tools name. One with the name of a tool is that tool's."""
    named = (tool.definition.feature or "" for tool in app.registry)
    known = dict.fromkeys([*(feature.name for feature in FEATURES), *named])
    return [name for name in known if name and name not in app.registry]


def list_features(app: "App", agent: str = "default") -> list[FeatureState]:
    """The features that have tools here; one without any would switch nothing."""
    states = (_state(app, name, agent, (name,)) for name in feature_names(app))
    return [state for state in states if state.tools]


async def switch_feature(app: "App", name: str, is_on: bool | None, agent: str = "default") -> FeatureState:
    """Switch a feature with its tools; None takes the owner's word back. Raises `NotFound`.

    The tools of features that follow it are among its own then.
    """
    known = feature_names(app)
    if name not in known:
        raise NotFound("feature", name, "features", nearest(name, known))
    await app.switch_feature(name, is_on)
    followers = [one.name for one in FEATURES if one.along == name and not _is_said(app, one.name)]
    return _state(app, name, agent, (name, *followers))


def how_to_switch_on(app: "App", feature: str) -> str:
    """The command that switches a feature on; one that follows another comes with that until it is said."""
    along = next((one.along for one in FEATURES if one.name == feature), "")
    if along and not _is_said(app, feature):
        feature = along
    return f"`oneclaw {'tools' if feature in app.registry else 'features'} on {feature}` switches it on."


def _is_said(app: "App", feature: str) -> bool:
    return f"features.{feature}" in app.policy.sources


def _state(app: "App", name: str, agent: str, names: Sequence[str]) -> FeatureState:
    tools = [tool for tool in app.registry if (tool.definition.feature or "") in names]
    decided = {one.name: app.policy.decide(one.definition, agent=agent, origin=one.origin) for one in tools}
    return FeatureState(
        name,
        app.policy.features.get(name, False),
        app.policy.sources.get(f"features.{name}", ""),
        next((feature.meaning for feature in FEATURES if feature.name == name), ""),
        tuple(tool.name for tool in tools),
        {name: decision.reason for name, decision in decided.items() if not decision.allowed},
    )
