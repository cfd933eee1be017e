"""Features: groups of tools that are switched on or off together."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from oneclaw.core.settings.tree import FeatureSettings


@dataclass(frozen=True, slots=True)
class Feature:
    """A switch for several tools.

    is_on  where nobody has said
    lead   the tool whose own switch is the feature's: to switch either is to switch both
    along  the feature it follows where nobody has said
    """

    name: str
    meaning: str
    is_on: bool = False
    lead: str = ""
    along: str = ""


_LEADS = {"shell": "execute_shell_command"}

FEATURES = tuple(
    Feature(
        each.name,
        each.metadata["meaning"],
        each.metadata["is_on"],
        _LEADS.get(each.name, ""),
        each.metadata["along"],
    )
    for each in fields(FeatureSettings)
    if "is_on" in each.metadata
)
"""The features of the settings."""


def features_said(settings: FeatureSettings) -> dict[str, bool]:
    """Feature switches in the settings, by name."""
    said = {feature.name: getattr(settings, feature.name) for feature in FEATURES}
    return {name: is_on for name, is_on in said.items() if is_on is not None} | dict(settings.named)


def features_now(said: Mapping[str, bool]) -> dict[str, bool]:
    """Which features are on, by what the owner said of them; one left out is off."""
    now = dict(said)
    for feature in FEATURES:
        if feature.name not in said and (feature.is_on or now.get(feature.along, False)):
            now[feature.name] = True
    return now
