"""Agents, and the loop that asks a model, runs its calls and asks again."""
