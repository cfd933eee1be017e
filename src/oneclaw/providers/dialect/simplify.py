"""Simplifies a schema for all providers: object root, no `allOf`, `oneOf` or `const`."""

from functools import reduce
from typing import Any

from oneclaw.core.subschema import is_object, rebuild
from oneclaw.providers.dialect.change import Changes, Schema, say
from oneclaw.providers.dialect.merge import conjoin, is_never, join_branches, join_objects, types_of

_UNIONS = ("anyOf", "oneOf")


def simplify_root(schema: Schema, changes: Changes) -> Schema:
    """The parameters of a tool: always one object, with no union beside its properties."""
    fresh = _without_never(simplify(schema, "$", changes), "$", changes)
    for keyword in ("enum", "not"):
        if keyword in fresh:
            changes.drop("$", keyword, "not taken at the root; it is still checked")
            value = fresh.pop(keyword)
            say(fresh, f"one of {len(value)} objects" if keyword == "enum" else "")
    if "anyOf" in fresh:
        branches = fresh.pop("anyOf")
        fresh = join_objects(fresh, branches)
        changes.rewrite("$", "anyOf", "no union is taken at the root; its branches became one object")
    if fresh.get("type") != "object":
        changes.rewrite("$", "type", "the root is an object")
        fresh["type"] = "object"
    if "properties" not in fresh:
        changes.rewrite("$", "properties", "an object says what its properties are, also when there are none")
        fresh["properties"] = {}
    return fresh


def simplify(schema: Schema, path: str, changes: Changes) -> Schema:
    fresh = rebuild(schema, lambda where, each: simplify(dict(each), where, changes), path)
    if "const" in fresh:
        value = fresh.pop("const")
        fresh = conjoin({"enum": [value]}, fresh)
        changes.rewrite(path, "const", "an enum of one value says the same")
    if "allOf" in fresh:
        parts = fresh.pop("allOf")
        fresh = reduce(conjoin, parts, fresh)
        changes.rewrite(path, "allOf", "its parts became one schema")
    for keyword in _UNIONS:
        if keyword in fresh:
            fresh = _plain_union(fresh, keyword, path, changes)
    return {"not": {}} if fresh.get("enum") == [] else fresh


def _plain_union(schema: Schema, keyword: str, path: str, changes: Changes) -> Schema:
    branches: list[Schema] = schema[keyword]
    base = {word: value for word, value in schema.items() if word != keyword}
    if "properties" in base:
        changes.rewrite(path, keyword, "its branches became one object with the properties beside them")
        return join_objects(base, branches)
    fresh = join_branches(base, branches)
    if keyword != "anyOf" or fresh.get("anyOf") != branches:
        told = "enum" if "enum" in fresh else "a type" if "anyOf" not in fresh else "anyOf"
        why = "no provider needs more than anyOf" if told == "anyOf" else f"said plainly as {told}"
        changes.rewrite(path, keyword, why)
    return fresh


def _without_never(schema: Schema, path: str, changes: Changes) -> Schema:
    """Drops impossible schemas from arrays and objects; unions have dropped them already."""
    schema = rebuild(schema, lambda where, each: _without_never(dict(each), where, changes), path)
    properties = schema.get("properties")
    if is_object(properties) and (lost := [name for name, each in properties.items() if is_never(each)]):
        for name in lost:
            changes.drop(
                f"{path}.properties.{name}", "properties", "no value is allowed: it must be left out"
            )
        schema["properties"] = {name: each for name, each in properties.items() if name not in lost}
        if required := [name for name in schema.pop("required", ()) if name not in lost]:
            schema["required"] = required
        say(schema, f"leave out {', '.join(lost)}")
    items: Any = schema.get("items")
    if is_object(items) and is_never(items):
        schema = {word: value for word, value in schema.items() if word != "items"}
        most = len(schema.get("prefixItems", ()))
        schema["maxItems"] = min(most, schema.get("maxItems", most))
        if not most and not types_of(schema):
            schema.pop("maxItems")
    others = schema.get("additionalProperties")
    if is_object(others) and is_never(others):
        schema = {**schema, "additionalProperties": False}
    return schema
