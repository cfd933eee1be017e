"""Describes dropped keywords in words: `(1 to 5; matches ^[a-z]+$)`."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.dialect.merge import types_of
from oneclaw.providers.dialect.resolve import spell

_CHARS = 200
_RANGES = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
    ("minProperties", "maxProperties", " properties"),
    ("minContains", "maxContains", " of the items it must contain"),
)
_PHRASES = {
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "pattern": "matches {}",
    "format": "format {}",
    "contentEncoding": "encoded as {}",
    "contentMediaType": "of type {}",
}


def describe(schema: Mapping[str, Any], lost: Collection[str]) -> list[str]:
    """Describes the lost keywords of a schema, each in a few words."""
    return [text for text in _phrases(schema, lost) if text]


def _phrases(schema: Mapping[str, Any], lost: Collection[str]) -> Iterator[str]:
    for low, high, what in _RANGES:
        if low in lost or high in lost:
            yield _range(schema.get(low), schema.get(high), what)
    for keyword, phrase in _PHRASES.items():
        if keyword in lost and len(value := str(schema[keyword])) <= _CHARS:
            yield phrase.format(value)
    if "enum" in lost:
        yield _choice(schema["enum"])
    if "default" in lost and schema["default"] is not None and (text := spell(schema["default"])):
        yield f"default {text}"
    if schema.get("uniqueItems") is True and "uniqueItems" in lost:
        yield "no item twice"
    if schema.get("deprecated") is True and "deprecated" in lost:
        yield "deprecated"
    yield from _of_objects(schema, lost)
    if "prefixItems" in lost:
        yield f"in order: {', '.join(kind(each) for each in schema['prefixItems'][:10])}"
    if "contains" in lost and is_object(schema["contains"]):
        yield f"contains {kind(schema['contains'])}"


def _of_objects(schema: Mapping[str, Any], lost: Collection[str]) -> Iterator[str]:
    others = schema.get("additionalProperties")
    if "additionalProperties" in lost and is_object(others):
        yield f"further names hold {kind(others)}"
    if "patternProperties" in lost:
        for pattern, each in list(schema["patternProperties"].items())[:5]:
            yield f"names that match {pattern[:_CHARS]} hold {kind(each)}"
    names = schema.get("propertyNames")
    if "propertyNames" in lost and is_object(names) and (said := describe(names, names.keys() - {"type"})):
        yield f"names: {', '.join(said)}"
    needs = schema.get("dependentRequired")
    if "dependentRequired" in lost and is_object(needs):
        for name, others in list(needs.items())[:10]:
            if is_array(others) and others:
                yield f"{name} needs {', '.join(map(str, others))}"[:_CHARS]


def _range(low: Any, high: Any, what: str) -> str:
    if low is not None and high is not None:
        return f"{low}{what}" if low == high and what else f"{low} to {high}{what}"
    if low is not None:
        return f"at least {low}{what}"
    return f"at most {high}{what}" if high is not None else ""


def _choice(values: Any) -> str:
    shown = [spell(value) for value in values[:20]]
    more = ", …" if len(values) > 20 else ""
    return f"one of {', '.join(text for text in shown if text)}{more}" if any(shown) else ""


def kind(schema: Any) -> str:
    """A schema in one or two words."""
    if not is_object(schema):
        return "any value"
    if is_array(values := schema.get("enum")) and (text := _choice(values)) and len(text) <= _CHARS:
        return text
    if is_array(branches := schema.get("anyOf")):
        return " or ".join(dict.fromkeys(kind(each) for each in branches))[:_CHARS]
    return " or ".join(types_of(schema)) or "any value"
