"""A tool's parameters in one short line: `read_file(path: string, offset?: integer)`."""

from collections.abc import Iterable, Mapping
from typing import Any

from oneclaw.core.check.problem import clip, show
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.text.display import visible

SIGNATURE_CHARS = 400


def describe_call(name: str, parameters: Mapping[str, Any]) -> str:
    """The name and every parameter with its type; `?` marks those that may be left out."""
    root = resolve(parameters["$ref"], parameters) if "$ref" in parameters else parameters
    properties: Mapping[str, Any] = root.get("properties", {}) if is_object(root) else {}
    required: Iterable[str] = root.get("required", ()) if is_object(root) else ()
    known = sorted(properties.items(), key=lambda member: member[0] not in required)
    shown = [
        f"{visible(clip(each, 40))}{'' if each in required else '?'}: {describe_type(schema, parameters)}"
        for each, schema in known
    ]
    return clip(f"{name}({', '.join(shown)})", SIGNATURE_CHARS)


def describe_type(schema: Any, root: Mapping[str, Any], depth: int = 4) -> str:
    """A schema as a type: `string`, `integer|null`, `string[]`, `"a"|"b"`."""
    if not is_object(schema) or depth == 0:
        return "any"
    if "$ref" in schema:
        return describe_type(resolve(schema["$ref"], root), root, depth - 1)
    if "enum" in schema:
        return _unite(map(show, schema["enum"]))
    if "const" in schema:
        return show(schema["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return _unite(describe_type(each, root, depth - 1) for each in schema[keyword])
    kind = schema.get("type")
    kinds = kind if is_array(kind) else [kind]
    return _unite(_describe_kind(each, schema, root, depth) for each in kinds)


def _describe_kind(kind: Any, node: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    if kind == "array" and "items" in node:
        inner = describe_type(node["items"], root, depth - 1)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in node else "any"


def _unite(types: Iterable[str]) -> str:
    united = list(dict.fromkeys(types))
    return "|".join(united[:8]) + ("|…" if len(united) > 8 else "")


def resolve(reference: str, root: Mapping[str, Any]) -> Any:
    """What a `#/…` reference in a document points at, or None."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    node: Any = root
    for step in reference[2:].split("/") if len(reference) > 2 else ():
        step = step.replace("~1", "/").replace("~0", "~")
        if is_object(node) and step in node:
            node = node[step]
        elif is_array(node) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            return None
    return node
