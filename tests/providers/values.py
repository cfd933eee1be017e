"""Values that a schema may take, guessed from what it says; whoever asks holds them against the schema."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from tests.providers.rulebook import is_list, is_map

Schema = Mapping[str, Any]

_BY_TYPE: dict[str, list[Any]] = {
    "string": ["", "a", "abc", "some longer text", "2024-01-31", "a@b.cd", "x" * 40],
    "integer": [0, 1, 2, 5, 10, -3, 100, 4096],
    "number": [0, 1, 0.5, 2.5, -3.25, 10, 11, 1000],
    "boolean": [True, False],
    "null": [None],
}


def values_of(schema: Any, root: Schema, depth: int = 0) -> list[Any]:
    return list(islice(_values(schema, root, depth), 12))


def _values(schema: Any, root: Schema, depth: int) -> Iterator[Any]:
    if schema is True or depth > 5:
        yield from (1, "a", None)
        return
    if not is_map(schema):
        return
    node = schema
    if isinstance(reference := node.get("$ref"), str):
        yield from _values(_lookup(reference, root), root, depth + 1)
    if "const" in node:
        yield node["const"]
    yield from node.get("enum", ())
    for key in ("anyOf", "oneOf", "allOf"):
        for each in node.get(key, ()):
            merged = {**node, **each} if key != "allOf" else each
            merged = {word: value for word, value in merged.items() if word != key or word in each}
            yield from values_of(merged, root, depth + 1)[:4]
    kinds = node.get("type", list(_BY_TYPE) if not {"properties", "items"} & node.keys() else ["object"])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        yield from _of_type(kind, node, root, depth)


def _of_type(kind: str, node: Schema, root: Schema, depth: int) -> Iterator[Any]:
    if kind == "object":
        yield from _objects(node, root, depth)
    elif kind == "array":
        yield from _arrays(node, root, depth)
    else:
        for key, step in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0), ("exclusiveMaximum", -1)):
            if kind in ("integer", "number") and isinstance(node.get(key), int | float):
                yield node[key] + step
        yield from _BY_TYPE.get(kind, [])


def _objects(node: Schema, root: Schema, depth: int) -> Iterator[Any]:
    properties: Mapping[str, Any] = node.get("properties", {})
    choices = {name: values_of(each, root, depth + 1) for name, each in properties.items()}
    choices = {name: found for name, found in choices.items() if found}
    required = [name for name in node.get("required", ()) if isinstance(name, str)]
    yield {name: choices.get(name, [1])[0] for name in required}
    for turn in range(8):
        yield {name: found[turn % len(found)] for name, found in choices.items()}
    for turn in range(3):
        yield {n: f[turn % len(f)] for n, f in choices.items() if n in required}


def _arrays(node: Schema, root: Schema, depth: int) -> Iterator[Any]:
    prefix = [values_of(each, root, depth + 1) for each in node.get("prefixItems", ())]
    if prefix and all(prefix):
        yield [found[0] for found in prefix]
        yield [found[-1] for found in prefix]
        return
    items = values_of(node.get("items", True), root, depth + 1)
    yield []
    for count in (1, 2, 3, int(node.get("minItems", 1))):
        if count <= 50:
            yield (items * count)[:count]


def _lookup(reference: str, root: Schema) -> Any:
    place: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        if step:
            place = place[int(step)] if is_list(place) else place.get(step, {})
    return place
