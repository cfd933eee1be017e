"""Finds schema keywords that some provider refuses, and suggests replacements.

The rules are read off refusals of the providers' own interfaces. Gemini refuses every keyword that it does
not know, also those that only describe; on the way there they are dropped.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from oneclaw.core.subschema import children, is_array, is_object

OPENAI, STRICT, ANTHROPIC, GEMINI = "openai", "openai strict", "anthropic", "gemini"
ALL = (OPENAI, STRICT, ANTHROPIC, GEMINI)

TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_UNIONS = frozenset({"anyOf", "oneOf", "allOf"})
_EXCLUSIVE = frozenset({"exclusiveMinimum", "exclusiveMaximum"})
_TYPELESS = _UNIONS | {"$ref", "not", "if"}
_PROPERTY_NAME = r"[a-zA-Z0-9_.-]{1,64}"
_TOOL_NAME = r"[a-zA-Z0-9_-]{1,64}"
_GEMINI_TOOL_NAME = r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}"

_FORMATS: dict[str, frozenset[str]] = {
    GEMINI: frozenset({"date-time", "enum", "int32", "int64", "float", "double"}),
    STRICT: frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
}

_IN_WORDS = "say it in the description; arguments are checked against the whole schema all the same"
_IN_PLACE = "write the schema where it is used"
_FLAT = "one schema with optional properties; say in the description which belong together"
_NAMED_ONLY = "named properties, or an array of objects with a name and a value"
_BOUND = "the bound without `exclusive`: for whole numbers one more or one less"
_KEYWORDS: dict[str, tuple[tuple[str, ...], str]] = {
    "$ref": ((GEMINI,), _IN_PLACE),
    "$defs": ((GEMINI,), _IN_PLACE),
    "definitions": ((GEMINI,), _IN_PLACE),
    "$dynamicRef": (ALL, _IN_PLACE),
    "allOf": ((OPENAI, STRICT, GEMINI), "one schema with the properties of all"),
    "oneOf": ((STRICT, GEMINI), "anyOf, or one schema with optional properties"),
    "not": ((STRICT, GEMINI), _IN_WORDS),
    "if": ((STRICT, GEMINI), _FLAT),
    "then": ((STRICT, GEMINI), _FLAT),
    "else": ((STRICT, GEMINI), _FLAT),
    "const": ((GEMINI,), "an enum with one value"),
    "prefixItems": ((STRICT, GEMINI), "an object with named properties, or items of one type"),
    "additionalItems": ((GEMINI,), "items"),
    "additionalProperties": ((GEMINI,), _NAMED_ONLY),
    "patternProperties": ((STRICT, GEMINI), _NAMED_ONLY),
    "propertyNames": ((STRICT, GEMINI), _NAMED_ONLY),
    "unevaluatedProperties": ((STRICT, GEMINI), _NAMED_ONLY),
    "unevaluatedItems": ((STRICT, GEMINI), _IN_WORDS),
    "dependencies": ((STRICT, GEMINI), _FLAT),
    "dependentRequired": ((STRICT, GEMINI), _FLAT),
    "dependentSchemas": ((STRICT, GEMINI), _FLAT),
    "exclusiveMinimum": ((GEMINI,), _BOUND),
    "exclusiveMaximum": ((GEMINI,), _BOUND),
    "multipleOf": ((GEMINI,), _IN_WORDS),
    "uniqueItems": ((STRICT, GEMINI), _IN_WORDS),
    "contains": ((STRICT, GEMINI), _IN_WORDS),
    "minContains": ((STRICT, GEMINI), _IN_WORDS),
    "maxContains": ((STRICT, GEMINI), _IN_WORDS),
    "minProperties": ((STRICT,), _IN_WORDS),
    "maxProperties": ((STRICT,), _IN_WORDS),
}


_KNOWN_TO_GEMINI = frozenset(
    {
        *("type", "format", "description", "nullable", "enum", "example", "default", "pattern", "items"),
        *("properties", "required", "propertyOrdering", "minimum", "maximum", "minItems", "maxItems"),
        "anyOf",
        *("minLength", "maxLength", "minProperties", "maxProperties"),
    }
)
_FORMS: tuple[tuple[str, type | tuple[type, ...], str], ...] = (
    ("properties", Mapping, "an object with a schema for each name"),
    ("required", (list, tuple), "a list of names, at the object that has them"),
    ("enum", (list, tuple), "a list of values"),
    ("description", str, "text"),
)


class Finding(NamedTuple):
    """One thing some providers refuse: where, which keyword, who refuses it, and what to write instead."""

    path: str
    keyword: str
    providers: tuple[str, ...]
    instead: str

    def __str__(self) -> str:
        refuse = "refuses" if len(self.providers) == 1 else "refuse"
        return (
            f"{self.path}: {', '.join(self.providers)} {refuse} {self.keyword!r} here; write {self.instead}."
        )


def lint(parameters: Mapping[str, Any], name: str = "") -> list[Finding]:
    """Everything in the parameters of a tool that some provider refuses; `name` is looked at if given."""
    findings = list(_lint_name(name)) if name else []
    findings += _lint_root(parameters)
    waiting: list[tuple[str, Mapping[str, Any]]] = [("$", parameters)]
    while waiting:
        path, schema = waiting.pop()
        findings += _lint_schema(path, schema)
        waiting += [(path + step, child) for step, child in children(schema)]
    return sorted(findings)


def _lint_name(name: str) -> Iterator[Finding]:
    instead = "letters, digits, _ and -, starting with a letter, at most 64 characters"
    if not re.fullmatch(_TOOL_NAME, name):
        yield Finding("$", "name", (OPENAI, STRICT, ANTHROPIC), instead)
    if not re.fullmatch(_GEMINI_TOOL_NAME, name):
        yield Finding("$", "name", (GEMINI,), instead)


def _lint_root(schema: Mapping[str, Any]) -> Iterator[Finding]:
    for keyword in ("anyOf", "oneOf", "allOf", "enum", "not"):
        if keyword in schema:
            yield Finding("$", keyword, ALL, _FLAT)
    if schema.get("type") != "object":
        yield Finding("$", "type", ALL, '"type": "object"')
    elif "properties" not in schema:
        yield Finding("$", "properties", (OPENAI, STRICT), '"properties": {}')
    if schema.get("type") == "object" and not schema.get("properties"):
        yield Finding("$", "properties", (GEMINI,), "no parameters at all, or named properties")


def _lint_schema(path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    for keyword in schema.keys() & _KEYWORDS.keys():
        if keyword == "additionalProperties" and schema[keyword] is not False:
            yield Finding(path, keyword, (STRICT, GEMINI), _NAMED_ONLY)
        elif path != "$" or keyword not in _UNIONS | {"not"}:
            yield Finding(path, keyword, *_KEYWORDS[keyword])
    for keyword in schema.keys() - _KEYWORDS.keys() - _KNOWN_TO_GEMINI:
        yield Finding(path, keyword, (GEMINI,), "the schema without it")
    for keyword, form, instead in _FORMS:
        if keyword in schema and not isinstance(schema[keyword], form):
            yield Finding(path, keyword, ALL, instead)
    yield from _lint_type(path, schema)
    yield from _lint_values(path, schema)
    yield from _lint_bounds(path, schema)
    yield from _lint_object(path, schema)
    yield from _lint_members(path, schema)


def _lint_members(path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    for keyword in schema.keys() & {"properties", "patternProperties"}:
        for name, each in schema[keyword].items() if is_object(schema[keyword]) else ():
            if not is_object(each):
                refusing = (OPENAI, STRICT, GEMINI) if isinstance(each, bool) else ALL
                yield Finding(f"{path}.{keyword}.{name}", keyword, refusing, "a schema with a type")


def _lint_type(path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    kind = schema.get("type")
    if is_array(kind) or kind == "null":
        instead = "one type; leave the property out of `required` instead of allowing null"
        yield Finding(path, "type", (GEMINI,), instead)
    elif kind is None:
        if path != "$" and not schema.keys() & _TYPELESS:
            yield Finding(path, "type", (GEMINI,), "a type")
    elif not isinstance(kind, str) or kind not in TYPES:
        yield Finding(path, "type", ALL, f"one of {', '.join(sorted(TYPES))}")
    is_list = kind == "array" or (is_array(kind) and "array" in kind)
    if is_list and not is_object(schema.get("items")):
        refusing = ALL if is_array(schema.get("items")) else (OPENAI, STRICT, GEMINI)
        yield Finding(path, "items", refusing, "items with one schema")


def _lint_values(path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    values = schema.get("enum")
    is_text = schema.get("type") == "string" and all(isinstance(value, str) for value in values or ())
    if path != "$" and is_array(values) and not is_text:
        yield Finding(path, "enum", (GEMINI,), 'text only, with "type": "string"')
    if is_array(values) and not values:
        yield Finding(path, "enum", (OPENAI, STRICT, GEMINI), "at least one value, or no enum")
    is_empty = is_array(values) and "" in values
    if is_empty or (schema.get("format") == "enum" and not is_array(values)):
        yield Finding(path, "enum", (GEMINI,), "values that are not empty, or no enum and no format")
    form = schema.get("format")
    if isinstance(form, str) and (refusing := tuple(who for who in _FORMATS if form not in _FORMATS[who])):
        yield Finding(path, "format", refusing, f"in the description that the form is {form}")


def _lint_bounds(path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    """Exclusive bounds: draft 4 wrote them as booleans, and so do converters where null is allowed beside."""
    for keyword in _EXCLUSIVE & schema.keys():
        if type(schema[keyword]) not in (int, float):
            yield Finding(path, keyword, ALL, "the bound itself, a number: a boolean is draft 4")
        elif _allows_null(schema):
            yield Finding(path, keyword, (ANTHROPIC,), _BOUND)
    for union in ("anyOf", "oneOf"):
        branches = schema.get(union)
        if is_array(branches) and any(is_object(each) and _allows_null(each) for each in branches):
            for number, each in enumerate(branches):
                for keyword in _EXCLUSIVE & each.keys() if is_object(each) else ():
                    yield Finding(f"{path}.{union}[{number}]", keyword, (ANTHROPIC,), _BOUND)


def _allows_null(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "null" or schema.get("nullable") is True or (is_array(kind) and "null" in kind)


def _lint_object(path: str, schema: Mapping[str, Any]) -> Iterator[Finding]:
    kind = schema.get("type")
    properties = schema.get("properties")
    known = list(properties) if is_object(properties) else []
    if kind == "object" and path != "$" and not known:
        yield Finding(path, "properties", (STRICT, GEMINI), _NAMED_ONLY)
    for keyword in ("properties", "required"):
        if keyword in schema and kind is not None and kind != "object":
            yield Finding(path, keyword, (GEMINI,), '"type": "object"')
    for name in known:
        if not re.fullmatch(_PROPERTY_NAME, name):
            instead = "letters, digits, _, . and -, at most 64 characters"
            yield Finding(f"{path}.properties.{name}", "properties", (ANTHROPIC,), instead)
    required = schema.get("required")
    for name in required if is_array(required) else ():
        if name not in known:
            instead = f"{name!r} in `properties`, or not in `required`"
            yield Finding(path, "required", (STRICT, GEMINI), instead)
