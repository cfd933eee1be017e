"""The JSON Schema of what a request answers with, made from the types of its records."""

import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from types import NoneType, UnionType
from typing import Any, Literal

Schema = dict[str, Any]
_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}
EVENT: Schema = {
    "type": "object",
    "properties": {
        "event": {"type": "string"},
        "number": {"type": "integer"},
        "time": {"type": "number"},
        "run": {"type": "string"},
        "session": {"type": "string"},
    },
    "required": ["event", "number", "time", "run", "session"],
}
"""An event in its envelope; the other members are those of the event."""


def schema_of(kind: Any) -> Schema:
    """The schema of a type; of an object by its members; of a list of one kind; of one kind with members."""
    if isinstance(kind, Mapping):
        members = typing.cast(Mapping[str, Any], kind)
        return dict(members) if members.get("type") == "object" else _object(members)
    if isinstance(kind, list):
        return {"type": "array", "items": schema_of(kind[0])}
    if isinstance(kind, tuple):
        return _object({**_members(kind[0]), **kind[1]})
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if isinstance(kind, type) and typing.get_origin(kind) is None:
        return _class_schema(kind)
    return _generic_schema(typing.get_origin(kind), typing.get_args(kind))


def _generic_schema(origin: Any, inner: tuple[Any, ...]) -> Schema:
    if origin in (typing.Union, UnionType):
        return {"anyOf": [schema_of(each) for each in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    return {"type": "array", "items": schema_of(inner[0])} if inner else {}


def _class_schema(kind: type[Any]) -> Schema:
    if is_dataclass(kind):
        return _object(_members(kind))
    if issubclass(kind, Enum):
        return {"enum": [each.value for each in kind]}
    return {"type": "string"} if issubclass(kind, PurePath) else {}


def _members(kind: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _object(members: Mapping[str, Any]) -> Schema:
    return {
        "type": "object",
        "properties": {name: schema_of(each) for name, each in members.items()},
        "required": list(members),
        "additionalProperties": False,
    }
