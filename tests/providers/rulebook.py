"""What each provider takes, written down a second time from its refusals: nothing here is the product's."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

Schema = Mapping[str, Any]

JSON_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
GEMINI_KEYS = {
    *("type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems"),
    *("properties", "required", "minProperties", "maxProperties", "minLength", "maxLength"),
    *("pattern", "example", "anyOf", "propertyOrdering", "default", "items", "minimum"),
    *("maximum",),
}
GEMINI_JSON_KEYS = {
    *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum"),
    *("items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"),
    *("properties", "additionalProperties", "required", "propertyOrdering"),
}
STRICT_KEYS = {
    *("type", "description", "title", "enum", "properties", "required", "additionalProperties"),
    *("items", "anyOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "pattern", "format", "minItems", "maxItems"),
}
ROOT_UNIONS = {"anyOf", "oneOf", "allOf", "enum", "not", "$ref"}


def is_map(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def nodes(schema: Any, path: str = "$") -> Iterator[tuple[str, Schema]]:
    """Each schema and its path; a default or an enum holds none, and a property may have any name."""
    if not is_map(schema):
        yield path, {"not a schema": schema}
        return
    node = schema
    yield path, node
    for key in ("items", "additionalProperties", "contains", "propertyNames"):
        if key in node and not isinstance(node[key], bool):
            yield from nodes(node[key], f"{path}.{key}")
    for key in ("anyOf", "prefixItems"):
        for number, each in enumerate(node.get(key, ())):
            yield from nodes(each, f"{path}.{key}[{number}]")
    for key in ("properties", "patternProperties"):
        for name, each in node.get(key, {}).items():
            yield from nodes(each, f"{path}.{key}.{name}")


def broken(schema: Schema | None, dialect: str) -> list[str]:
    """Every rule of a provider that a schema breaks."""
    checks = {
        "openai": openai,
        "openai_strict": openai_strict,
        "anthropic": anthropic,
        "gemini": gemini,
        "gemini_parameters": gemini_parameters,
    }
    if schema is None:
        return [] if dialect.startswith("gemini") else ["$: no parameters"]
    return list(checks[dialect](schema))


def openai(schema: Schema) -> Iterator[str]:
    yield from root(schema)
    for path, node in nodes(schema):
        yield from well_formed(path, node)
        yield from (f"{path}: {key}" for key in ("allOf", "oneOf", "$ref", "const", "$defs") if key in node)
        if "array" in type_list(node) and not isinstance(node.get("items"), Mapping):
            yield f"{path}: array without items"


def anthropic(schema: Schema) -> Iterator[str]:
    yield from openai(schema)
    for path, node in nodes(schema):
        for name in [*node.get("properties", {}), *node.get("required", ())]:
            if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) and name in node.get("properties", {}):
                yield f"{path}: property {name!r}"


def openai_strict(schema: Schema) -> Iterator[str]:
    yield from openai(schema)
    for path, node in nodes(schema):
        yield from (f"{path}: {key}" for key in node if key not in STRICT_KEYS)
        if "anyOf" not in node and not type_list(node):
            yield f"{path}: no type"
        if "object" in type_list(node):
            if node.get("additionalProperties") is not False:
                yield f"{path}: not closed"
            if sorted(node.get("required", ())) != sorted(node["properties"]):
                yield f"{path}: not all required"


def gemini(schema: Schema) -> Iterator[str]:
    yield from root(schema)
    for path, node in nodes(schema):
        yield from well_formed(path, node)
        yield from (f"{path}: {key}" for key in node if key not in GEMINI_JSON_KEYS)
        yield from gemini_shape(path, node)
        for value in node.get("enum", ()):
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                yield f"{path}: enum value {value!r}"


def gemini_parameters(schema: Schema) -> Iterator[str]:
    if not schema.get("properties"):
        yield "$: an OBJECT without properties is left out"
    if schema.get("type") != "OBJECT":
        yield "$: not an OBJECT"
    for path, node in nodes(schema):
        yield from (f"{path}: {key}" for key in node if key not in GEMINI_KEYS)
        yield from gemini_shape(path, node)
        if "anyOf" in node and len(node) > 1:
            yield f"{path}: anyOf is not alone"
        kind = str(node.get("type", "STRING"))
        if kind not in {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}:
            yield f"{path}: type {kind!r}"
        if "enum" in node:
            if kind != "STRING" or not node["enum"]:
                yield f"{path}: enum on {kind}"
            yield from (f"{path}: enum {each!r}" for each in node["enum"] if not isinstance(each, str))


def gemini_shape(path: str, node: Schema) -> Iterator[str]:
    kind = node.get("type")
    if "anyOf" not in node and not (isinstance(kind, str) and kind):
        yield f"{path}: type {kind!r}"
    if "anyOf" in node and kind is not None:
        yield f"{path}: anyOf beside a type"
    lower = str(kind).lower()
    if lower == "array" and not isinstance(node.get("items"), Mapping):
        yield f"{path}: array without items"
    for key in ("properties", "required"):
        if key in node and lower != "object":
            yield f"{path}: {key} on {kind}"
    for name in node.get("required", ()):
        if name not in node.get("properties", {}):
            yield f"{path}: required {name!r} is not defined"
    if "format" in node and node["format"] not in {"date-time", "int32", "int64", "float", "double"}:
        yield f"{path}: format {node['format']!r}"


def root(schema: Schema) -> Iterator[str]:
    if schema.get("type") != "object":
        yield f"$: type {schema.get('type')!r}"
    if not isinstance(schema.get("properties"), Mapping):
        yield "$: no properties"
    yield from (f"$: {key} at the root" for key in ROOT_UNIONS if key in schema)


def well_formed(path: str, node: Schema) -> Iterator[str]:
    for kind in type_list(node):
        if kind not in JSON_TYPES:
            yield f"{path}: type {kind!r}"
    if "enum" in node and not node["enum"]:
        yield f"{path}: empty enum"
    for key in ("exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(node.get(key), bool):
            yield f"{path}: {key} of draft 4"


def type_list(node: Schema) -> list[Any]:
    kind = node.get("type")
    return [] if kind is None else kind if is_list(kind) else [kind]


def as_json_schema(schema: Any) -> Any:
    """What Gemini's own form means, as JSON Schema, so that values can be held against it."""
    if not is_map(schema):
        return schema
    node = schema
    fresh = {key: value for key, value in node.items() if key not in ("nullable", "format", "default")}
    if "type" in node:
        kind = node["type"].lower()
        fresh["type"] = [kind, "null"] if node.get("nullable") else kind
    if "enum" in node and node.get("nullable"):
        fresh["enum"] = [*node["enum"], None]
    if "properties" in node:
        fresh["properties"] = {name: as_json_schema(each) for name, each in node["properties"].items()}
    if "items" in node:
        fresh["items"] = as_json_schema(node["items"])
    if "anyOf" in node:
        fresh["anyOf"] = [as_json_schema(each) for each in node["anyOf"]]
    return fresh


def with_nulls(schema: Schema, value: Any) -> Any:
    """A value as strict mode has it written: what is left out is null."""
    if "anyOf" in schema:
        for each in schema["anyOf"]:
            if _could_be(each, value):
                return with_nulls(each, value)
        return value
    if is_map(value) and "properties" in schema:
        properties: Mapping[str, Schema] = schema["properties"]
        full = {name: with_nulls(each, value[name]) for name, each in properties.items() if name in value}
        return {**{name: None for name in properties if name not in value}, **full}
    if is_list(value) and "items" in schema:
        return [with_nulls(schema["items"], each) for each in value]
    return value


def _could_be(schema: Schema, value: Any) -> bool:
    if is_map(value):
        return "object" in type_list(schema) and value.keys() <= schema["properties"].keys()
    if is_list(value):
        return "array" in type_list(schema)
    return not {"object", "array"} & set(type_list(schema))
