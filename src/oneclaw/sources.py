"""Tool sources: the protocol to implement for one's own. Public."""

from oneclaw.core.load import LoadProblem
from oneclaw.core.source import Changed, FixedSource, Health, ToolSource

__all__ = ["Changed", "FixedSource", "Health", "LoadProblem", "ToolSource"]
