"""The features there are, and which of them are on: each is a part of OneClaw that is switched as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A switch for several tools.

    is_on  where nobody has said
    lead   the tool whose own switch, where nobody has said of the feature, is the feature's; off, it is off
    along  the feature it follows where nobody has said
    """

    name: str
    meaning: str
    is_on: bool = False
    lead: str = ""
    along: str = ""


FEATURES = (
    Feature("memory", "agents remember", is_on=True),
    Feature("scheduling", "agents plan, and wake by themselves"),
    Feature("mail", "agents read and send mail"),
    Feature("shell", "agents run commands", lead="execute_shell_command"),
    Feature("sandbox", "agents keep a home of their own where commands run", along="shell"),
    Feature("browser", "agents steer a web browser"),
)


def features_now(said: Mapping[str, bool], switches: Mapping[str, bool]) -> dict[str, bool]:
    """Which features are on, by what the owner said of them and of tools; one left out is off."""
    now = dict(said)
    for feature in FEATURES:
        lead = switches.get(feature.lead)
        if feature.name in said:
            now[feature.name] = said[feature.name] and lead is not False
        elif lead if lead is not None else feature.is_on or now.get(feature.along, False):
            now[feature.name] = True
    return now
