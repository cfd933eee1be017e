"""The list of built-in tools: adding one is its file, its test, and a line here."""

from importlib import import_module

from oneclaw.core.tool import Tool

NAMES = (
    "get_current_time",
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "find_files",
    "search_text",
    "http_request",
)


def load(name: str) -> Tool:
    """The tool of this name, from the file of this name."""
    return getattr(import_module(f"oneclaw.tools.{name}"), name)


def load_all() -> list[Tool]:
    return [load(name) for name in NAMES]
