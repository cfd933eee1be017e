"""Supports classes with their own schema and validation, such as pydantic models.

They are known by `model_json_schema` and `model_validate`; the library is never imported here.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from oneclaw.core.define.scalar import TypeMismatch
from oneclaw.core.subschema import is_array, rebuild

_PREFIX = "#/$defs/"


def to_model(kind: type[Any], value: Any) -> Any:
    """Build a model from a JSON object."""
    try:
        return kind.model_validate(value)
    except ValueError as error:
        raise TypeMismatch(f"does not fit {kind.__name__}: {_problems(error)}") from None


def is_model(kind: type[Any]) -> bool:
    return hasattr(kind, "model_json_schema") and hasattr(kind, "model_validate")


def model_schema(kind: type[Any], defs: dict[str, Any]) -> dict[str, Any]:
    """The schema of a model without titles; only what refers to itself stays a reference, in `defs`."""
    schema: dict[str, Any] = kind.model_json_schema()
    return _Inliner(schema.pop("$defs", {}), defs).inline(schema)


def free_name(name: str, taken: Collection[str]) -> str:
    """A name for a definition that no other definition has."""
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


@dataclass(slots=True)
class _Inliner:
    """Puts definitions where they are referred to. `open` are those being read: they are recursive."""

    found: Mapping[str, Any]
    defs: dict[str, Any]
    open: set[str] = field(default_factory=set[str])
    kept: dict[str, str] = field(default_factory=dict[str, str])

    def inline(self, schema: Mapping[str, Any], path: str = "$") -> dict[str, Any]:
        name = str(schema.get("$ref", "")).removeprefix(_PREFIX)
        if name in self.found:
            return {**self._definition(name), **{key: schema[key] for key in schema if key != "$ref"}}
        fresh = rebuild(schema, lambda where, each: self.inline(each, where), path)
        if isinstance(fresh.get("title"), str):
            del fresh["title"]
        return _without_null(fresh)

    def _definition(self, name: str) -> dict[str, Any]:
        if name in self.open and name not in self.kept:
            self.kept[name] = free_name(name, self.defs)
            self.defs[self.kept[name]] = {}
        if name in self.kept:
            return {"$ref": _PREFIX + self.kept[name]}
        self.open.add(name)
        schema = self.inline(self.found[name])
        self.open.discard(name)
        if name not in self.kept:
            return schema
        self.defs[self.kept[name]] = schema
        return {"$ref": _PREFIX + self.kept[name]}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """`T or null, null by default` is an optional T."""
    alternatives = schema.get("anyOf")
    if not is_array(alternatives) or schema.get("default", ...) is not None:
        return schema
    rest = [each for each in alternatives if each != {"type": "null"}]
    kept = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**rest[0], **kept} if len(rest) == 1 else schema


def _problems(error: ValueError) -> str:
    list_all: Any = getattr(error, "errors", None)
    if not callable(list_all):
        return str(error).partition("\n")[0][:200]
    found: Any = list_all()
    problems: Iterable[Mapping[str, Any]] = found
    lines = [f"{'.'.join(map(str, each.get('loc', ())))}: {each.get('msg', '')}" for each in problems]
    return "; ".join(line.removeprefix(": ") for line in lines[:5]) + "."
