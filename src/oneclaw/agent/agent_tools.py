"""Tools that let agents talk to each other, as a tool source."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from oneclaw.agent.agent import Agent
from oneclaw.agent.delegate import delegate_tools
from oneclaw.agent.roster import Roster
from oneclaw.agent.session_tools import session_tools
from oneclaw.core.load import LoadProblem
from oneclaw.core.registry import as_tool
from oneclaw.core.source import Changed
from oneclaw.core.tool import Tool

if TYPE_CHECKING:
    from oneclaw.agent.runs import Runs
    from oneclaw.store.store import Store


class AgentTools:
    """`ask_NAME` for the agents that others may ask and, with `store`, `sessions` and `message`."""

    name = "agents"
    is_outside = False
    health = ""
    problems: Sequence[LoadProblem] = ()

    def __init__(
        self, roster: Roster, runs: "Callable[[], Runs]", store: "Callable[[], Store] | None" = None
    ) -> None:
        self._roster = roster
        self._runs = runs
        self._session_tools = [] if store is None else session_tools(runs, store)
        self._agents: list[Agent] | None = None
        self._changed: Changed = lambda: None
        self.tools: Sequence[Tool] = ()
        self.refresh()

    def refresh(self) -> None:
        """Have the tools for the agents there are now."""
        agents = [listed.agent for listed in self._roster.all().values() if listed.agent is not None]
        if agents != self._agents:
            self._agents = agents
            made = [*delegate_tools(agents, self._runs), *self._session_tools]
            self.tools = tuple(as_tool(tool, self.name) for tool in made)
            self._changed()

    async def open(self, changed: Changed) -> None:
        self._changed = changed
        self.refresh()

    async def close(self) -> None:
        self._changed = lambda: None
