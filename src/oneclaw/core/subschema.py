"""Locates the subschemas of a schema.

A property may be named `items` and a default may look like a schema; only these places hold schemas.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

Schema = dict[str, Any]
ChangeSchema = Callable[[str, Mapping[str, Any]], Any]

ONE = frozenset(
    {
        *("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems"),
    }
)
MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def object_of(value: object) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if is_object(value) else {}


def list_of(value: object) -> Sequence[Any]:
    """The value where it is an array, else an empty one."""
    return value if is_array(value) else ()


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """The objects in an array; none where the value is no array."""
    return [each for each in list_of(value) if is_object(each)]


def text_of(value: object) -> str:
    """The value where it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def is_array(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, list | tuple)


def is_object_type(kind: object) -> bool:
    """Whether a `type` is `object`, or `object` and `null`: the arguments of a call are never null."""
    return kind == "object" or (is_array(kind) and set(kind) == {"object", "null"})


def children(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each schema directly inside `schema`, with the path that leads to it, as `.properties.city`."""
    for keyword, value in schema.items():
        if keyword in ONE and is_object(value):
            yield f".{keyword}", value
        elif keyword in MANY and is_array(value):
            for number, each in enumerate(value):
                if is_object(each):
                    yield f".{keyword}[{number}]", each
        elif keyword in NAMED and is_object(value):
            for name, each in value.items():
                if is_object(each):
                    yield f".{keyword}.{name}", each


def rebuild(schema: Mapping[str, Any], change: ChangeSchema, path: str = "$") -> dict[str, Any]:
    """A copy of `schema` with each schema directly inside it changed; `change` is given its path too."""
    fresh = dict(schema)
    for keyword, value in schema.items():
        where = f"{path}.{keyword}"
        if keyword in ONE:
            fresh[keyword] = _changed(change, where, value)
        elif keyword in MANY and is_array(value):
            fresh[keyword] = [_changed(change, f"{where}[{n}]", each) for n, each in enumerate(value)]
        elif keyword in NAMED and is_object(value):
            fresh[keyword] = {n: _changed(change, f"{where}.{n}", each) for n, each in value.items()}
    return fresh


def _changed(change: ChangeSchema, path: str, value: Any) -> Any:
    return change(path, value) if is_object(value) else value
