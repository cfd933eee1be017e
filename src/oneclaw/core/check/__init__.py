"""Checking the arguments of a call: read, repaired, coerced, held against the tool's schema."""
