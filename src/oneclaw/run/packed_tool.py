"""Packs a tool for another process: its module name or its code.

A tool that stands in a module is sent by name, and the worker imports the module. What has no name there, as
tools of `__main__`, of a notebook or inside a function, is sent as code by cloudpickle.
"""

import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any

from oneclaw.core.errors import ToolError, describe
from oneclaw.core.tool import Execute, Tool


@dataclass(frozen=True, slots=True)
class PackedTool:
    """A module and the name in it, or code."""

    module: str = ""
    name: str = ""
    code: bytes = b""


def pack(tool: Tool, by_value: Iterable[str] = ()) -> PackedTool:
    """Packs `tool`; code of modules in `by_value` is sent, as the worker cannot import them."""
    by_value = set(by_value)
    named = None if by_value else _named(tool)
    return named or PackedTool(code=_pickle(tool, by_value))


def unpack(parcel: PackedTool) -> Execute:
    if parcel.code:
        return pickle.loads(parcel.code)  # noqa: S301 - made by `pack` in the program
    return attrgetter(parcel.name)(import_module(parcel.module)).execute


def _named(tool: Tool) -> PackedTool | None:
    module = getattr(tool.function, "__module__", None) or "__main__"
    name = getattr(tool.function, "__qualname__", "<locals>")
    if module == "__main__" or "<" in name or module not in sys.modules:
        return None
    try:
        found: object = attrgetter(name)(sys.modules[module])
    except AttributeError:
        return None
    return PackedTool(module, name) if isinstance(found, Tool) and found.execute is tool.execute else None


def _pickle(tool: Tool, by_value: set[str]) -> bytes:
    import cloudpickle  # pyright: ignore[reportMissingTypeStubs]

    pickler: Any = cloudpickle
    modules = [sys.modules[name] for name in by_value]
    for module in modules:
        pickler.register_pickle_by_value(module)
    try:
        return pickler.dumps(tool.execute)
    except Exception as error:
        raise ToolError(
            f"Tool {tool.name!r} cannot be sent to a process: {describe(error)}. Keep locks, files and"
            ' connections out of what it refers to, or give it isolation="thread".',
            effects="none",
        ) from error
    finally:
        for module in modules:
            pickler.unregister_pickle_by_value(module)
