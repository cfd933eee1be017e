"""SQLite: the journal of calls, sessions, grants and settings."""
