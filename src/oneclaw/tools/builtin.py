"""The list of built-in tools: adding one is its file, its test, and a line here."""

from collections.abc import Callable
from importlib import import_module

from oneclaw.core.errors import ToolError
from oneclaw.core.memory import Notebook
from oneclaw.core.tool import Tool

FILES = (
    "get_current_time",
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "find_files",
    "search_text",
    "http_request",
    "fetch_url",
)
MEMORY = ("memory_store", "memory_search", "memory_learn", "memory_reinforce", "memory_forget")
NAMES = (*FILES, *MEMORY)


def no_notebook(agent: str) -> Notebook:
    raise ToolError("There is no store here to remember anything in; run the tool in an app.")


def load(name: str) -> Tool:
    """The tool of this name, from the file of this name; a memory tool only to be looked at."""
    if name in MEMORY:
        return next(tool for tool in load_memory(no_notebook) if tool.name == name)
    return getattr(import_module(f"oneclaw.tools.{name}"), name)


def load_memory(notebook: Callable[[str], Notebook]) -> list[Tool]:
    return import_module("oneclaw.tools.memory").memory_tools(notebook)


def load_all(notebook: Callable[[str], Notebook] = no_notebook) -> list[Tool]:
    """Every built-in tool; `notebook` gives the memories that the agent of a name sees."""
    return [*map(load, FILES), *load_memory(notebook)]
