"""Merges schemas: intersection and union.

What cannot be said in one schema is left out: the outcome takes more, never less.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.dialect.change import SAID, Schema, say

NOTES = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", SAID}
)
"""Keywords that allow and forbid nothing."""

_HIGHEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_LOWEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_UNSAID = "more is checked when it is called"


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types a schema names; none where any is allowed."""
    kind = schema.get("type")
    return [kind] if isinstance(kind, str) else list(kind) if is_array(kind) else []


def with_types(schema: Schema, kinds: Sequence[str]) -> Schema:
    fresh = {keyword: value for keyword, value in schema.items() if keyword != "type"}
    return {"type": kinds[0] if len(kinds) == 1 else list(kinds), **fresh} if kinds else fresh


def is_open(schema: Mapping[str, Any]) -> bool:
    """Whether any value fits."""
    return schema.keys() <= NOTES


def is_never(schema: Mapping[str, Any]) -> bool:
    return "not" in schema


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 is not true, though Python holds them equal."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def unique(values: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    seen: set[tuple[bool, Any]] = set()
    for value in values:
        if isinstance(value, dict | list):
            if not any(same(value, each) for each in kept):
                kept.append(value)
        elif (key := (isinstance(value, bool), value)) not in seen:
            seen.add(key)
            kept.append(value)
    return kept


# Both


def conjoin(one: Schema, other: Schema) -> Schema:
    """Intersection of two schemas; the first one's description wins."""
    fresh = {**other, **one}
    for keyword in one.keys() & other.keys():
        if not same(one[keyword], other[keyword]) and keyword not in NOTES:
            _agree(fresh, keyword, one[keyword], other[keyword])
    say(fresh, *one.get(SAID, ()), *other.get(SAID, ()))
    kinds = _common_types(types_of(one), types_of(other))
    return with_types(fresh, kinds)


def _common_types(one: list[str], other: list[str]) -> list[str]:
    if not one or not other:
        return one or other
    narrow = [kind for kind in one if kind in other or (kind == "integer" and "number" in other)]
    narrow += [kind for kind in other if kind == "integer" and "number" in one and kind not in narrow]
    return narrow or one


def _agree(fresh: Schema, keyword: str, one: Any, other: Any) -> None:
    if keyword in _HIGHEST:
        fresh[keyword] = max(one, other)
    elif keyword in _LOWEST:
        fresh[keyword] = min(one, other)
    elif keyword == "required":
        fresh[keyword] = unique([*one, *other])
    elif keyword == "enum":
        fresh[keyword] = [each for each in one if any(same(each, value) for value in other)] or one
    elif keyword in ("properties", "patternProperties"):
        fresh[keyword] = {
            **one,
            **{name: conjoin(one[name], each) if name in one else each for name, each in other.items()},
        }
    elif keyword in ("additionalProperties", "items", "propertyNames"):
        if is_object(one) and is_object(other):
            fresh[keyword] = conjoin(dict(one), dict(other))
        else:
            fresh[keyword] = False if one is False or other is False else one if is_object(one) else other
    elif keyword != "type":
        say(fresh, f"also matches {other}" if keyword == "pattern" else _UNSAID)


# Either


def join_objects(base: Schema, branches: Sequence[Schema]) -> Schema:
    """One object that takes what any branch takes beside what the base says.

    A property of one branch keeps its schema though another branch, silent about it, would take any value:
    a model is told what the author wrote.
    """
    objects = [each for each in branches if not is_never(each) and "object" in (types_of(each) or ["object"])]
    if not objects:
        return base
    fresh = dict(base)
    properties: dict[str, list[Schema]] = {}
    for branch in objects:
        for name, each in branch.get("properties", {}).items():
            properties.setdefault(name, []).append(each)
    for branch in objects:
        # A name one branch lists may fit a pattern of another: what that one says of it is taken too.
        patterns: list[Schema] = list(branch.get("patternProperties", {}).values())
        for name in properties.keys() - branch.get("properties", {}).keys():
            properties[name] += patterns
    joined = {name: join(found) for name, found in properties.items()}
    own: Mapping[str, Schema] = base.get("properties", {})
    if joined or own:
        extra = {name: conjoin(own[name], each) if name in own else each for name, each in joined.items()}
        fresh["properties"] = {**own, **extra}
    first: Sequence[str] = objects[0].get("required", ())
    by_all = [name for name in first if all(name in each.get("required", ()) for each in objects)]
    if required := [*base.get("required", ()), *by_all]:
        fresh["required"] = unique(required)
    if all(each.get("additionalProperties") is False for each in objects):
        fresh.setdefault("additionalProperties", False)
    say(fresh, _variants(objects, fresh.get("required", ())), *(w for b in objects for w in b.get(SAID, ())))
    if "description" not in fresh and (
        texts := unique(b["description"] for b in objects if "description" in b)
    ):
        fresh["description"] = " / ".join(map(str, texts))
    return fresh


def _variants(objects: Sequence[Schema], required: Sequence[str]) -> str:
    """The choices in words: `one of: title; hours, minutes` or `one of: kind "mail", to; kind "call"`."""
    sets: list[str] = []
    for each in objects:
        properties: Mapping[str, Schema] = each.get("properties", {})
        names = [name for name in each.get("required", ()) if name not in required]
        names = names or [name for name in properties if name not in required]
        told = [name for name in properties if len(properties[name].get("enum", ())) == 1]
        words = [f"{name} {json.dumps(properties[name]['enum'][0], ensure_ascii=False)}" for name in told]
        sets.append(", ".join([*words, *(name for name in names if name not in told)]))
    choices = unique(text for text in sets if text)
    text = "; ".join(choices)
    return f"one of: {text}" if len(choices) > 1 and len(text) <= 300 else ""


def join(schemas: Sequence[Schema]) -> Schema:
    """A schema that takes what any of these takes."""
    different: list[Schema] = unique(schemas)
    if len(different) == 1:
        return different[0]
    return join_branches({}, different)


def join_branches(base: Schema, branches: Sequence[Schema]) -> Schema:
    """A union beside what holds for all of it, in its plainest form: an enum, a type, or `anyOf`."""
    spliced = (each["anyOf"] if each.keys() == {"anyOf"} else [each] for each in branches)
    flat = unique(each for branch in spliced for each in branch if not is_never(each))
    if not flat:
        return {**base, "not": {}}
    if any(is_open(each) for each in flat):
        return base
    if all(_is_literal(each) for each in flat):
        return conjoin(base, _literals(flat))
    nulls = [each for each in flat if types_of(each) == ["null"]]
    others = [each for each in flat if types_of(each) != ["null"]]
    if len(others) == 1 and (not nulls or types_of(others[0])):
        only = others[0]
        if nulls:
            only = with_types(only, unique([*types_of(only), "null"]))
            only |= {"enum": unique([*only["enum"], None])} if "enum" in only else {}
        return conjoin(base, only)
    if all(each.keys() <= {"type"} for each in flat):
        return conjoin(base, with_types({}, unique(kind for each in flat for kind in types_of(each))))
    if "anyOf" in base:
        fresh = dict(base)
        say(fresh, _UNSAID)
        return fresh
    return {**base, "anyOf": flat}


def _is_literal(schema: Schema) -> bool:
    return (schema.keys() <= NOTES | {"type", "enum"}) and ("enum" in schema or types_of(schema) == ["null"])


def _literals(branches: Sequence[Schema]) -> Schema:
    values = [value for each in branches for value in each.get("enum", [None])]
    fresh: Schema = {"enum": unique(values)}
    for each in branches:
        text = each.get("description")
        if isinstance(text, str) and len(each.get("enum", ())) == 1:
            say(fresh, f"{each['enum'][0]}: {text}")
        say(fresh, *each.get(SAID, ()))
    kinds = [types_of(each) for each in branches]
    return with_types(fresh, unique(kind for each in kinds for kind in each) if all(kinds) else [])
