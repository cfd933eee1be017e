"""File guard: no path leaves the workspace."""
