"""Replaces property names a provider refuses, and restores them in arguments."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from oneclaw.core.subschema import children, is_array, is_object
from oneclaw.providers.dialect.change import Changes, Schema

_TAKEN = re.compile(r"[a-zA-Z0-9_.-]{1,64}\Z")
_LONGEST = 64
_ODD = re.compile(r"[^a-zA-Z0-9_.-]+")


@dataclass(slots=True)
class NameMap:
    """The way back from names on the wire: those of one object, and the ways of what lies in it."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    inner: dict[str, "NameMap"] = field(default_factory=dict[str, "NameMap"])
    items: "NameMap | None" = None
    others: "NameMap | None" = None

    def restore(self, value: Any) -> Any:
        """A value from the wire with the names its tool knows."""
        if is_object(value):
            return {
                self.names.get(name, name): _restore(self.inner.get(name, self.others), each)
                for name, each in value.items()
            }
        return [_restore(self.items, each) for each in value] if is_array(value) else value


def _restore(way: NameMap | None, value: Any) -> Any:
    return value if way is None else way.restore(value)


def rename(schema: Schema, changes: Changes) -> tuple[Schema, NameMap | None]:
    """The schema with names that are taken, and the way back where one was changed."""
    every = list(dict.fromkeys(_names(schema)))
    taken = {name for name in every if _TAKEN.match(name)}
    wires: dict[str, str] = {}  # no name is that of another property anywhere
    for name in every:
        if name not in taken:
            wires[name] = fit_key(name, taken | set(wires.values()))
    if not wires:
        return schema, None
    way = NameMap()
    return _Renaming(wires, changes).rename(schema, "$", way), way


def _names(schema: Mapping[str, Any]) -> Iterator[str]:
    if is_object(properties := schema.get("properties")):
        yield from properties
    for _, each in children(schema):
        yield from _names(each)


def fit_key(name: str, taken: Collection[str]) -> str:
    """The nearest name that is not refused, and no other property's: `$top` gives `top`."""
    near = _ODD.sub("_", name).strip("_") or "property"
    if len(near) <= _LONGEST and near not in taken:
        return near
    number = 0
    while True:
        mark = f"_{crc32(f'{name}{number}'.encode('utf-8', 'surrogatepass')):08x}"
        if (wire := near[: _LONGEST - len(mark)] + mark) not in taken:
            return wire
        number += 1


class _Renaming:
    """One walk through a schema, building the way back as it goes."""

    __slots__ = ("_changes", "_wires")

    def __init__(self, wires: Mapping[str, str], changes: Changes) -> None:
        self._wires = wires
        self._changes = changes

    def rename(self, schema: Schema, path: str, way: NameMap) -> Schema:
        fresh = dict(schema)
        for keyword in ("anyOf", "prefixItems"):
            if is_array(branches := fresh.get(keyword)):
                target = way if keyword == "anyOf" else _items(way)
                fresh[keyword] = [
                    self.rename(each, f"{path}.{keyword}[{number}]", target)
                    for number, each in enumerate(branches)
                ]
        inner = {"items": _items, "contains": _items, "additionalProperties": _others}
        for keyword in (*inner, "propertyNames"):
            if is_object(each := fresh.get(keyword)):
                target = inner[keyword](way) if keyword in inner else NameMap()
                fresh[keyword] = self.rename(dict(each), f"{path}.{keyword}", target)
        if is_object(patterns := fresh.get("patternProperties")):
            fresh["patternProperties"] = {
                pattern: self.rename(each, f"{path}.patternProperties.{pattern}", _others(way))
                for pattern, each in patterns.items()
            }
        if is_object(properties := fresh.get("properties")):
            self._rename_properties(fresh, properties, path, way)
        return fresh

    def _rename_properties(
        self, fresh: Schema, properties: Mapping[str, Schema], path: str, way: NameMap
    ) -> None:
        fresh["properties"] = {}
        for name, each in properties.items():
            where = f"{path}.properties.{name}"
            wire = self._wires.get(name, name)
            inner = way.inner.setdefault(wire, NameMap())
            fresh["properties"][wire] = self.rename(each, where, inner)
            if wire != name:
                way.names[wire] = name
                self._changes.rewrite(where, "properties", f"the name is sent as {wire}, and mapped back")
        if is_array(required := fresh.get("required")):
            fresh["required"] = [self._wires.get(name, name) for name in required]
        if not any(name in self._wires for name in properties):
            return
        if "patternProperties" in fresh:
            fresh.pop("additionalProperties", None)
        for keyword in ("default", "examples", "patternProperties", "propertyNames", "dependentRequired"):
            if fresh.pop(keyword, None) is not None:
                self._changes.drop(path, keyword, "it speaks of names that are sent otherwise")


def _items(way: NameMap) -> NameMap:
    way.items = way.items or NameMap()
    return way.items


def _others(way: NameMap) -> NameMap:
    way.others = way.others or NameMap()
    return way.others
