"""JSON format of exported memories."""

from collections.abc import Mapping
from dataclasses import asdict
from time import time
from typing import Any, cast

from oneclaw.core.errors import InvalidMemory
from oneclaw.core.memory import Memory, check_memory
from oneclaw.core.subschema import is_object
from oneclaw.store.memories import Memories, Version

FORMAT = "oneclaw memories"
_KINDS: dict[str, type | tuple[type, ...]] = {
    "key": str,
    "value": str,
    "category": str,
    "agent": str,
    "hits": int,
    "version": int,
    "created": (int, float),
    "updated": (int, float),
    "used": (int, float),
}
_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number from 0",
    (int, float): "a time in seconds since 1970",
}
_MOST_COUNT = 10**12
_LAST_TIME = 253_370_764_800  # the year 9999: no calendar shows what lies behind it
_AGENT_CHARS = 200


async def to_document(memories: Memories) -> dict[str, Any]:
    """Every memory of the store with the values it had before."""
    return {
        "format": FORMAT,
        "memories": [
            {**asdict(memory), "versions": [asdict(each) for each in await memories.versions(memory)]}
            for memory in await memories.everyone()
        ],
    }


def from_document(document: Any) -> list[tuple[Memory, list[Version]]]:
    """The memories of an export; raises `InvalidMemory` that names the first one that is none.

    A plain object of keys and values is read as well.
    """
    if not is_object(document):
        raise InvalidMemory(
            "The file holds no memories: it must be an export, or an object of keys and values."
        )
    if document.get("format") != FORMAT:
        document = {"memories": [{"key": key, "value": value} for key, value in document.items()]}
    listed: Any = document.get("memories")
    if not isinstance(listed, list):
        raise InvalidMemory('The export has no list "memories".')
    return [_read(number, each) for number, each in enumerate(cast(list[Any], listed), 1)]


def _read(number: int, document: Any) -> tuple[Memory, list[Version]]:
    if not is_object(document):
        raise InvalidMemory(f"Memory {number} of the file is no object.")
    fields = _fields(number, document, _KINDS)
    for name in ("key", "value"):
        if name not in fields:
            raise InvalidMemory(f"Memory {number} of the file has no {name}.")
    agent: str = fields.get("agent", "")
    if len(agent) > _AGENT_CHARS or not agent.isprintable():
        raise InvalidMemory(f"Memory {number} of the file has the agent {agent[:80]!a}, which is no name.")
    listed: Any = document.get("versions", [])
    versions: list[Version] = []
    for each in cast(list[Any], listed if isinstance(listed, list) else [listed]):
        if not is_object(each) or not {"version", "value"} <= each.keys():
            raise InvalidMemory(f"Memory {number} of the file has a version that is none.")
        said = _fields(
            number, each, {name: _KINDS[name] for name in ("version", "created", "category", "value")}
        )
        versions.append(
            Version(said["version"], said.get("created", 0.0), said.get("category", ""), said["value"])
        )
    try:
        for value, category in (
            (fields["value"], fields.get("category", "")),
            *((each.value, each.category) for each in versions),
        ):
            check_memory(fields["key"], value, category)
    except InvalidMemory as error:
        raise InvalidMemory(f"Memory {number} of the file: {error}") from None
    times: dict[str, Any] = dict.fromkeys(("created", "updated", "used"), time())
    return Memory(**(times | fields)), versions


def _fields(number: int, document: Mapping[str, Any], kinds: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: document[name] for name in kinds if name in document}
    for name, value in fields.items():
        is_wrong = isinstance(value, bool) or not isinstance(value, kinds[name])
        most = _MOST_COUNT if kinds[name] is int else _LAST_TIME
        if is_wrong or (isinstance(value, int | float) and not 0 <= value <= most):
            wanted = _WORDS[kinds[name]]
            raise InvalidMemory(
                f"Memory {number} of the file has the {name} {str(value)[:80]!r}; it must be {wanted}."
            )
    return fields
