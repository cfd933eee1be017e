"""Imports conversations saved by other agents, even damaged ones."""

from oneclaw.agent.foreign.history import FORMATS, read_history

__all__ = ["FORMATS", "read_history"]
