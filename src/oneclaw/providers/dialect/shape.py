"""Reduces a simplified schema to the keywords one provider accepts."""

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

from oneclaw.core.define.normalize import is_of_type
from oneclaw.core.subschema import is_object
from oneclaw.providers.dialect.change import SAID, Changes, Schema, say
from oneclaw.providers.dialect.merge import conjoin, is_open, join, types_of, unique, with_types
from oneclaw.providers.dialect.resolve import MOST
from oneclaw.providers.dialect.rules import SPEAKS_OF, DialectRules
from oneclaw.providers.dialect.words import describe

KINDS = ("string", "number", "boolean", "object", "array")
_OF_ALL = ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", SAID)
_TITLES = ("title", "description")
_UNSENT = object()
_ONE = frozenset({"items", "additionalProperties", "propertyNames", "contains"})


class Shaper:
    """Shapes the schemas of one document."""

    __slots__ = ("_changes", "_rules", "_size")

    def __init__(self, rules: DialectRules, changes: Changes) -> None:
        self._rules = rules
        self._changes = changes
        self._size = 0

    def shape(self, schema: Schema, path: str) -> Schema:
        self._size += 1
        if self._size > 2 * MOST:
            self._changes.drop(path, "schema", "there is more than can be sent; any value is allowed here")
            schema = {word: schema[word] for word in _TITLES if word in schema}
        if self._rules.has_lists:
            return self._one(schema, path, types_of(schema))
        if "anyOf" in schema:
            return self._branches(schema, path)
        if self._rules.is_typed and is_open(schema):
            return self._union(self._anything(), schema, path, is_null=True)
        return self._by_type(schema, path)

    # A schema of several types or branches

    def _branches(self, schema: Schema, path: str) -> Schema:
        base = {word: value for word, value in schema.items() if word not in (*_OF_ALL, "anyOf")}
        found = [conjoin(base, each) for each in schema["anyOf"]]
        is_null = any(types_of(each) == ["null"] for each in found)
        found = [each for each in found if types_of(each) != ["null"]]
        made = [self.shape(each, f"{path}.anyOf[{number}]") for number, each in enumerate(found)]
        return self._union(made, schema, path, is_null)

    def _by_type(self, schema: Schema, path: str) -> Schema:
        kinds = types_of(schema) or self._guess(schema)
        is_null = "null" in kinds
        plain = [kind for kind in kinds if kind != "null"]
        values = schema.get("enum")
        if values is not None:  # types of which the enum has a value
            fitting = [kind for kind in plain if any(is_of_type(each, kind) for each in values)]
            plain = fitting or ([] if is_null else plain)
        if "number" in plain and "integer" in plain and "enum" not in schema:
            plain.remove("integer")
        if len(plain) > 1:
            if types_of(schema):
                self._changes.rewrite(path, "type", "one type each; several became anyOf")
            bare = {word: value for word, value in schema.items() if word not in _OF_ALL}
            made = [self._one(with_types(bare, [kind]), path, [kind]) for kind in plain]
            return self._union(made, schema, path, is_null)
        fresh = self._one(schema, path, plain or (["null"] if is_null else []))
        return self._allow_null(fresh, path) if is_null and plain else fresh

    def _guess(self, schema: Schema) -> list[str]:
        if "enum" in schema:
            return [kind for kind in (*KINDS, "null") if any(is_of_type(v, kind) for v in schema["enum"])]
        return [*KINDS, "null"] if self._rules.is_typed else []

    def _union(self, made: Sequence[Schema], schema: Schema, path: str, is_null: bool) -> Schema:
        flat = [inner for each in made for inner in (each["anyOf"] if each.keys() == {"anyOf"} else [each])]
        flat = unique(flat)
        fresh: Schema = flat[0] if len(flat) == 1 else {"anyOf": flat} if flat else {"type": "null"}
        if not flat and self._rules.is_upper:
            fresh = {"type": "STRING", "nullable": True}
        lost = [word for word in ("default", "examples", "deprecated") if word in schema]
        for word in lost:
            self._changes.drop(path, word, "not taken beside a union")
        self._title(fresh, schema, path, describe(schema, lost))
        return self._allow_null(fresh, path) if is_null and flat else fresh

    def _allow_null(self, schema: Schema, path: str) -> Schema:
        if self._rules.null == "nullable":
            self._changes.rewrite(path, "type", "null beside a type is written as nullable")
            place = schema["anyOf"][0] if "anyOf" in schema else schema
            place["nullable"] = True
            return schema
        if "anyOf" in schema:
            return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
        if self._rules.null == "type" and "type" in schema:
            if "enum" in schema:
                schema["enum"] = unique([*schema["enum"], None])
            return with_types(schema, unique([*types_of(schema), "null"]))
        self._changes.rewrite(path, "type", "null beside a type is a branch of its own")
        own = {word: value for word, value in schema.items() if word not in _TITLES}
        return {"anyOf": [own, {"type": "null"}], **{w: schema[w] for w in _TITLES if w in schema}}

    # A schema of one type, or of a list of types where those are taken

    def _one(self, schema: Schema, path: str, kinds: Sequence[str]) -> Schema:
        lost: set[str] = set()
        schema = self._relevant(schema, path, kinds)
        schema = self._inclusive(schema, path, kinds)
        schema = self._tuple(schema, path)
        fresh = self._typed(kinds)
        for keyword, value in schema.items():
            if keyword in (SAID, "type", "title", "description"):
                continue
            made = self._keyword(keyword, value, path, schema, kinds)
            if made is not _UNSENT:
                fresh[keyword] = made
            elif keyword != "additionalProperties" or is_object(value):
                lost.add(keyword)
        self._members(fresh, path, schema, kinds)
        if "enum" in lost and kinds in (["integer"], ["number"]):
            self._narrow(fresh, schema, kinds[0])
        self._title(fresh, schema, path, describe(schema, lost))
        return fresh

    def _typed(self, kinds: Sequence[str]) -> Schema:
        if self._rules.is_upper:
            if list(kinds) == ["null"]:
                return {"type": "STRING", "nullable": True}
            return with_types({}, [kind.upper() for kind in kinds])
        return with_types({}, kinds)

    def _relevant(self, schema: Schema, path: str, kinds: Sequence[str]) -> Schema:
        """Without keywords that say nothing of these types: some providers refuse them."""
        kept: Schema = {}
        for word, value in schema.items():
            if kinds and word in SPEAKS_OF and not SPEAKS_OF[word] & set(kinds):
                if len(types_of(schema)) == 1 == len(kinds) and "array" not in kinds:
                    self._changes.drop(path, word, f"it says nothing of a value of type {kinds[0]}")
            else:
                kept[word] = value
        return kept

    def _inclusive(self, schema: Schema, path: str, kinds: Sequence[str]) -> Schema:
        """Bounds that are not reached themselves become bounds that are."""
        fresh = dict(schema)
        for word, bound, step, pick in (
            ("exclusiveMinimum", "minimum", 1, max),
            ("exclusiveMaximum", "maximum", -1, min),
        ):
            if word not in schema or word in self._rules.keywords:
                continue
            value = fresh.pop(word)
            if list(kinds) == ["integer"]:
                value = (floor(value) if step == 1 else ceil(value)) + step
                self._changes.rewrite(path, word, f"for whole numbers the same as {bound} {value}")
            else:
                self._changes.rewrite(
                    path, word, f"not taken here; {bound} comes near, and it is said in words"
                )
                say(fresh, *describe(schema, {word}))
            fresh[bound] = pick(value, fresh.get(bound, value))
        return fresh

    def _tuple(self, schema: Schema, path: str) -> Schema:
        if "prefixItems" not in schema or "prefixItems" in self._rules.keywords:
            return schema
        self._changes.rewrite(
            path, "prefixItems", "its schemas became those of any item; the order is said in words"
        )
        fresh = {word: value for word, value in schema.items() if word != "prefixItems"}
        rest = [fresh["items"]] if is_object(fresh.get("items")) else []
        fresh["items"] = join([*schema["prefixItems"], *rest])
        say(fresh, *describe(schema, {"prefixItems"}))
        return fresh

    def _keyword(self, word: str, value: Any, path: str, schema: Schema, kinds: Sequence[str]) -> Any:
        """Converts one keyword."""
        where = f"{path}.{word}"
        if word == "enum":
            return self._enum(value, path, kinds)
        if word not in self._rules.keywords or not self._is_taken(word, value, schema, kinds):
            self._changes.drop(path, word, _why_not(word, value))
            return _UNSENT
        if word in ("properties", "patternProperties"):
            return {name: self.shape(each, f"{where}.{name}") for name, each in value.items()}
        if word in ("anyOf", "prefixItems"):
            return [self.shape(each, f"{where}[{number}]") for number, each in enumerate(value)]
        return self.shape(dict(value), where) if is_object(value) and word in _ONE else value

    def _is_taken(self, word: str, value: Any, schema: Schema, kinds: Sequence[str]) -> bool:
        """Whether the value of a keyword is one that is taken, too."""
        formats = self._rules.formats
        if word == "format" and formats is not None:
            return len(kinds) == 1 and value in formats.get(kinds[0], ())
        if word == "additionalProperties":
            return "patternProperties" not in schema or "patternProperties" in self._rules.keywords
        if word == "pattern" and "minLength" not in self._rules.keywords:
            return "(?" not in value.replace("(?:", "")
        return value is not None or self._rules.has_lists

    def _enum(self, values: Sequence[Any], path: str, kinds: Sequence[str]) -> Any:
        taken = self._rules.enums
        if taken is None:
            return list(values)
        mine = [value for value in values if is_of_type(value, kinds[0])] if kinds else list(values)
        is_odd = self._rules.is_typed and "" in mine
        if kinds and kinds[0] in taken and mine and not is_odd:
            return mine
        if kinds != ["null"]:
            self._changes.drop(
                path, "enum", f"not taken for values of type {' or '.join(kinds)}; said in words"
            )
        return _UNSENT

    def _narrow(self, fresh: Schema, schema: Schema, kind: str) -> None:
        """Numbers that cannot be listed lie at least between the first and the last of them."""
        values = [value for value in schema["enum"] if is_of_type(value, kind)]
        if values:
            fresh["minimum"] = max(min(values), fresh.get("minimum", min(values)))
            fresh["maximum"] = min(max(values), fresh.get("maximum", max(values)))

    def _members(self, fresh: Schema, path: str, schema: Schema, kinds: Sequence[str]) -> None:
        """Keywords that arrays and objects require."""
        if "array" in kinds and not is_object(fresh.get("items")):
            prefix: list[Schema] = schema.get("prefixItems", [])
            if schema.get("items") is not True and "items" in schema and "items" not in fresh:
                return
            items = join(prefix) if prefix and self._rules.is_typed else {}
            fresh["items"] = self.shape(items, f"{path}.items")
            self._changes.rewrite(path, "items", "an array says what its items are; here any value")
        if "required" in fresh and self._rules.is_defined:
            known: Schema = fresh.setdefault("properties", {})
            for name in fresh["required"][: MOST + 1]:
                if name not in known:
                    known[name] = self.shape({}, f"{path}.properties.{name}")
                    self._changes.rewrite(
                        path, "required", f"{name[:80]!r} was no property; it may be any value"
                    )
            fresh["required"] = [name for name in fresh["required"] if name in known]
        if path != "$" and self._rules.is_defined and fresh.get("properties") == {}:
            del fresh["properties"]

    def _anything(self) -> list[Schema]:
        """Any value, where each must have a type. It would never end: arrays in arrays are left out."""
        scalars, items = ([self._typed([kind]) for kind in KINDS if kind != "array"] for _ in range(2))
        return [*scalars, {**self._typed(["array"]), "items": {"anyOf": items}}]

    def _title(self, fresh: Schema, schema: Schema, path: str, words: Sequence[str]) -> None:
        said = list(dict.fromkeys([*schema.get(SAID, ()), *words]))
        text = " ".join(filter(None, [schema.get("description", ""), f"({'; '.join(said)})" if said else ""]))
        place = fresh["anyOf"][0] if self._rules.is_upper and "anyOf" in fresh else fresh
        if "title" in schema and "title" not in self._rules.keywords:
            self._changes.drop(path, "title", "not taken here")
        elif "title" in schema and place is fresh:
            fresh["title"] = schema["title"]
        if text:
            below = place.get("description", "")
            place["description"] = f"{text} {below}".strip() if below not in text else text


def _why_not(word: str, value: Any) -> str:
    if word not in SPEAKS_OF and word not in ("format", *_OF_ALL):
        return "no keyword of JSON Schema"
    if (
        value is None
        or (value is False and word != "default")
        or word in ("readOnly", "writeOnly", "examples")
    ):
        return "not taken here"
    return "not taken here; it is said in words"
