"""Sources of tools: the protocol that a source of one's own implements. Public."""

from oneclaw.core.load import Problem
from oneclaw.core.source import Changed, FixedSource, Health, ToolSource

__all__ = ["Changed", "FixedSource", "Health", "Problem", "ToolSource"]
