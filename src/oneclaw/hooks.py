"""Hooks: functions that see a call before it runs and its result after. Public."""

from oneclaw.core.hook import After, Answer, Before, Block, Hooks, Rewrite, Verdict

__all__ = ["After", "Answer", "Before", "Block", "Hooks", "Rewrite", "Verdict"]
