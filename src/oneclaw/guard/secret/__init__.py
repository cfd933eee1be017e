"""Secrets: lookup by name, and redaction everywhere else."""
