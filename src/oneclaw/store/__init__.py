"""SQLite store: calls, sessions, runs, grants, memories and settings."""
