"""Runs calls inline, in a thread or in a process that can be killed."""
