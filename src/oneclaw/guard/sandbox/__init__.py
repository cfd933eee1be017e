"""Sandbox: limits the files, network and processes of commands."""
