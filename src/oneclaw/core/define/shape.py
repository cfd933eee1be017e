"""Shape: the JSON Schema of a Python type with the conversion of its values."""

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from oneclaw.core.define.scalar import (
    Convert,
    keep,
    to_boolean,
    to_bytes,
    to_decimal,
    to_float,
    to_integer,
    to_nothing,
    to_number,
    to_parsed,
    to_text,
    to_timedelta,
)
from oneclaw.core.define.structure import to_array, to_choice, to_either, to_optional, to_table
from oneclaw.core.subschema import Schema

NULL: Schema = {"type": "null"}


class Shape(NamedTuple):
    """A schema and its conversion. `None` is kept apart: where it means "left out", no schema shows it."""

    schema: Schema
    convert: Convert
    is_nullable: bool = False
    is_described: bool = False  # by `Annotated`, which a docstring does not overrule

    @property
    def whole_schema(self) -> Schema:
        """The schema with null, for places where nothing cannot be said by leaving out."""
        if not self.is_nullable or not self.schema:
            return dict(self.schema)
        return any_of([self.schema, NULL])

    @property
    def whole_convert(self) -> Convert:
        return partial(to_optional, self.convert) if self.is_nullable else self.convert


ANY = Shape({}, keep)

PLAIN: dict[Any, Shape] = {
    str: Shape({"type": "string"}, to_text),
    int: Shape({"type": "integer"}, to_integer),
    float: Shape({"type": "number"}, to_float),
    bool: Shape({"type": "boolean"}, to_boolean),
    bytes: Shape({"type": "string", "contentEncoding": "base64"}, to_bytes),
    None: Shape(NULL, to_nothing),
    type(None): Shape(NULL, to_nothing),
    Any: ANY,
    object: ANY,
    list: Shape({"type": "array", "items": {}}, partial(to_array, keep, list)),
    dict: Shape({"type": "object"}, partial(to_table, to_text, keep)),
}

_DECIMAL: Schema = {
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^[+-]?\d+(\.\d+)?([eE][+-]?\d{1,4})?$"}]
}


def scalar_shape(kind: type[Any]) -> Shape | None:
    """The shape of a type of the standard library, found by its name so that nothing need be imported."""
    match f"{kind.__module__}.{kind.__qualname__}":
        case "datetime.datetime":
            return _iso_shape(kind, "date-time", "an ISO 8601 date and time such as 2024-01-31T12:00:00Z")
        case "datetime.date":
            return _iso_shape(kind, "date", "an ISO 8601 date such as 2024-01-31")
        case "datetime.time":
            return _iso_shape(kind, "time", "an ISO 8601 time such as 12:30:00")
        case "datetime.timedelta":
            return Shape({"type": "string", "format": "duration"}, partial(to_timedelta, kind))
        case "uuid.UUID":
            return Shape({"type": "string", "format": "uuid"}, partial(to_parsed, kind, "a UUID"))
        case "decimal.Decimal":
            return Shape(_DECIMAL, partial(to_decimal, kind))
        case _:
            return None


def _iso_shape(kind: Any, form: str, expected: str) -> Shape:
    return Shape({"type": "string", "format": form}, partial(to_parsed, kind.fromisoformat, expected))


def enum_members(kind: type[Enum]) -> list[tuple[Any, Enum]]:
    """JSON value of each enum member: its value, or its name."""
    members = list(kind)
    if all(isinstance(member.value, str | int | float) for member in members):
        # The value may be a member of another Enum.
        return [(each.value.value if isinstance(each.value, Enum) else each.value, each) for each in members]
    return [(member.name, member) for member in members]


def choice_shape(pairs: Sequence[tuple[Any, Any]], is_nullable: bool = False) -> Shape:
    """One of the given JSON values, each with the Python value it stands for."""
    by_type: dict[str, list[Any]] = {}
    for given, _ in pairs:
        by_type.setdefault(_json_type(given), []).append(given)
    schemas: list[Schema] = [{"type": name, "enum": values} for name, values in by_type.items()]
    return Shape(any_of(schemas), partial(to_choice, tuple(pairs)), is_nullable)


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "integer" if isinstance(value, int) else "number"


def union_shape(members: Sequence[Shape]) -> Shape:
    """One of several shapes; null becomes a mark, int with float a number, equal schemas one."""
    is_nullable = any(member.is_nullable or member.schema == NULL for member in members)
    others = [member for member in members if member.schema != NULL]
    if not others:
        return PLAIN[None]
    converts = [member.convert for member in others]
    if to_integer in converts and to_float in converts:
        converts = [to_number if each in (to_integer, to_float) else each for each in converts]
    converts = [each for number, each in enumerate(converts) if each not in converts[:number]]
    convert = converts[0] if len(converts) == 1 else partial(to_either, tuple(converts))
    is_described = len(others) == 1 and others[0].is_described
    return Shape(any_of([member.schema for member in others]), convert, is_nullable, is_described)


def any_of(schemas: Iterable[Schema]) -> Schema:
    """`anyOf` in its simplest form: flat, without repeats, literals of one type as one enum."""
    flat: list[Schema] = []
    for schema in schemas:
        for each in schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]:
            _add_alternative(flat, each)
    if {} in flat:
        return {}
    if {"type": "number"} in flat:
        flat = [each for each in flat if each != {"type": "integer"}]
    return dict(flat[0]) if len(flat) == 1 else {"anyOf": flat}


def _add_alternative(flat: list[Schema], schema: Schema) -> None:
    if schema in flat:
        return
    if schema.keys() == {"type", "enum"}:
        for each in flat:
            if each.keys() == {"type", "enum"} and each["type"] == schema["type"]:
                each["enum"] = list(dict.fromkeys([*each["enum"], *schema["enum"]]))
                return
    flat.append(dict(schema))
