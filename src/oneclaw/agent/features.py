"""The features there are, and which of them are on: each is a part of OneClaw that is switched as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass


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


FEATURES = (
    Feature("memory", "agents remember", is_on=True),
    Feature("scheduling", "agents plan, and wake by themselves"),
    Feature("mail", "agents read and send mail"),
    Feature("shell", "agents run commands", lead="execute_shell_command"),
    Feature("sandbox", "agents keep a home of their own where commands run", along="shell"),
    Feature("browser", "agents steer a web browser"),
)


def features_now(said: Mapping[str, bool]) -> dict[str, bool]:
    """Which features are on, by what the owner said of them; one left out is off."""
    now = dict(said)
    for feature in FEATURES:
        if feature.name not in said and (feature.is_on or now.get(feature.along, False)):
            now[feature.name] = True
    return now
