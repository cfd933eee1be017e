"""OpenAI's strict mode, or the reason why a schema cannot use it."""

from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.dialect.change import Changes, Schema
from oneclaw.providers.dialect.gaps import Gaps
from oneclaw.providers.dialect.merge import types_of, unique

_DEEPEST = 10
_PROPERTIES = 5_000
_VALUES = 1_000
_CHARS = 120_000


class NotStrict(Exception):
    """Why a schema cannot be sent in strict mode; says where."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(why)
        self.path = path


class Strictness:
    """Makes the schemas of one document strict; raises `NotStrict` when that would change what they take.

    `gaps` then says where a model writes null for what it leaves out. With `keeps_optional` it may leave it
    out, as Anthropic allows.
    """

    __slots__ = ("_changes", "_chars", "_keeps_optional", "_properties", "_values", "gaps")

    def __init__(self, changes: Changes, keeps_optional: bool = False) -> None:
        self._changes = changes
        self._keeps_optional = keeps_optional
        self.gaps = Gaps()
        self._properties = self._values = self._chars = 0

    def close(self, schema: Schema, path: str = "$", depth: int = 0, gaps: Gaps | None = None) -> Schema:
        fresh = dict(schema)
        gaps = gaps or self.gaps
        self._count(fresh, path, depth)
        if is_array(branches := fresh.get("anyOf")):
            fresh["anyOf"] = [
                self.close(each, f"{path}.anyOf[{n}]", depth, gaps) for n, each in enumerate(branches)
            ]
        elif not types_of(fresh):
            raise NotStrict(path, "any value is allowed here; strict mode wants a type")
        if is_object(items := fresh.get("items")):
            fresh["items"] = self.close(dict(items), f"{path}.items", depth + 1, gaps.of_items())
        if "object" in types_of(fresh):
            self._close_object(fresh, path, depth, gaps)
        return fresh

    def _close_object(self, schema: Schema, path: str, depth: int, gaps: Gaps) -> None:
        properties: dict[str, Schema] = schema.get("properties", {})
        if schema.get("additionalProperties", False) is not False:
            raise NotStrict(path, "further properties are allowed; strict mode wants all of them named")
        if not properties and path != "$":
            raise NotStrict(path, "an object of any properties; strict mode wants all of them named")
        required = schema.get("required", [])
        schema["properties"] = {}
        for name, each in properties.items():
            where = f"{path}.properties.{name}"
            closed = self.close(each, where, depth + 1, gaps.within(name))
            is_gap = name not in required and not _takes_null(closed)
            (gaps.named if is_gap else gaps.kept).add(name)
            if name not in required and not self._keeps_optional:
                closed = _optional(closed)
                self._changes.rewrite(where, "required", "may be left out: strict mode sends null instead")
            schema["properties"][name] = closed
        if "additionalProperties" not in schema:
            self._changes.rewrite(path, "additionalProperties", "strict mode wants it false")
        schema["required"] = [name for name in properties if name in required or not self._keeps_optional]
        schema["additionalProperties"] = False

    def _count(self, schema: Schema, path: str, depth: int) -> None:
        properties, values = schema.get("properties", {}), schema.get("enum", [])
        self._properties += len(properties)
        self._values += len(values)
        self._chars += sum(map(len, properties)) + sum(len(str(value)) for value in values)
        if depth > _DEEPEST:
            raise NotStrict(path, f"nested deeper than the {_DEEPEST} levels of strict mode")
        if self._properties > _PROPERTIES or self._values > _VALUES or self._chars > _CHARS:
            raise NotStrict(path, "more properties or enum values than strict mode takes")


def _takes_null(schema: Schema) -> bool:
    return "null" in types_of(schema) or any(map(_takes_null, schema.get("anyOf", ())))


def _optional(schema: Schema) -> Schema:
    """Null stands for a property that is left out."""
    if "anyOf" in schema:
        null: Schema = {"type": "null"}
        return {**schema, "anyOf": unique([*schema["anyOf"], null])}
    fresh = {**schema, "type": unique([*types_of(schema), "null"])}
    if "enum" in fresh:
        fresh["enum"] = unique([*fresh["enum"], None])
    return fresh
