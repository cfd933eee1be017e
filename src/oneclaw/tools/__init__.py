"""Built-in tools: one file per tool or family."""
