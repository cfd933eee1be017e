"""ToolSource: the protocol for built-in tools, folders, plugins, agents and servers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from oneclaw.core.load import LoadProblem
from oneclaw.core.registry import ToolLike, as_tool
from oneclaw.core.tool import Tool

Changed = Callable[[], None]
"""Callback of a source for changed tools, problems or health; called on its event loop."""

SourceState = Literal["closed", "opening", "ready", "failed"]


class ToolSource(Protocol):
    """Where tools come from.

    name        unique among the sources of an app
    is_outside  whether others write its tools: a mistake in one is then a problem and raises nothing, and
                what they bring from the network is marked
    tools       the tools it has now; read after `open`, after each `changed`, and once before `open`
    problems    what it left out, and why
    health      one sentence while it is unwell, as "the server does not answer"; empty when it is well
    """

    @property
    def name(self) -> str: ...
    @property
    def is_outside(self) -> bool: ...
    @property
    def tools(self) -> Sequence[Tool]: ...
    @property
    def problems(self) -> Sequence[LoadProblem]: ...
    @property
    def health(self) -> str: ...

    async def open(self, changed: Changed) -> None:
        """Connect and load tools. Called again for a reload, and to retry after a failure.

        It may take long and may be cancelled. An exception becomes a problem and the health of the source.
        """
        ...

    async def close(self) -> None:
        """Release what `open` acquired; `open` may be called again."""
        ...


class Watched(ToolSource, Protocol):
    """A source that reads files. `look` gives a mark of them as they are now, quickly and from any thread;
    when it differs from `seen`, the mark of what was read, the source is opened again."""

    @property
    def seen(self) -> object: ...
    def look(self) -> object: ...


@dataclass(frozen=True, slots=True)
class Health:
    """How a source is: its state, how many of its tools there are, and what is wrong."""

    source: str
    state: SourceState
    tools: int = 0
    reason: str = ""


class FixedSource:
    """Tools that are there from the start and stay. `origin` names them in rules, where it is given."""

    problems: Sequence[LoadProblem] = ()
    health = ""

    def __init__(
        self,
        name: str,
        tools: Iterable[Tool | ToolLike | Callable[..., Any]],
        *,
        origin: str = "",
        is_outside: bool = False,
    ) -> None:
        self.name = name
        self.is_outside = is_outside
        self.tools = tuple(as_tool(tool, origin) for tool in tools)

    async def open(self, changed: Changed) -> None:
        pass

    async def close(self) -> None:
        pass
