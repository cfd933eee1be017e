"""Small models: which agents use one, and the reduced tool list they get."""

from contextlib import suppress

from oneclaw.agent.roster import Roster
from oneclaw.core.errors import InvalidConfig
from oneclaw.providers.catalog import Catalog


class SmallModel:
    """The model of an agent, where it is a small one: `name` and `tools`; else `tools` is None."""

    def __init__(self, catalog: Catalog, roster: Roster, agent: str) -> None:
        listed = roster.all().get(agent)
        self.name = (listed.agent.model if listed and listed.agent else "") or catalog.default or ""
        self.tools: tuple[str, ...] | None = None
        with suppress(InvalidConfig):  # a model that is not there is told of where it is used
            if self.name and (model := catalog.model(self.name)).is_small:
                self.tools = model.tools or catalog.small_tools

    @property
    def note(self) -> str:
        """Says which tools the model gets, where it is a small one; else nothing."""
        if self.tools is None:
            return ""
        return (
            f"{self.name} is a small model and gets these tools only: {', '.join(self.tools)}."
            f' models."{self.name}".small = false gives it all.'
        )
