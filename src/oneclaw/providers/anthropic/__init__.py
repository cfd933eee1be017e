"""Anthropic Messages: requests out, answers in."""
