"""Hooks that see a call before it runs and its result afterwards. Public."""

from oneclaw.core.hook import After, Answer, Before, Block, Hooks, HookVerdict, Rewrite

__all__ = ["After", "Answer", "Before", "Block", "HookVerdict", "Hooks", "Rewrite"]
