"""List of built-in tools."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from oneclaw.core.errors import ToolError
from oneclaw.core.history import PastMessage, SearchHistory
from oneclaw.core.memory import Notebook
from oneclaw.core.session import Session
from oneclaw.core.settings.tree import DEFAULTS, WebSettings
from oneclaw.core.tool import Tool

if TYPE_CHECKING:
    from oneclaw.guard.opener import ShowFile
    from oneclaw.run.shell.shells import Shells

FILES = (
    *("get_current_time", "calculate", "read_file", "write_file", "edit_file", "move_file", "copy_file"),
    *("delete_file", "restore_file", "make_folder", "list_files", "find_files", "search_text"),
    *("http_request", "fetch_url"),
)
PERSON = ("ask_user",)
MEMORY = ("memory_store", "memory_search", "memory_learn", "memory_reinforce", "memory_forget")
HISTORY = ("search_history",)
SHELL = ("execute_shell_command", "manage_process", "ssh_configure_host")
SET = ("web_search", "get_location_from_ip", "open_file", "open_url")
"""Tools that are made from the settings, or for the front that is in use."""
NAMES = (*FILES, *PERSON, *SET, *MEMORY, *HISTORY, *SHELL)


def no_notebook(agent: str) -> Notebook:
    raise ToolError("There is no store here to remember anything in; run the tool in an app.")


async def no_history(session: Session, query: str, limit: int) -> Sequence[PastMessage]:
    raise ToolError("There is no store here with earlier conversations; run the tool in an app.")


def no_shells() -> "Shells":
    raise ToolError("There is nothing here to run commands with; run the tool in an app.")


def load(name: str) -> Tool:
    """The tool of this name, from the file of this name; one of memory or shell only to be looked at."""
    if name in SHELL:
        return next(tool for tool in load_shell(no_shells) if tool.name == name)
    if name in SET:
        return load_set()[SET.index(name)]
    if name in MEMORY:
        return next(tool for tool in load_memory(no_notebook) if tool.name == name)
    if name in HISTORY:
        return load_history(no_history)
    return getattr(import_module(f"oneclaw.tools.{name}"), name)


def load_set(
    web: WebSettings = DEFAULTS.web, show: "Callable[[], ShowFile | None]" = lambda: None
) -> list[Tool]:
    """The tools of `SET`; `show` gives what shows things in the page."""
    search = import_module("oneclaw.tools.web_search.search")
    made = {name: import_module(f"oneclaw.tools.{name}") for name in SET[1:]}
    return [
        search.web_search_tool(web.search),
        made["get_location_from_ip"].location_tool(web.location_url),
        made["open_file"].open_file_tool(show),
        made["open_url"].open_url_tool(show),
    ]


def load_memory(notebook: Callable[[str], Notebook]) -> list[Tool]:
    return import_module("oneclaw.tools.memory").memory_tools(notebook)


def load_history(search: SearchHistory) -> Tool:
    return import_module("oneclaw.tools.search_history").search_history_tool(search)


def load_shell(shells: "Callable[[], Shells]", *, is_open: bool = False) -> list[Tool]:
    """The tools that run commands; a model is told of this machine only where they can."""
    made = {name: import_module(f"oneclaw.tools.{name}") for name in SHELL}
    words = (
        {} if shells is no_shells else {SHELL[0]: {"where": made[SHELL[0]].find_shell(), "is_open": is_open}}
    )
    lead, *along = [getattr(module, name)(shells, **words.get(name, {})) for name, module in made.items()]
    return [lead, *(_riding(tool, lead) for tool in along)]


def _riding(tool: Tool, lead: Tool) -> Tool:
    """The tool, which lacks whatever the one it rides along with lacks."""
    checks = [check for check in (lead.definition.missing, tool.definition.missing) if check is not None]

    def missing() -> str:
        return next(filter(None, (check() for check in checks)), "")

    return replace(tool, definition=replace(tool.definition, missing=missing))


def load_all(
    notebook: Callable[[str], Notebook] = no_notebook,
    shells: "Callable[[], Shells]" = no_shells,
    web: WebSettings = DEFAULTS.web,
    show: "Callable[[], ShowFile | None]" = lambda: None,
    *,
    is_open: bool = False,
    history: SearchHistory = no_history,
) -> list[Tool]:
    """Every built-in tool.

    notebook  gives the memories an agent sees
    shells    gives what runs commands
    web       the settings under `web`
    show      gives what shows files and addresses in the page, where the page is the front
    is_open   whether the owner has commands run without a sandbox
    history   searches earlier conversations
    """
    return [
        *map(load, (*FILES, *PERSON)),
        *load_set(web, show),
        *load_memory(notebook),
        load_history(history),
        *load_shell(shells, is_open=is_open),
    ]
