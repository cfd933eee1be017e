"""Converts JSON Schemas to each provider's dialect."""
