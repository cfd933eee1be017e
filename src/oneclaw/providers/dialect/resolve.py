"""Inlines every `$ref`; cuts cycles and bounds depth and size."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from oneclaw.core.subschema import MANY, NAMED, ONE, children, is_array, is_object
from oneclaw.providers.dialect.change import SAID, Changes, Schema, say

DEEPEST = 32
"""Levels of schemas inside schemas; what lies deeper may be any value."""

AGAIN = 2
"""How deep a recursive `$ref` is inlined; below that any value is allowed."""

MOST = 4_000
"""Schemas in one document; a document of more is opened less far, and then cut."""

_CUT = "the schema is deeper or larger than is sent; any value is allowed here"
_CHARS = 10_000
_SHOWN_CHARS = 100
_TYPE_CHARS = 200
_WORDS_CHARS = 400
_LITERALS = frozenset({"enum", "const", "default", "examples", "required", "dependentRequired", "values"})
_NOTES = frozenset({"description", "title", "default", "examples", "deprecated"})
_GONE = frozenset({"$defs", "definitions", "$schema", "$id", "id", "$anchor", "$comment", "$vocabulary"})
_SILENT = _GONE | {"$dynamicAnchor", "$recursiveAnchor", SAID}
_NEGATIVE = ("not", "if", "then", "else", "dependentSchemas", "dependencies")
_UNSENT = frozenset({*_NEGATIVE, "unevaluatedItems", "unevaluatedProperties", "contentSchema"})


def resolve(parameters: Mapping[str, Any], changes: Changes) -> Schema:
    """A bounded copy of a schema, without references and without what is true only by what is not."""
    again = AGAIN
    opening = _Opening(parameters, again)
    fresh = opening.copy(parameters, "$", parameters, ())
    while opening.is_full and again:
        again -= 1
        opening = _Opening(parameters, again)
        fresh = opening.copy(parameters, "$", parameters, ())
    opening.tell(changes)
    return fresh


class _Opening:
    """One walk through a document."""

    __slots__ = ("_again", "_cuts", "_drops", "_opened", "_root", "_size")

    def __init__(self, root: Mapping[str, Any], again: int) -> None:
        self._root = root
        self._again = again
        self._size = 0
        self._cuts: list[tuple[str, str]] = []
        self._drops: list[tuple[str, str, str]] = []
        self._opened: list[str] = []

    @property
    def is_full(self) -> bool:
        return self._size > MOST

    def tell(self, changes: Changes) -> None:
        for path in self._opened:
            changes.rewrite(path, "$ref", "the schema it names is written in its place")
        for path, why in self._cuts:
            changes.drop(path, "$ref" if "itself" in why else "schema", why)
        for path, keyword, why in self._drops:
            changes.drop(path, keyword, why)

    def copy(self, schema: Any, path: str, base: Mapping[str, Any], opened: tuple[int, ...]) -> Schema:
        """`base` is the document a `#` means here, `opened` the schemas this one lies in."""
        self._size += 1
        if schema is False:
            return {"not": {}}
        if not is_object(schema):
            return {"type": schema} if isinstance(schema, str) and len(schema) <= _TYPE_CHARS else {}
        if len(opened) >= DEEPEST or self.is_full:
            self._cuts.append((path, _CUT))
            return _notes(schema)
        opened = (*opened, id(schema))
        if isinstance(address := schema.get("$id"), str) and not address.startswith("#"):
            base = schema
        if "$ref" in schema:
            return self._open(schema, path, base, opened)
        return self._keywords(schema, path, base, opened)

    def _open(
        self, schema: Mapping[str, Any], path: str, base: Mapping[str, Any], opened: tuple[int, ...]
    ) -> Schema:
        target = find(schema["$ref"], base)
        is_old = "draft-0" in str(self._root.get("$schema", ""))  # there a $ref stands alone
        beside = {word: each for word, each in schema.items() if word != "$ref"}
        here = _notes(beside) if is_old else self._keywords(beside, path, base, opened)
        if target is None:
            self._cuts.append((path, "what it names is not in this document itself; any value is allowed"))
            return here
        if opened.count(id(target)) > self._again:
            self._cuts.append((path, f"it leads into itself; cut after {self._again + 1} times"))
            return here
        self._opened.append(path)
        there = self.copy(target, path, base, opened)
        if here.keys() <= _NOTES:
            return {**there, **here}
        here["allOf"] = [*here.get("allOf", ()), there]
        return here

    def _keywords(
        self, schema: Mapping[str, Any], path: str, base: Mapping[str, Any], opened: tuple[int, ...]
    ) -> Schema:
        fresh: Schema = {}
        for keyword, value in schema.items():
            where = f"{path}.{keyword}"
            if not isinstance(keyword, str) or keyword in _SILENT:  # pyright: ignore[reportUnnecessaryIsInstance]
                continue
            if keyword in _UNSENT:
                self._put_into_words(fresh, keyword, value, path)
            elif keyword in ("$dynamicRef", "$recursiveRef"):
                self._drops.append((path, keyword, "where it leads depends on who asks"))
            elif keyword in NAMED and is_object(value):
                fresh[keyword] = self._named(value, where, base, opened)
            elif (keyword in MANY or keyword == "items") and is_array(value):
                fresh[keyword] = [
                    self.copy(each, f"{where}[{number}]", base, opened)
                    for number, each in enumerate(value[: MOST + 1])
                ]
            elif keyword in ONE and not (isinstance(value, bool) and keyword.startswith("additional")):
                fresh[keyword] = self.copy(value, where, base, opened)
            elif keyword in ("description", "title") and isinstance(value, str):
                fresh[keyword] = _text(value)
            elif _is_sane(keyword, value):
                fresh[keyword] = json.loads(json.dumps(value)) if isinstance(value, dict | list) else value
            else:
                self._drops.append((path, keyword, "its value is not one that can be sent"))
        if "if" in schema:
            self._condition(fresh, schema, path, base, opened)
        if is_object(named := schema.get("properties")) and len(fresh["properties"]) < len(named):
            fresh.pop("additionalProperties", None)  # it would forbid the properties that were cut
        return fresh

    def _named(
        self, schemas: Mapping[str, Any], path: str, base: Mapping[str, Any], opened: tuple[int, ...]
    ) -> Schema:
        """Properties; of too many those that come first."""
        fresh: Schema = {}
        for name, each in schemas.items():
            if self.is_full:
                self._cuts.append((path, "there are more than can be sent"))
                break
            fresh[str(name)] = self.copy(each, f"{path}.{name}", base, opened)
        return fresh

    def _condition(
        self,
        fresh: Schema,
        schema: Mapping[str, Any],
        path: str,
        base: Mapping[str, Any],
        opened: tuple[int, ...],
    ) -> None:
        """Say what `if`, `then` and `else` say, and show the properties that only the two halves name."""
        found = {
            word: self.copy(schema[word], f"{path}.{word}", base, opened)
            for word in ("if", "then", "else")
            if word in schema
        }
        said = [f"{word} {text}" for word, each in found.items() if (text := _brief(each))]
        say(fresh, ", ".join(said)[:_WORDS_CHARS] if len(said) > 1 else "")
        own = _members(fresh)
        added: Schema = {}
        for word in ("then", "else"):
            for name, each in _members(found.get(word, {})).items():
                added[name] = {"anyOf": [added[name], each]} if name in added else each
        added = {name: each for name, each in added.items() if name not in own}
        if added and schema.get("additionalProperties") is not False:
            fresh["properties"] = {**own, **added}

    def _put_into_words(self, fresh: Schema, keyword: str, value: Any, path: str) -> None:
        """Keywords that forbid must be sent whole: a part of them would forbid more."""
        if keyword == "not" and (value is True or value == {}):
            fresh["not"] = {}
            return
        if keyword in ("unevaluatedItems", "unevaluatedProperties", "contentSchema", "if", "then", "else"):
            text = ""  # of a condition all is said together
        else:
            text = spell(value)
        self._drops.append((path, keyword, "no part of it can be left out safely; it is said in words"))
        say(fresh, f"{keyword} {text}" if text and "$ref" not in text else "")


def _brief(schema: Schema) -> str:
    """Describes an object's requirements: `kind is "mail", with address`."""
    fixed: dict[str, str] = {}
    for name, each in _members(schema).items():
        values = [each["const"]] if "const" in each else each.get("enum")
        if is_array(values) and (text := " or ".join(filter(None, map(spell, values[:10])))):
            fixed[name] = f"{name} is {text}"
    required = schema.get("required")
    names = [name for name in required if name not in fixed] if is_array(required) else []
    needed = [f"with {', '.join(map(str, names))}"] if names else []
    return ", ".join([*fixed.values(), *needed]) or (spell(schema) if schema else "")


def _members(schema: Schema) -> Mapping[str, Schema]:
    properties = schema.get("properties")
    return properties if is_object(properties) else {}


def find(reference: Any, base: Mapping[str, Any]) -> Any:
    """The schema a reference means inside its document; None when it is not there."""
    if not isinstance(reference, str) or not reference.startswith("#") or len(reference) > _CHARS:
        return None
    if reference in ("#", "#/"):
        return base
    if not reference.startswith("#/"):
        return _anchored(reference[1:], base)
    place: Any = base
    for step in reference[2:].split("/"):
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if is_object(place) and name in place:
            place = place[name]
        elif is_array(place) and name.isdecimal() and len(name) < 6 and int(name) < len(place):
            place = place[int(name)]
        else:
            return None
    return place if is_object(place) or isinstance(place, bool) else None


def _anchored(name: str, base: Mapping[str, Any]) -> Any:
    """The schema with this plain name: `$anchor`, `$id: "#name"` up to draft 7, or `id` in draft 4."""
    waiting = [base]
    for each in waiting:
        if each.get("$anchor") == name or f"#{name}" in (each.get("$id"), each.get("id")):
            return each
        if len(waiting) <= MOST:
            waiting += [child for _, child in children(each)]
    return None


def spell(value: Any, most: int = _SHOWN_CHARS) -> str:
    """A value as short JSON; nothing when it is long or no JSON at all."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return ""
    return text if len(text) <= most else ""


def _notes(schema: Mapping[str, Any]) -> Schema:
    return {
        word: _text(each) if isinstance(each, str) else each
        for word, each in schema.items()
        if word in _NOTES and (isinstance(each, str) or _is_sane(word, each))
    }


def _text(value: str) -> str:
    """Text that every reader of JSON takes: no half of a pair of code units, and not without end."""
    return value[:_CHARS].encode("utf-8", "replace").decode("utf-8")


def _is_sane(keyword: str, value: Any) -> bool:
    """Whether a value can go over the wire, and is no longer than one should be."""
    if isinstance(value, int):
        return abs(value) < 2**63
    most = _TYPE_CHARS if keyword == "type" else _CHARS * (100 if keyword in _LITERALS else 1)
    text = spell(value, most)
    return bool(text) and (text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text))
