"""Converts function definitions of other systems to tool definitions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.define.naming import fit_name
from oneclaw.core.define.normalize import SchemaNormalizer
from oneclaw.core.errors import InvalidTool
from oneclaw.core.subschema import MANY, NAMED, ONE, is_array, is_object, is_object_type
from oneclaw.core.tool import ToolDefinition

_PARAMETERS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
_KNOWN = {"name", "description", "title", "type", "strict", *_PARAMETERS}
_KEYWORDS = ONE | MANY | NAMED | {"type", "$ref", "$schema", "required", "enum", "description", "title"}


@dataclass(frozen=True, slots=True)
class Adopted:
    """A definition made from a foreign document; each note says what was mapped to what."""

    definition: ToolDefinition
    notes: tuple[str, ...]


def adopt(document: Mapping[str, Any], *, taken: Collection[str] = ()) -> Adopted:
    """Make a definition from a document as OpenAI, Anthropic, Gemini or MCP write it, however odd its types.

    The name is made to fit and to differ from those in `taken`; the name it had stays as the label.
    """
    inner = document.get("function")
    body = inner if is_object(inner) else document
    original = body.get("name")
    if not isinstance(original, str) or not original.strip():
        raise InvalidTool("A function document needs a name: add a field `name` with text.")
    mender = SchemaNormalizer()
    name = fit_name(original, taken)
    if name != original:
        mender.note("name", f"{original!r} became {name!r}")
    for key in sorted(body.keys() - _KNOWN):
        mender.note(key, "was left out: a tool definition has no such field")
    title = body.get("title")
    definition = ToolDefinition(
        name=name,
        description=_text(body.get("description")),
        parameters=_parameters(original, body, mender),
        label=title if isinstance(title, str) and title else original,
    )
    return Adopted(definition, tuple(mender.notes))


def _text(value: Any) -> str:
    if is_array(value):
        return "\n".join(str(line) for line in value)
    return "" if value is None else str(value)


def _parameters(name: str, body: Mapping[str, Any], mender: SchemaNormalizer) -> dict[str, Any]:
    found = [body[key] for key in _PARAMETERS if body.get(key) is not None]
    given: Any = found[0] if found else {}
    if not is_object(given):
        raise InvalidTool(f"Function {name!r}: its parameters are a {type(given).__name__}, not an object.")
    if given and not given.keys() & _KEYWORDS and all(is_object(each) for each in given.values()):
        mender.note("$", "bare parameters became the properties of an object")
        given = {"type": "object", "properties": given}
    schema = mender.mend(given)
    if "type" not in schema:
        schema["type"] = "object"
    if not is_object_type(schema["type"]):
        raise InvalidTool(f"Function {name!r}: its parameters are of type {schema['type']!r}, not an object.")
    if schema["type"] != "object":
        schema["type"] = "object"
        mender.note("$", "type became object: the arguments of a call are never null")
    schema.setdefault("properties", {})
    return schema
