"""Generates TypeScript declarations of tools for code mode.

What comes from a tool (names, descriptions, values) is foreign text: it stands in comments to the end of one
line, in string literals, or not at all, so that no text of a tool reads as a declaration.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from oneclaw.core.check.signature import describe_call, resolve
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.tool import ToolDefinition

DEEPEST = 10
MOST_VALUES = 30
ABOUT_CHARS = 1_500
NOTE_CHARS = 300
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_KINDS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_GIVES = ("properties", "patternProperties", "additionalProperties", "anyOf", "oneOf", "allOf")
"""The words by which a schema has something to be given."""
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "format": "format {}",
    "pattern": "pattern {}",
}


def summarise(definition: ToolDefinition) -> str:
    """The tool on one line: what it is given, and the first line of what it says of itself."""
    about = one_line(definition.description.strip().split("\n")[0], NOTE_CHARS)
    given = describe_call("", definition.parameters)[1:].removesuffix(")")
    return f"{definition.name}({f'{{{given}}}' if given else ''})" + (f"  // {about}" if about else "")


def declare(definitions: Iterable[ToolDefinition]) -> str:
    """The tools as one declaration of `tools`, after the types they name."""
    types = _Types()
    lines = [line for definition in definitions for line in _method(definition, types)]
    return "\n".join([*types.declared, "declare const tools: {", *(f"  {line}" for line in lines), "};"])


def _method(definition: ToolDefinition, types: "_Types") -> list[str]:
    about = definition.description.strip()[:ABOUT_CHARS].splitlines()
    comment = [f"// {one_line(line, ABOUT_CHARS)}".rstrip() for line in about]
    result = "any"
    if definition.output is not None:
        result = _Names(types, f"{definition.name}_result", definition.output).type_of(definition.output)
    return [*comment, *f"{definition.name}({_argument(definition, types)}): Promise<{result}>;".split("\n")]


def _argument(definition: ToolDefinition, types: "_Types") -> str:
    parameters = definition.parameters
    root = resolve(parameters["$ref"], parameters) if "$ref" in parameters else parameters
    if is_object(root) and not any(root.get(word) for word in _GIVES):
        return ""
    mark = "" if is_object(root) and root.get("required") else "?"
    return f"args{mark}: {_Names(types, definition.name, parameters).type_of(parameters)}"


class _Types:
    """The types that several places of a schema refer to, each declared once under a name of its own."""

    def __init__(self) -> None:
        self.declared: list[str] = []
        self._taken: set[str] = set()

    def name(self, wish: str) -> str:
        words = re.findall(r"[A-Za-z0-9]+", wish)
        base = "".join(word[0].upper() + word[1:] for word in words)[:60] or "Type"
        base = base if base[0].isalpha() else f"T{base}"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}{number}"
        self._taken.add(name)
        return name


class _Names:
    """Writes the types of one document; what it refers to is declared in `types`."""

    def __init__(self, types: _Types, title: str, root: Mapping[str, Any]) -> None:
        self._types = types
        self._title = title
        self._root = root
        self._named: dict[str, str] = {}

    def type_of(self, schema: Any, depth: int = DEEPEST) -> str:
        if schema is False:
            return "never"
        if not is_object(schema) or depth == 0:
            return "any"
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._refer(reference)
        if is_array(schema.get("enum")):
            return _values(schema["enum"])
        if "const" in schema:
            return literal(schema["const"])
        parts: list[str] = []
        for schemas in (schema[key] for key in ("anyOf", "oneOf") if is_array(schema.get(key))):
            types = [self.type_of(each, depth - 1) for each in schemas]
            parts.append("any" if "any" in types else unite(types))
        if is_array(schema.get("allOf")):
            parts += [self.type_of(each, depth - 1) for each in schema["allOf"]]
        if not parts or "properties" in schema:
            parts.append(self._plain(schema, depth))
        known = [part for part in dict.fromkeys(parts) if part != "any"]
        if len(known) > 1:
            return _Joined(" & ".join(map(_bracketed, known)))
        return known[0] if known else "any"

    def _refer(self, reference: str) -> str:
        known = self._named.get(reference)
        if known is not None:
            return known
        target = resolve(reference, self._root)
        if target is None or target is True:
            return "any"
        wish = reference.rpartition("/")[2] if reference != "#" else f"{self._title}_args"
        name = self._named[reference] = self._types.name(wish)
        # Named before it is written: it may refer to itself. One that is only a name for itself is anything.
        text = self.type_of(target)
        self._types.declared += f"type {name} = {'any' if text == name else text};".split("\n")
        return name

    def _plain(self, schema: Mapping[str, Any], depth: int) -> str:
        kind = schema.get("type")
        kinds = kind if is_array(kind) else [kind] if isinstance(kind, str) else []
        if not kinds:
            kinds = ["object"] if "properties" in schema else ["array"] if "items" in schema else []
        return unite(self._kind(each, schema, depth) for each in kinds) if kinds else "any"

    def _kind(self, kind: Any, schema: Mapping[str, Any], depth: int) -> str:
        if kind == "array":
            return self._array(schema, depth)
        if kind == "object":
            return self._object(schema, depth)
        return _KINDS.get(kind, "any") if isinstance(kind, str) else "any"

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        items = schema.get("items", True)
        first = schema.get("prefixItems")
        inner = f"{_bracketed(self.type_of(items, depth - 1))}[]"
        if not is_array(first) or not first:
            return inner
        places = [self.type_of(each, depth - 1) for each in first]
        return f"[{', '.join([*places, *([] if items is False else [f'...{inner}'])])}]"

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        fields = schema.get("properties", {})
        required = schema.get("required", ())
        lines: list[str] = []
        for name, each in fields.items() if is_object(fields) else ():
            lines += [f"// {note}" for note in (_note(each),) if note]
            mark = "" if is_array(required) and name in required else "?"
            lines += f"{key(name)}{mark}: {self.type_of(each, depth - 1)};".split("\n")
        others = schema.get("additionalProperties", not fields)
        if others is not False:
            lines += f"[key: string]: {self.type_of(others, depth - 1)};".split("\n")
        return "\n".join(["{", *(f"  {line}" for line in lines), "}"]) if lines else "{}"


def _note(schema: Any) -> str:
    """The description of a value, with limits that its type cannot express."""
    if not is_object(schema):
        return ""
    kind = schema.get("type")
    facts = ["an integer"] if kind == "integer" or (is_array(kind) and "integer" in kind) else []
    facts += [text.format(schema[name]) for name, text in _BOUNDS.items() if name in schema]
    about = schema.get("description")
    said = [one_line(about, NOTE_CHARS)] if isinstance(about, str) and about.strip() else []
    if schema.get("default") is not None and "default" not in "".join(said).lower():
        facts.append(f"default {literal(schema['default'])}")
    return " ".join([*said, *([f"({one_line(', '.join(facts), NOTE_CHARS)})"] if facts else [])])


def _values(values: Iterable[Any]) -> str:
    every = list(values)
    shown = [literal(each) for each in every[:MOST_VALUES]]
    return unite([*shown, *(["any"] if len(every) > MOST_VALUES else [])]) if every else "never"


class _Joined(str):
    """A union or an intersection: beside another sign it stands in brackets."""

    __slots__ = ()


def unite(types: Iterable[str]) -> str:
    """A union; each type once."""
    united = list(dict.fromkeys(types))
    return _Joined(" | ".join(united)) if len(united) > 1 else (united or ["any"])[0]


def _bracketed(text: str) -> str:
    return f"({text})" if isinstance(text, _Joined) else text


def literal(value: Any) -> str:
    """A JSON value as a literal of one line."""
    return printable(json.dumps(value, ensure_ascii=False, default=str))


def key(name: str) -> str:
    """The name of a field, in quotes where it is no plain word."""
    return name if _WORD.match(name) else literal(name)


def one_line(text: str, chars: int) -> str:
    """A foreign text on one line, at most so long, with nothing in it that does not show."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= chars else line[: chars - 1] + "…"


def printable(text: str) -> str:
    """The text with what does not show (controls, marks of direction) spelled as JavaScript spells it."""
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char.isprintable():
        return char
    number = ord(char)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\u{{{number:x}}}"
