"""Stateful shells, one for each session, and background jobs."""
