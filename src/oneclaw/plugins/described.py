"""Validates the tool descriptions of a plugin.

Nothing a plugin says gives it more than the owner has: where its tools run, their group, who may switch them
and which agents have them is not for it to say.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import Any, cast

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import InvalidTool
from oneclaw.core.tool import ToolDefinition

TEXT_CHARS = 20_000
_RESOURCE = re.compile(r"[a-z]+:(?:[^{}]|\{\w+\})*\Z")
_LEFT_TO_OWNER = ("agents", "switchable")


FIELDS: dict[str, type] = {
    **dict.fromkeys(("name", "description", "label", "version", "effect", "isolation", "resource"), str),
    **dict.fromkeys(("feature", "trim"), str),
    **dict.fromkeys(("parameters", "output"), dict),
    **dict.fromkeys(("needs", "secrets"), list),
    **dict.fromkeys(("default_on", "spill", "polls"), bool),
    "seconds": float,
    "chars": int,
}
"""Fields of `ToolDefinition` that a plugin may set."""
_KINDS = {
    str: "a text",
    dict: "an object",
    list: "a list of texts",
    bool: "true or false",
    float: "a number",
    int: "a whole number",
}


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
        if not _fits(value, FIELDS[key]):
            raise InvalidTool(f"{name[:64]}: {key} must be {_KINDS[FIELDS[key]]}.")
    said |= {key: tuple(said[key]) for key in ("needs", "secrets") if key in said}
    said |= {"group": owner.plugin, "version": _version(said, owner)}
    if not owner.is_inline:
        said["isolation"] = "process"
    definition = ToolDefinition(**said)
    _check_needs(definition, owner)
    _check_resource(definition)
    ArgumentCheck(definition)
    return definition


def _fits(value: Any, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and len(value) <= 100 and all(_fits(each, str) for each in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if kind is float:
        return type(value) in (int, float) and isfinite(value)
    return type(value) is kind and (kind is not str or len(value) <= TEXT_CHARS)


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
