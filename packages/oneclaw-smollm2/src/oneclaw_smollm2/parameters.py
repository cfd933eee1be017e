"""Which parameters of a tool a small model is shown, and what each of them is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from oneclaw import ToolDefinition
from oneclaw.core.subschema import is_array, is_object

Kind = Literal[
    "text", "choice", "number", "integer", "switch", "list", "url", "mail", "path", "folder", "glob"
]

_KNOBS = re.compile(
    r"limit|offset|page|page_size|max_\w+|min_\w+|skip\w*|encoding|timeout\w*|retries|verbose|debug"
)
_PATH = re.compile(r"(?:^|_)(?:path|file|file_?name|file_?path)$")
_FOLDER = re.compile(r"(?:^|_)(?:dir|directory|folder)$")
_ENDS = re.compile(
    r"source|src|destination|dest|dst|target|from|to|old_name|new_name|name|image|photo|picture|video|audio|document"
)
_SIMPLE = {"string", "integer", "number", "boolean"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter a small model is shown; `schema` is resolved, `given` as the tool wrote it."""

    name: str
    kind: Kind
    schema: Mapping[str, Any]
    given: Any
    is_required: bool


def read_parameters(definition: ToolDefinition) -> list[Parameter] | None:
    """The parameters in the order of the schema, required ones first; None if one cannot be filled.

    Left out are optional parameters a small model has no use for: objects, and knobs with a default
    such as a limit or an encoding.
    """
    root = definition.parameters
    members = root.get("properties", {})
    if not is_object(members) or not _is_plain(root):
        return None
    required = [str(name) for name in root.get("required", [])]
    if any(name not in members for name in required):
        return None
    found: list[Parameter] = []
    for name in [*required, *(name for name in members if name not in required)]:
        parameter = _read(name, members[name], definition, name in required)
        if parameter is not None and (parameter.is_required or _is_shown(parameter)):
            found.append(parameter)
        elif name in required:
            return None
    return found


_ROOT = {
    *("type", "properties", "required", "additionalProperties", "title", "description", "$schema", "$defs"),
    *("definitions", "examples", "$id", "$comment"),
}


def _is_plain(root: Mapping[str, Any]) -> bool:
    """Whether a call is valid as soon as each of its arguments is."""
    return set(root) <= _ROOT


def _is_shown(parameter: Parameter) -> bool:
    if parameter.kind in ("choice", "path", "folder", "url"):
        return True
    return "default" not in parameter.schema and not _KNOBS.fullmatch(parameter.name)


def _read(name: str, given: Any, definition: ToolDefinition, is_required: bool) -> Parameter | None:
    schema = _resolve(given, definition.parameters)
    if schema is None:
        return None
    kind = _kind(name, schema, definition)
    return None if kind is None else Parameter(name, kind, schema, given, is_required)


def _resolve(given: Any, root: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any] | None:
    """Follow a reference inside the document, and take the first alternative that is not null."""
    if given is True:
        return {"type": "string"}
    if not is_object(given) or depth > 8:
        return None
    reference = given.get("$ref")
    if isinstance(reference, str):
        node: Any = root
        for part in reference.removeprefix("#/").split("/"):
            node = node.get(part) if is_object(node) else None
        return _resolve(node, root, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        branches = given.get(keyword)
        if is_array(branches):
            usable = [each for each in branches if not (is_object(each) and each.get("type") == "null")]
            first = _resolve(usable[0], root, depth + 1) if usable else None
            return None if first is None else {**given, **first}
    return given


def _kind(name: str, schema: Mapping[str, Any], definition: ToolDefinition) -> Kind | None:
    if "const" in schema or is_array(schema.get("enum")):
        return "choice"
    of_type: Any = schema.get("type", "string")
    if is_array(of_type):
        of_type = next((each for each in of_type if each != "null"), None)
    if of_type == "array":
        items = _resolve(schema.get("items", {"type": "string"}), definition.parameters)
        is_simple = items is not None and items.get("type", "string") in _SIMPLE - {"boolean"}
        return "list" if is_simple else None
    kinds: dict[str, Kind] = {"integer": "integer", "number": "number", "boolean": "switch"}
    if of_type != "string":
        return kinds.get(of_type)
    return _string_kind(name.lower(), schema, definition)


def _string_kind(name: str, schema: Mapping[str, Any], definition: ToolDefinition) -> Kind:
    about = str(schema.get("description", "")).lower()
    tool = f"{definition.name} {definition.description}".lower().replace("_", " ")
    if re.fullmatch(r"(\w+_)?(url|uri|link|endpoint)", name) or schema.get("format") in ("uri", "url"):
        return "url"
    if schema.get("format") == "email" or re.search(r"e?mail$|email_address", name):
        return "mail"
    if name in ("to", "recipient", "cc", "bcc", "address") and "mail" in f"{tool} {about}":
        return "mail"
    if "glob" in name or (name == "pattern" and "glob" in f"{tool} {about}"):
        return "glob"
    if _FOLDER.search(name) or (_PATH.search(name) and re.search(r"folder|directory", about)):
        return "folder"
    if _PATH.search(name) or (_ENDS.fullmatch(name) and re.search(r"\bfiles?\b", f"{tool} {about}")):
        return "path"
    return "text"


def first_sentence(text: str, chars: int = 100) -> str:
    """What a description says first, on one line."""
    line = " ".join(text.split("\n\n")[0].split())
    sentence = re.split(r"(?<=[a-z)\"'])[.!?](?:\s|$)|(?<=\w): ", line, maxsplit=1)[0].rstrip(".")
    if len(sentence) > chars:
        sentence = sentence[:chars].rsplit(" ", 1)[0]
    return sentence


def choices_of(schema: Mapping[str, Any]) -> list[Any]:
    values = [schema["const"]] if "const" in schema else cast("list[Any]", schema.get("enum", []))
    return [each for each in values if isinstance(each, str | int | float | bool)]
