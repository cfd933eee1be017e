"""Providers of models: what each is sent, and what comes back."""
