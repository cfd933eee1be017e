"""Normalises non-standard schemas to JSON Schema 2020-12 and notes each change."""

import re
from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import Any

from oneclaw.core.define.lint import TYPES
from oneclaw.core.define.scalar import shorten
from oneclaw.core.define.typename import read_type
from oneclaw.core.errors import InvalidTool
from oneclaw.core.subschema import MANY, NAMED, ONE, Schema, is_array, is_object, rebuild

_DEEPEST = 100
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_COUNTS = frozenset(
    {
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("minContains", "maxContains"),
    }
)
_ANCHOR = re.compile(r"#([A-Za-z_][-A-Za-z0-9._]*)")
_FORMS: dict[type[Any], str] = {
    str: "description title pattern format $ref $id $anchor $dynamicRef $dynamicAnchor $schema $comment"
    " contentEncoding contentMediaType",
    bool: "uniqueItems deprecated readOnly writeOnly",
    list: "examples",
    dict: "dependentRequired $vocabulary",
}
_FORM_OF = {keyword: form for form, keywords in _FORMS.items() for keyword in keywords.split()}
_PYTHON: dict[str, type[Any] | tuple[type[Any], ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


class SchemaNormalizer:
    """Mends one document; `notes` say what was changed, each with the path of the schema."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def mend(self, schema: Mapping[str, Any], path: str = "$", depth: int = 0) -> Schema:
        """A schema that means what its author meant and is valid in 2020-12."""
        if depth > _DEEPEST:
            raise InvalidTool(f"A schema is nested deeper than {_DEEPEST} levels at {path[:90]}.")
        fresh: Schema = {str(keyword): value for keyword, value in schema.items()}
        before = (
            self._lists,
            self._schemas,
            self._type,
            self._forms,
            self._anchors,
            self._bounds,
            self._flags,
        )
        for step in before:
            step(fresh, path)
        fresh = rebuild(fresh, lambda where, each: self.mend(each, where, depth + 1), path)
        self._enum(fresh, path)
        self._default(fresh, path)
        self._required_defaults(fresh, path)
        return fresh

    def note(self, path: str, text: str) -> None:
        self.notes.append(f"{path}: {text}")

    def _drop(self, schema: Schema, keyword: str, path: str, reason: str = "it does not fit") -> None:
        self.note(path, f"{keyword} {shorten(schema.pop(keyword))} was left out: {reason}")

    def _lists(self, schema: Schema, path: str) -> None:
        """A list where an object is meant, and one object for each place of an array."""
        properties, items = schema.get("properties"), schema.get("items")
        if is_array(properties) and all(is_object(each) and "name" in each for each in properties):
            schema["properties"] = {
                each["name"]: {key: value for key, value in each.items() if key != "name"}
                for each in properties
            }
            self.note(path, "a list of properties became an object of properties")
        if is_array(items):
            schema["prefixItems"] = schema.pop("items")
            if "additionalItems" in schema:
                schema["items"] = schema.pop("additionalItems")
            self.note(path, "a list of items became prefixItems")

    def _schemas(self, schema: Schema, path: str) -> None:
        """Bring what should be schemas into the form of schemas."""
        for keyword in _present(schema, NAMED):
            if is_object(schema[keyword]):
                named = {str(name): each for name, each in schema[keyword].items()}
                schema[keyword] = {
                    name: self._schema(each, f"{path}.{keyword}.{name}") for name, each in named.items()
                }
            else:
                self._drop(schema, keyword, path)
        for keyword in _present(schema, MANY):
            if is_array(schema[keyword]) and schema[keyword]:
                schema[keyword] = [self._schema(each, f"{path}.{keyword}") for each in schema[keyword]]
            else:
                self._drop(schema, keyword, path)
        for keyword in _present(schema, ONE):
            schema[keyword] = self._schema(schema[keyword], f"{path}.{keyword}")

    def _schema(self, value: Any, path: str) -> Any:
        if is_object(value) or isinstance(value, bool):
            return value
        if isinstance(value, str):
            self.note(path, f"{shorten(value)} became a schema of this type")
            return {"type": value}
        self.note(path, f"{shorten(value)} is not a schema: any value is allowed")
        return {}

    def _type(self, schema: Schema, path: str) -> None:
        had = schema.pop("type", "nothing")
        meant = _meant(had, schema)
        if had != meant.get("type", "nothing"):
            kinds = meant.get("type", "any value")
            told = kinds if isinstance(kinds, str) else " or ".join(kinds)
            self.note(path, f"type {shorten(had)} became {told}")
        for keyword, value in meant.items():
            schema.setdefault(keyword, value)
        if schema.pop("nullable", False) is True:
            _allow_null(schema)
            self.note(path, "nullable became null beside the type")

    def _forms(self, schema: Schema, path: str) -> None:
        for keyword in _present(schema, _FORM_OF):
            if not isinstance(schema[keyword], _FORM_OF[keyword]):
                self._drop(schema, keyword, path)
        if str(schema.get("$schema", _DRAFT)).removesuffix("#") != _DRAFT:
            self._drop(schema, "$schema", path, "parameters are read as draft 2020-12")

    def _anchors(self, schema: Schema, path: str) -> None:
        """Up to draft 7 a plain name was written as `$id: "#name"` (draft 4: `id`); now it is `$anchor`."""
        for keyword in ("$id", "id"):
            name = schema.get(keyword)
            if not isinstance(name, str) or "#" not in name.removesuffix("#"):
                continue
            if (found := _ANCHOR.fullmatch(name)) and "$anchor" not in schema:
                schema["$anchor"] = found[1]
                self.note(path, f"{keyword} {shorten(schema.pop(keyword))} became $anchor")
            elif keyword == "$id":
                self._drop(schema, keyword, path, "an address with a name inside is not allowed there")

    def _bounds(self, schema: Schema, path: str) -> None:
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(schema.get(exclusive), bool):
                if schema.pop(exclusive) and bound in schema:
                    schema[exclusive] = schema.pop(bound)
                self.note(path, f"the boolean {exclusive} of draft 4 became the bound itself")
        for keyword in _present(schema, _NUMBERS | _COUNTS):
            if isinstance(text := schema[keyword], str):
                schema[keyword] = _number(text)
                self.note(path, f"{keyword} {shorten(text)} became {schema[keyword]}")
            if not _is_bound(keyword, schema[keyword]):
                self._drop(schema, keyword, path)

    def _flags(self, schema: Schema, path: str) -> None:
        """`required` and `optional` said at a property or in odd forms."""
        required: Any = schema.pop("required", [])
        properties: dict[str, Any] = schema.get("properties", {})
        if isinstance(required, str) and required in properties:
            self.note(path, f"required {required!r} became a list")
            required = [required]
        names = [str(name) for name in required] if is_array(required) else []
        for name, each in properties.items():
            if is_object(each) and _is_yes(each.get("required")) and name not in names:
                names.append(name)
                self.note(f"{path}.properties.{name}", "required at the property moved to its object")
        if names:
            schema["required"] = list(dict.fromkeys(names))
        if "optional" in schema:
            self._drop(schema, "optional", path, "what is not required is optional")

    def _enum(self, schema: Schema, path: str) -> None:
        values = schema.get("enum")
        if "enum" in schema and not is_array(values):
            self._drop(schema, "enum", path)
        elif is_array(values) and not values:
            self.note(path, "enum is empty: no value fits")
        elif is_array(values) and not any(is_of_type(each, schema.get("type")) for each in values):
            self._settle_enum(schema, values, path)

    def _settle_enum(self, schema: Schema, values: Sequence[Any], path: str) -> None:
        """No value of an enum has its type: they are those of the items, or the type is wrong."""
        items = schema.get("items", {})
        if schema["type"] == "array" and is_object(items) and "enum" not in items:
            del schema["enum"]
            schema["items"] = {**items, "enum": list(values)}
            self.note(path, "enum moved to the items of the array")
        else:
            found = ([kind for kind in _PYTHON if is_of_type(each, kind)] for each in values)
            kinds = list(dict.fromkeys(fitting[0] if fitting else "string" for fitting in found))
            self.note(path, f"type {schema['type']!r} became {', '.join(kinds)}, the type of its enum")
            schema["type"] = kinds[0] if len(kinds) == 1 else kinds

    def _default(self, schema: Schema, path: str) -> None:
        if "default" not in schema or fits(schema["default"], schema):
            return
        if schema["default"] is None:
            _allow_null(schema)
            self.note(path, "null was allowed beside the type: it is the default")
        else:
            self._drop(schema, "default", path)

    def _required_defaults(self, schema: Schema, path: str) -> None:
        """A default would stand in for what the author requires to be given."""
        properties: dict[str, Any] = schema.get("properties", {})
        for name in schema.get("required", ()):
            each: Any = properties.get(name)
            if is_object(each) and "default" in each:
                self._drop(properties[name], "default", f"{path}.properties.{name}", "it is required")


def _meant(had: Any, schema: Schema) -> Schema:
    """Keywords for a type name; empty where any value is allowed."""
    if had == "enum":
        if "enum" not in schema and "values" in schema:
            schema["enum"] = schema.pop("values")
        return {}
    if had == "nothing":
        return (
            {"type": "object"} if "properties" in schema else {"type": "array"} if "items" in schema else {}
        )
    if isinstance(had, str):
        return {"type": had} if had in TYPES else read_type(had)
    if is_array(had) and all(isinstance(each, str) for each in had):
        known = bool(had) and all(each in TYPES for each in had)
        return {"type": list(dict.fromkeys(had))} if known else read_type("|".join(had))
    return {}


def _allow_null(schema: Schema) -> None:
    kinds = schema.get("type")
    if kinds is not None:
        schema["type"] = [*([kinds] if isinstance(kinds, str) else kinds), "null"]
    if is_array(schema.get("enum")) and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]


def _present(schema: Schema, keywords: Collection[str]) -> list[str]:
    """Those of the keywords a schema has, in its own order: notes do not change from run to run."""
    return [keyword for keyword in schema if keyword in keywords]


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value has the type, enum, items and properties a schema says; the rest is not looked at."""
    if not is_of_type(value, schema.get("type")) or ("enum" in schema and value not in schema["enum"]):
        return False
    items, properties = schema.get("items"), schema.get("properties")
    if is_array(value) and is_object(items):
        return all(fits(each, items) for each in value)
    if is_object(value) and is_object(properties):
        known = {name: properties[name] for name in value if is_object(properties.get(name))}
        return all(fits(value[name], each) for name, each in known.items())
    return True


def is_of_type(value: Any, kind: Any) -> bool:
    """Whether a value is of a JSON type or one of several; any value is, where there is none."""
    if kind is None:
        return True
    kinds = kind if is_array(kind) else [kind]
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, float):
        return isfinite(value) and ("number" in kinds or ("integer" in kinds and value.is_integer()))
    return any(isinstance(value, _PYTHON[each]) for each in kinds)


def _is_bound(keyword: str, value: Any) -> bool:
    if keyword in _COUNTS:
        return is_of_type(value, "integer") and value >= 0
    return is_of_type(value, "number") and (keyword != "multipleOf" or value > 0)


def _number(text: str) -> int | float | None:
    try:
        value = float(text)
        return int(value) if value.is_integer() else value
    except (ValueError, OverflowError):
        return None


def _is_yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in ("true", "yes", "1"))
