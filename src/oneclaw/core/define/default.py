"""Converts Python defaults to JSON values."""

import binascii
from collections.abc import Set
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import PurePath
from typing import Any, cast

from oneclaw.core.define.shape import enum_members
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.value import duration_text


def to_json(value: Any) -> Any:
    """The JSON form of a value; raises `TypeError` when it has none."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return next(given for given, member in enum_members(type(value)) if member is value)
    if isinstance(value, str | int):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    return _structure_to_json(value)


def _structure_to_json(value: Any) -> Any:
    if is_object(value):
        return {str(to_json(name)): to_json(each) for name, each in value.items()}
    if isinstance(value, Set):
        # The order of a set changes from run to run; a schema must not.
        return sorted((to_json(each) for each in cast("Set[Any]", value)), key=repr)
    if hasattr(value, "_asdict"):
        return to_json(value._asdict())
    if is_array(value):
        return [to_json(each) for each in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    if is_dataclass(value) and not isinstance(value, type):
        members = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return {name: to_json(each) for name, each in members.items() if each is not None}
    return _scalar_to_json(value)


def _scalar_to_json(value: Any) -> str:
    if isinstance(value, bytes):
        return binascii.b2a_base64(value, newline=False).decode()
    if isinstance(value, PurePath):
        return str(value)
    match f"{type(value).__module__}.{type(value).__qualname__}":
        case "datetime.datetime" | "datetime.date" | "datetime.time":
            return value.isoformat()
        case "datetime.timedelta":
            return duration_text(value)
        case "uuid.UUID" | "decimal.Decimal":
            return str(value)
        case kind:
            raise TypeError(f"{kind} has no JSON form")
