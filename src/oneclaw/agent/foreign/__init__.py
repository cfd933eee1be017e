"""Conversations that other agents saved, read whatever broke them."""

from oneclaw.agent.foreign.history import FORMATS, read_history

__all__ = ["FORMATS", "read_history"]
