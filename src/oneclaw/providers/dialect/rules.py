"""Schema rules of each provider, as data."""

from dataclasses import dataclass
from typing import Literal

_ALWAYS = frozenset({"type", "description", "title", "enum", "properties", "required", "items", "anyOf"})
_NUMBERS = frozenset({"minimum", "maximum"})
_BEYOND = frozenset({"exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_ITEMS = frozenset({"minItems", "maxItems"})
_TEXT = frozenset({"minLength", "maxLength", "pattern"})
_WHOLE = frozenset(
    {
        *("prefixItems", "additionalProperties", "patternProperties", "propertyNames", "dependentRequired"),
        *("contains", "minContains", "uniqueItems", "minProperties", "maxProperties", "format", "default"),
        *("examples", "deprecated", "contentEncoding", "contentMediaType"),
    }
)
_GEMINI_FORMATS = {
    "string": frozenset({"date-time"}),
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}
_STRICT_FORMATS = {
    "string": frozenset(
        {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
    )
}
_OUTPUT_FORMATS = {"string": _STRICT_FORMATS["string"] | {"uri"}}
_SCALARS = frozenset({"string", "integer", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class DialectRules:
    """Schema keywords that a dialect accepts.

    keywords    what is taken; the rest is put into words
    formats     the values of `format` that are taken, by type; None takes all
    has_lists   `type` may be a list, and may be missing
    null        how null is allowed beside a type: in the list of types, as a branch, or by `nullable`
    enums       the types an `enum` may be of; None: of any
    is_defined  what is required must be among the properties, and an object without properties is left out
    is_upper    types are written in capitals, and a union stands alone
    """

    keywords: frozenset[str]
    formats: dict[str, frozenset[str]] | None = None
    has_lists: bool = False
    null: Literal["type", "anyOf", "nullable"] = "type"
    enums: frozenset[str] | None = None
    is_typed: bool = False
    is_defined: bool = False
    is_upper: bool = False


RULES = {
    "openai": DialectRules(_ALWAYS | _NUMBERS | _BEYOND | _ITEMS | _TEXT | _WHOLE, has_lists=True),
    "openai_strict": DialectRules(
        _ALWAYS | _NUMBERS | _BEYOND | _ITEMS | {"pattern", "format", "additionalProperties"},
        formats=_STRICT_FORMATS,
        enums=_SCALARS,
        is_defined=True,
    ),
    "anthropic": DialectRules(_ALWAYS | _NUMBERS | _BEYOND | _ITEMS | _TEXT | _WHOLE, has_lists=True),
    "gemini": DialectRules(
        (_ALWAYS - {"title"}) | _NUMBERS | _ITEMS | {"format", "prefixItems", "additionalProperties"},
        formats=_GEMINI_FORMATS,
        null="anyOf",
        enums=frozenset({"string", "integer", "number"}),
        is_typed=True,
        is_defined=True,
    ),
    "gemini_parameters": DialectRules(
        (_ALWAYS - {"title"})
        | _NUMBERS
        | _ITEMS
        | _TEXT
        | {"minProperties", "maxProperties", "format", "default"},
        formats=_GEMINI_FORMATS,
        null="nullable",
        enums=frozenset({"string"}),
        is_typed=True,
        is_defined=True,
        is_upper=True,
    ),
}
"""By the name of the dialect. Gemini takes JSON Schema in one field and a form of its own in an older one."""

OUTPUT_RULES = {
    "anthropic_output": DialectRules(
        _ALWAYS | {"format", "additionalProperties"},
        formats=_OUTPUT_FORMATS,
        null="anyOf",
        enums=_SCALARS,
        is_defined=True,
    )
}
"""Dialects for answers alone: Anthropic takes less in the schema of an answer than in that of a tool."""

_STRINGS = ("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType")
_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_ARRAYS = ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains")
_OBJECTS = (
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    *("dependentRequired", "minProperties", "maxProperties"),
)
SPEAKS_OF = {
    **dict.fromkeys(_STRINGS, frozenset({"string"})),
    **dict.fromkeys(_NUMERIC, frozenset({"integer", "number"})),
    **dict.fromkeys((*_ARRAYS, "maxContains"), frozenset({"array"})),
    **dict.fromkeys(_OBJECTS, frozenset({"object"})),
}
"""The types a keyword says something of; the others speak of all."""
