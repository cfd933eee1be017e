"""Calls, definitions, checks, permissions and results; no I/O."""
