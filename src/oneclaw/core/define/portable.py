"""Helpers that write schemas every provider accepts.

    obj({
        "city": string("Where."),
        "unit": optional(string_enum(["celsius", "fahrenheit"]), default="celsius"),
        "days": optional(integer("How many.", minimum=1)),
    })

What a schema written by hand may get wrong, `lint` tells.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from oneclaw.core.subschema import Schema


class OptionalProperty(NamedTuple):
    """A property that may be left out; only `obj` knows what to do with it."""

    schema: Schema


def string(description: str = "", *, min_length: int | None = None, max_length: int | None = None) -> Schema:
    return _schema("string", description, minLength=min_length, maxLength=max_length)


def string_enum(values: Iterable[str], description: str = "") -> Schema:
    """One of a few words, instead of a union of literals."""
    return _schema("string", description, enum=list(values))


def integer(description: str = "", *, minimum: int | None = None, maximum: int | None = None) -> Schema:
    return _schema("integer", description, minimum=minimum, maximum=maximum)


def number(description: str = "", *, minimum: float | None = None, maximum: float | None = None) -> Schema:
    return _schema("number", description, minimum=minimum, maximum=maximum)


def boolean(description: str = "") -> Schema:
    return _schema("boolean", description)


def array(
    items: Mapping[str, Any],
    description: str = "",
    *,
    min_items: int | None = None,
    max_items: int | None = None,
) -> Schema:
    return _schema("array", description, items=dict(items), minItems=min_items, maxItems=max_items)


def optional(schema: Mapping[str, Any], *, default: Any = None) -> OptionalProperty:
    """A property that may be left out, instead of one that may be null."""
    given = {} if default is None else {"default": default}
    return OptionalProperty({**schema, **given})


def obj(properties: Mapping[str, Schema | OptionalProperty], description: str = "") -> Schema:
    """An object; every property is required unless it is `optional`."""
    required = [name for name, each in properties.items() if not isinstance(each, OptionalProperty)]
    schemas = {
        name: each.schema if isinstance(each, OptionalProperty) else each for name, each in properties.items()
    }
    return _schema("object", description, properties=schemas, required=required or None)


def _schema(kind: str, description: str, **keywords: Any) -> Schema:
    schema: Schema = {"type": kind, "description": description or None, **keywords}
    return {keyword: value for keyword, value in schema.items() if value is not None}
