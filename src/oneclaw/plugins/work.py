"""Runs a plugin's tools in its own process, or inline where the settings say so.

All tools of a plugin share one `PluginWork`, and so their worker processes. A worker imports the code once;
the name in the context says which tool is called.
"""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import isawaitable
from typing import Any, NoReturn

from oneclaw.core.errors import ToolError, describe
from oneclaw.core.tool import Context, Tool
from oneclaw.core.value import plain
from oneclaw.guard.own_thread import run_in_own_thread
from oneclaw.plugins.described import as_data
from oneclaw.plugins.source import TOOLS, Offered, PluginImport, load


@dataclass(frozen=True, slots=True, eq=False)
class PluginWork:
    """The tools of a plugin as the program has them: sent to a worker, this becomes the plugin itself.

    A worker has no environment of ours but that of a plugin the owner trusts.
    """

    source: PluginImport
    is_trusted: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return prepare, (self.source, dict(os.environ) if self.is_trusted else {})

    def __call__(self, arguments: dict[str, Any], context: Context) -> NoReturn:
        raise ToolError(f"The plugin {self.source.plugin} runs in a process only.", effects="none")


@lru_cache(256)
def work_of(source: PluginImport, is_trusted: bool = False) -> PluginWork:
    """The same for the same code, so that a worker that has it is still the right one after a reload."""
    return PluginWork(source, is_trusted)


def prepare(source: PluginImport, environment: Mapping[str, str]) -> "Prepared":
    """Import the plugin in this process, which is a worker's, with these variables beside those it has."""
    os.environ.update(environment)
    try:
        return Prepared(source.plugin, load(source))
    except Exception as error:
        # Of one kind, whatever it was: a module that is missing here is not to be sent from the program.
        raise ToolError(describe(error)) from error


@dataclass(frozen=True, slots=True)
class Prepared:
    """An imported plugin."""

    plugin: str
    offered: Offered

    def __call__(self, arguments: dict[str, Any], context: Context) -> Any:
        return self.find(context.tool).execute(arguments, context)

    def find(self, name: str) -> Tool:
        tool = self.offered.tools.get(name)
        if tool is None:
            message = f"The plugin {self.plugin} gives no tool {name!r}, though its description names it."
            raise ToolError(message, effects="none")
        return tool


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """The work of describing a plugin: its tools as data."""

    source: PluginImport

    def __call__(self, arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        offered = load(self.source)
        faults: list[tuple[int | None, str]] = list(offered.faults)
        tools: list[Any] = []
        for tool in list(offered.tools.values())[: TOOLS + 1]:
            try:
                tools.append(plain(as_data(tool.definition)))
            except Exception as error:
                faults.append((None, f"{tool.name} cannot be described: {describe(error)}"))
        return {"tools": tools, "faults": faults, "about": offered.about}


class Inline:
    """The tools of a plugin that runs in the program; it is imported when one of them is first called."""

    def __init__(self, source: PluginImport) -> None:
        self._source = source
        self._prepared: Prepared | None = None
        self._loading = threading.Lock()

    def load(self) -> Prepared:
        with self._loading:
            if self._prepared is None:
                self._prepared = prepare(self._source, {})
            return self._prepared

    def _load(self) -> Prepared:
        try:
            return self.load()
        except BaseException as error:  # also SystemExit, which would end the program
            raise ToolError(describe(error)) from error

    def call(self, arguments: dict[str, Any], context: Context) -> Any:
        """The work of a tool that runs in a thread."""
        return self.load()(arguments, context)

    async def wait(self, arguments: dict[str, Any], context: Context) -> Any:
        """The work of a tool that runs in the event loop, which an import must not hold up."""
        prepared = self._prepared or await run_in_own_thread(self._load, "oneclaw-plugin")
        value = prepared(arguments, context)
        return await value if isawaitable(value) else value


@lru_cache(256)
def inline_of(source: PluginImport) -> Inline:
    """The same for the same code: it is imported once."""
    return Inline(source)
