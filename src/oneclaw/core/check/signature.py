"""One-line signature of a tool: `read_file(path: string, offset?: integer)`."""

from collections.abc import Iterable, Mapping
from typing import Any

from oneclaw.core.check.problem import clip, show
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.text.display import visible

SIGNATURE_CHARS = 400
FORMS = 5
Form = tuple[dict[str, Any], tuple[str, ...]]
"""The parameters of one form of a call, and those of them that are required."""


def describe_call(name: str, parameters: Mapping[str, Any]) -> str:
    """The name and every parameter with its type; `?` marks those that may be left out.

    Of a schema that has several forms each is shown: `send(kind: "mail", address: string) or send(…)`.
    """
    calls = (f"{name}({_describe_form(form, parameters)})" for form in _forms(parameters, parameters)[:FORMS])
    shown = list(dict.fromkeys(calls))
    return clip(" or ".join(shown), SIGNATURE_CHARS * min(len(shown), 2))


def _describe_form(form: Form, root: Mapping[str, Any]) -> str:
    properties, required = form
    known = [member for member in properties.items() if member[0] in required]
    known += [
        member for member in properties.items() if member[0] not in required and not _is_never(member[1])
    ]
    return ", ".join(
        f"{visible(clip(each, 40))}{'' if each in required else '?'}: {describe_type(schema, root)}"
        for each, schema in known
    )


def _is_never(schema: Any) -> bool:
    """Whether no value fits: such a parameter may not be given."""
    return schema is False or (is_object(schema) and schema.get("enum") == [])


def _forms(schema: Any, root: Mapping[str, Any], depth: int = 4) -> list[Form]:
    """The forms an object may have: one for each alternative of a union, and for each half of `if`."""
    if not is_object(schema) or depth == 0:
        return [({}, ())]
    if "$ref" in schema:
        return _forms(resolve(schema["$ref"], root), root, depth - 1)
    forms: list[Form] = [(dict(schema.get("properties", {})), tuple(schema.get("required", ())))]
    parts = [[each] for each in schema.get("allOf", ())]
    parts += [list(schema[keyword]) for keyword in ("anyOf", "oneOf") if keyword in schema]
    for alternatives in parts:
        found = [form for each in alternatives[:FORMS] for form in _forms(each, root, depth - 1)]
        forms = [_both(form, other) for form in forms for other in found][:FORMS] or forms
    if "if" in schema and ("then" in schema or "else" in schema):
        chosen = _both(_forms(schema["if"], root, 1)[0], _forms(schema.get("then"), root, depth - 1)[0])
        halves = [chosen, _forms(schema.get("else"), root, depth - 1)[0]]
        forms = [_both(form, half) for form in forms for half in halves][:FORMS]
    return forms


def _both(one: Form, other: Form) -> Form:
    """One form that has the parameters of both; what is said second is said more closely."""
    merged = dict(one[0])
    for name, each in other[0].items():
        known = merged.get(name)
        merged[name] = {**known, **each} if is_object(known) and is_object(each) else each
    return merged, (*one[1], *other[1])


def describe_type(schema: Any, root: Mapping[str, Any], depth: int = 4) -> str:
    """A schema as a type: `string`, `integer|null`, `string[]`, `"a"|"b"`."""
    if _is_never(schema):
        return "never"
    if not is_object(schema) or depth == 0:
        return "any"
    if "$ref" in schema:
        return describe_type(resolve(schema["$ref"], root), root, depth - 1)
    if "const" in schema:
        return show(schema["const"])
    if "enum" in schema:
        return _unite(map(show, schema["enum"]))
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
    """Resolves a `#/…` reference in a document, or None."""
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
