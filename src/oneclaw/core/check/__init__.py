"""Argument checking: parsing, repair, coercion and schema validation."""
