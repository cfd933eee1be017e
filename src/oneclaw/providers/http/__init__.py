"""HTTP access to providers."""
