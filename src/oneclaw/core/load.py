"""Outcome of loading external tools: the tools, and the problems."""

from dataclasses import dataclass, field

from oneclaw.core.tool import Tool


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """Why something was left out, or with `is_warning`, what is odd about what was not.

    place  the file or plugin; `index` counts from 0 where it is one entry of several
    """

    place: str
    reason: str
    index: int | None = None
    is_warning: bool = False

    def __str__(self) -> str:
        entry = "" if self.index is None else f", entry {self.index}"
        return f"{self.place}{entry}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The tools of one place, in their order, and its problems."""

    tools: list[Tool] = field(default_factory=list[Tool])
    problems: list[LoadProblem] = field(default_factory=list[LoadProblem])
