"""Validates the tool descriptions of a plugin.

Nothing a plugin says gives it more than the owner has: where its tools run, their group, who may switch them
and which agents have them is not for it to say.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import Any, cast

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import InvalidTool
from oneclaw.core.tool import ToolDefinition

TEXT_CHARS = 20_000
_RESOURCE = re.compile(r"[a-z]+:(?:[^{}]|\{\w+\})*\Z")
_LEFT_TO_OWNER = ("agents", "switchable")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= TEXT_CHARS


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= 100 and all(map(_is_text, cast(list[object], value)))  # pyright: ignore[reportUnknownArgumentType]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


_TEXT = ("a text", _is_text)
_TEXTS = ("a list of texts", _is_texts)
_FLAG = ("true or false", _is_flag)
_OBJECT = ("an object", _is_object)

FIELDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "name": _TEXT,
    "description": _TEXT,
    "label": _TEXT,
    "parameters": _OBJECT,
    "output": _OBJECT,
    "needs": _TEXTS,
    "secrets": _TEXTS,
    "seconds": ("a number", _is_number),
    "chars": ("a whole number", _is_whole),
    "version": _TEXT,
    "effect": _TEXT,
    "isolation": _TEXT,
    "resource": _TEXT,
    "feature": _TEXT,
    "default_on": _FLAG,
    "trim": _TEXT,
    "spill": _FLAG,
    "polls": _FLAG,
}
"""Fields of `ToolDefinition` that a plugin may set."""


@dataclass(frozen=True, slots=True)
class PluginDefaults:
    """Defaults for a plugin's tools: group, code version, and the most they may need.

    permissions  the needs of the manifest; None where it names none, so that nothing is bound
    """

    plugin: str
    version: str = ""
    digest: str = ""
    permissions: tuple[str, ...] | None = None
    is_inline: bool = False


def as_data(definition: ToolDefinition) -> dict[str, Any]:
    """A definition as the data that `read_tool` reads: what differs from what holds anyway."""
    said: dict[str, Any] = {}
    for each in fields(definition):
        value = getattr(definition, each.name)
        default = each.default_factory() if each.default_factory is not MISSING else each.default
        if value != default:
            said[each.name] = value
    return said


def left_to_owner(data: Mapping[str, Any]) -> list[str]:
    """The fields in it that a plugin has no say in."""
    return [name for name in _LEFT_TO_OWNER if name in data]


def read_tool(data: object, owner: PluginDefaults) -> ToolDefinition:
    """The definition that was said. Raises `InvalidTool` when it cannot be used."""
    if not isinstance(data, dict):
        raise InvalidTool("what it says of a tool is not an object")
    said = {
        str(key): value
        for key, value in cast(dict[Any, Any], data).items()
        if key not in (*_LEFT_TO_OWNER, "group")
    }
    name = said.get("name")
    if not isinstance(name, str):
        raise InvalidTool("a tool has no name")
    for key, value in said.items():
        if key not in FIELDS:
            raise InvalidTool(f"{name[:64]}: there is no field {key[:80]!r}; known are {', '.join(FIELDS)}.")
        kind, fits = FIELDS[key]
        if not fits(value):
            raise InvalidTool(f"{name[:64]}: {key} must be {kind}.")
    said |= {key: tuple(said[key]) for key in ("needs", "secrets") if key in said}
    said |= {"group": owner.plugin, "version": _version(said, owner)}
    if not owner.is_inline:
        said["isolation"] = "process"
    definition = ToolDefinition(**said)
    _check_needs(definition, owner)
    _check_resource(definition)
    ArgumentCheck(definition)
    return definition


def _version(said: Mapping[str, Any], owner: PluginDefaults) -> str:
    """Changed code is another version, so that what was granted is asked for again."""
    return f"{owner.version or said.get('version', '1')}+{owner.digest[:12]}"


def _check_needs(definition: ToolDefinition, owner: PluginDefaults) -> None:
    if owner.permissions is None:
        return
    beyond = [need for need in definition.needs if need not in owner.permissions]
    if beyond:
        raise InvalidTool(
            f"{definition.name} needs {beyond[0]}, which the manifest's permissions do not name; add it."
        )


def _check_resource(definition: ToolDefinition) -> None:
    """Only names of parameters may stand in braces: a template is filled in by the program."""
    if definition.resource is None:
        return
    named = re.findall(r"\{(\w+)\}", definition.resource)
    properties = definition.parameters.get("properties", {})
    if not _RESOURCE.match(definition.resource) or any(name not in properties for name in named):
        raise InvalidTool(
            f"{definition.name} has the resource {definition.resource[:100]!r}; write it as 'file:{{path}}',"
            " with the name of a parameter in braces."
        )
