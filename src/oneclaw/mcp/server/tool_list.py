"""The tools of an agent as MCP lists them, one list for each era of the protocol."""

from collections.abc import Iterable, Mapping
from typing import Any

from oneclaw.core.tool import ToolDefinition

MODERN = "2026-07-28"
"""The first version without a handshake; versions are dates, and compare as text."""


def describe(definition: ToolDefinition, is_modern: bool) -> dict[str, Any]:
    """One tool as MCP describes it; its schemas are given as they are."""
    described: dict[str, Any] = {
        "name": definition.name,
        "title": definition.label_in(),
        "description": definition.description,
        "inputSchema": definition.parameters,
        "annotations": {"readOnlyHint": definition.effect == "read"},
    }
    if definition.output is not None and can_be_structured(definition.output, is_modern):
        described["outputSchema"] = definition.output
    return described


def can_be_structured(output: Mapping[str, Any], is_modern: bool) -> bool:
    """Whether a client of this era can be told the schema: before 2026-07-28 it must be that of an object."""
    return is_modern or output.get("type") == "object"


class ToolList:
    """The lists that were made last; they are made anew when the tools are others."""

    def __init__(self) -> None:
        self._made: dict[tuple[bool, int], tuple[object, list[dict[str, Any]]]] = {}

    def of(self, definitions: tuple[ToolDefinition, ...], is_modern: bool) -> list[dict[str, Any]]:
        """The descriptions of these tools. `definitions` is one tuple until they change."""
        key = is_modern, id(definitions)
        known = self._made.get(key)
        if known is None or known[0] is not definitions:
            if len(self._made) > 8:
                self._made.clear()
            known = self._made[key] = (definitions, describe_all(definitions, is_modern))
        return known[1]


def describe_all(definitions: Iterable[ToolDefinition], is_modern: bool) -> list[dict[str, Any]]:
    return [describe(definition, is_modern) for definition in definitions]
