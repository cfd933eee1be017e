"""Parses a plugin's manifest without importing its code.

`NAME.toml` beside `NAME.py`, or `oneclaw-plugin.toml` in a package. Each field may be left out:

    name         the name of the plugin
    description  what it is for
    version      shown, and part of the version of its tools
    permissions  all that its tools may need, as ["network"]
    tools        its tools, each with the fields of `@tool` and its `parameters`; then the code is imported
                 when one of them is called, and not before
"""

import tomllib
from dataclasses import dataclass
from typing import Any, cast

from oneclaw.core.value import plain
from oneclaw.plugins.source import InvalidPlugin

FILE = "oneclaw-plugin.toml"
KEYS = ("name", "description", "version", "permissions", "tools")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest's fields; None where absent."""

    description: str = ""
    version: str = ""
    permissions: tuple[str, ...] | None = None
    tools: list[Any] | None = None


def read_manifest(data: bytes, place: str, plugin: str) -> Manifest:
    """Check and read a manifest. Raises `InvalidPlugin` with the field and the remedy."""
    try:
        said = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidPlugin(f"{place} is not TOML: {error}.") from None
    for key in said:
        if key not in KEYS:
            raise InvalidPlugin(f"{place} has no field {key[:80]!r}; known are {', '.join(KEYS)}.")
    for key in ("name", "description", "version"):
        if not isinstance(said.get(key, ""), str):
            raise InvalidPlugin(f"{place}: {key} must be a text.")
    if said.get("name", plugin) != plugin:
        raise InvalidPlugin(
            f"{place} names the plugin {said['name'][:80]!r}, but it is {plugin!r}: correct the name."
        )
    permissions, tools = said.get("permissions"), said.get("tools")
    if permissions is not None and not _is_texts(permissions):
        raise InvalidPlugin(f'{place}: permissions must be a list of texts, as ["network"].')
    if tools is not None and not isinstance(tools, list):
        raise InvalidPlugin(f"{place}: tools must be a list of tables: write [[tools]] above each.")
    return Manifest(
        said.get("description", ""),
        said.get("version", ""),
        None if permissions is None else tuple(permissions),
        None if tools is None else [_tool(tool, permissions) for tool in cast(list[Any], tools)],
    )


def _tool(said: Any, permissions: list[str] | None) -> Any:
    """One tool as `read_tool` wants it: it needs what the plugin needs, unless it says so itself."""
    if not isinstance(said, dict):
        return said
    tool: dict[str, Any] = plain(said)
    needs = tool.pop("permissions", None if "needs" in tool else permissions)
    return tool if needs is None else {**tool, "needs": needs}


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in cast(list[object], value))
