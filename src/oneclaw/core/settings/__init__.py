"""Settings: the typed tree and its validation."""
