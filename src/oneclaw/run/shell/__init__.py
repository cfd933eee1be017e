"""Shells that keep their state: one for each conversation, and jobs that go on in the background."""
