"""ToolSearch: keeps tools of MCP servers from the model until it looks for them, where they are many.

A model reads the definitions of all its tools with each request. Above a share of its window, those of MCP
servers are deferred: the model has `search_tools` and `describe_tool`, and a tool that one of them names is
given with each request from then on. Found tools stand after all others in the order in which they were
found, so that what a provider has cached of the request stays valid.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from oneclaw.agent.tokens import estimate_tools
from oneclaw.agent.tool_index import ToolIndex
from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.load import LoadProblem
from oneclaw.core.permit.need import MCP
from oneclaw.core.registry import as_tool, suggest
from oneclaw.core.session import Session
from oneclaw.core.source import Changed
from oneclaw.core.tool import Context, Tool, ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.engine import Engine

SEARCH, DESCRIBE = "search_tools", "describe_tool"
SESSIONS = 1_000
"""Sessions whose found tools are remembered."""
_FOUND = 8
_LINE_CHARS = 300

Tools = tuple[ToolDefinition, ...]


class ToolSearch:
    """A source of the two tools, and what each session has found by them."""

    name = "tool search"
    is_outside = False
    health = ""
    problems: Sequence[LoadProblem] = ()

    def __init__(self, engine: "Callable[[], Engine]", share: float) -> None:
        """`share` is the part of a window that definitions of MCP tools may take."""
        self._engine = engine
        self._share = share
        self._found: dict[str, dict[str, None]] = {}
        self._index: tuple[Tools, ToolIndex] | None = None
        self._tokens: tuple[Tools, int] | None = None
        self._offered: dict[str, tuple[Tools, int, int, Tools]] = {}
        self.tools: Sequence[Tool] = self._make_tools()

    async def open(self, changed: Changed) -> None:
        pass

    async def close(self) -> None:
        pass

    def offer(self, tools: Tools, window: int, session: Session) -> Tools:
        """The tools that a model is told of; the same tuple until something changes."""
        found = self._found.get(session.id, {})
        known = self._offered.get(session.id)
        if known is not None and known[0] is tools and known[1:3] == (window, len(found)):
            return known[3]
        deferred = {one.name: one for one in tools if MCP in one.needs}
        own = (SEARCH, DESCRIBE)
        if self._tokens is None or self._tokens[0] is not tools:
            self._tokens = tools, estimate_tools(tuple(deferred.values()))
        if self._tokens[1] <= self._share * window:
            offered = tuple(one for one in tools if one.name not in own)
        else:
            kept = [one for one in tools if one.name not in deferred]
            offered = (*kept, *(deferred[name] for name in found if name in deferred))
        _forget_oldest(self._offered)
        self._offered[session.id] = tools, window, len(found), offered
        return offered

    def _make_tools(self) -> list[Tool]:
        @tool(effect="read", label="Search tools", isolation="inline", polls=True)
        async def search_tools(context: Context, query: str, limit: int = 5) -> Output:
            """Find tools that are not in your list, by what they do. You can call what is found.

            query: What the tool should do, in a few words.
            limit: The most tools to name, at most 8.
            """
            index = await asyncio.to_thread(self._deferred, context.session)
            found = index.search(query, max(1, min(limit, _FOUND)))
            if not found:
                return Output("No tool fits these words; use others.")
            self._remember(context.session, found)
            return Output([{"name": one.name, "description": one.description[:_LINE_CHARS]} for one in found])

        @tool(effect="read", label="Describe a tool", isolation="inline", polls=True)
        async def describe_tool(context: Context, name: str) -> Output:
            """Give the whole description and the parameters of a tool that search_tools named.

            name: The name of the tool.
            """
            tools = self._deferred(context.session).tools
            for one in tools:
                if one.name == name:
                    self._remember(context.session, [one])
                    return Output(
                        {"name": one.name, "description": one.description, "parameters": dict(one.parameters)}
                    )
            near = suggest(name, [one.name for one in tools])
            raise ToolError(f"There is no tool {name[:100]!r}. {near}", Kind.TOOL_NOT_FOUND)

        return [as_tool(each, "built-in") for each in (search_tools, describe_tool)]

    def _deferred(self, session: Session) -> ToolIndex:
        tools = self._engine().available(session)
        if self._index is None or self._index[0] is not tools:
            self._index = tools, ToolIndex(one for one in tools if MCP in one.needs)
        return self._index[1]

    def _remember(self, session: Session, found: Sequence[ToolDefinition]) -> None:
        _forget_oldest(self._found)
        kept = self._found.setdefault(session.id, {})
        kept.update((one.name, None) for one in found)


def _forget_oldest(known: dict[str, Any]) -> None:
    if len(known) >= SESSIONS:
        del known[next(iter(known))]
