"""Converts Python annotations to shapes."""

import typing
from collections import abc, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import PurePath
from types import UnionType
from typing import Any, TypeVar

from oneclaw.core.define.annotation import UnknownType, alias_value, is_alias, is_qualifier, spell
from oneclaw.core.define.constraint import constrain
from oneclaw.core.define.default import to_json
from oneclaw.core.define.member import EMPTY, Member, class_text, has_members, is_typed_dict, members_of
from oneclaw.core.define.model import free_name, is_model, model_schema, to_model
from oneclaw.core.define.scalar import Convert, TypeMismatch, keep, to_integer, to_parsed, to_text
from oneclaw.core.define.shape import (
    ANY,
    PLAIN,
    Schema,
    Shape,
    choice_shape,
    enum_members,
    scalar_shape,
    union_shape,
)
from oneclaw.core.define.structure import Record, RecursiveType, to_array, to_table, to_tuple

_ARRAYS: dict[Any, Callable[[list[Any]], Any]] = {
    **dict.fromkeys((list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection), list),
    **dict.fromkeys((set, abc.Set, abc.MutableSet), set),
    frozenset: frozenset,
    deque: deque,
}
_TABLES = (dict, abc.Mapping, abc.MutableMapping)
_INTEGER_KEY = "^-?(0|[1-9][0-9]*)$"


class Types:
    """Reads the annotations of one function. `defs` collects the types that hold themselves."""

    def __init__(self) -> None:
        self.defs: dict[str, Schema] = {}
        self._known: dict[Any, Shape] = {}
        self._open: dict[Any, tuple[str, RecursiveType]] = {}

    def shape(self, annotation: Any) -> Shape:
        """The shape of a type; raises `UnknownType`."""
        try:
            if (plain := PLAIN.get(annotation) or self._known.get(annotation)) is not None:
                return plain
        except TypeError:  # Annotated with a mapping cannot be hashed
            pass
        origin = typing.get_origin(annotation)
        if origin is not None:
            return self._generic(annotation, origin, typing.get_args(annotation))
        if isinstance(annotation, type):
            return self._class(annotation)
        if isinstance(annotation, TypeVar):
            bound = annotation.__bound__
            kinds = (bound,) if bound is not None else annotation.__constraints__ or (Any,)
            return union_shape([self.shape(each) for each in kinds])
        if (inner := getattr(annotation, "__supertype__", None)) is not None:
            return self.shape(inner)
        if is_alias(annotation):
            return self._named(annotation, annotation.__name__, lambda: self.shape(alias_value(annotation)))
        raise UnknownType(f"the type {spell(annotation)}, which has no JSON form")

    def record(self, members: Iterable[Member], build: Callable[..., Any]) -> tuple[Schema, Record]:
        """The schema of an object with these members, and how its fields are read."""
        properties: dict[str, Schema] = {}
        converts: dict[str, Convert] = {}
        required: list[str] = []
        absent: list[str] = []
        for member in members:
            shape = self._member_shape(member)
            properties[member.name] = _property(member, shape)
            converts[member.name] = shape.whole_convert
            if member.default is EMPTY and not member.is_optional:
                (absent if shape.is_nullable else required).append(member.name)
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        return schema, Record(build, converts, frozenset(required), frozenset(absent))

    def _member_shape(self, member: Member) -> Shape:
        try:
            shape = self.shape(member.annotation)
        except UnknownType as problem:
            raise problem.at(member.name) from None
        if member.default is None and not shape.is_nullable:
            return shape._replace(is_nullable=True)
        return shape

    def _generic(self, annotation: Any, origin: Any, args: tuple[Any, ...]) -> Shape:
        if origin is typing.Annotated:
            return constrain(self.shape(args[0]), args[1:])
        if origin is typing.Union or origin is UnionType:
            return union_shape([self.shape(each) for each in args])
        if origin is typing.Literal:
            pairs = [_literal_pair(value) for value in args if value is not None]
            return choice_shape(pairs, is_nullable=len(pairs) < len(args)) if pairs else PLAIN[None]
        if origin is tuple:
            return self._tuple(args if args or annotation == tuple[()] else (Any, ...))
        if origin in _ARRAYS:
            return self._array(origin, args[0] if args else Any)
        if origin in _TABLES:
            return self._table(*(args or (str, Any)))
        if is_qualifier(origin):
            return self.shape(args[0])
        if is_alias(origin):
            return self.shape(origin.__value__[args])
        raise UnknownType(f"the type {spell(annotation)}, which has no JSON form")

    def _class(self, kind: type[Any]) -> Shape:
        if (shape := scalar_shape(kind)) is not None:
            return shape
        if kind in _ARRAYS:
            return self._array(kind, Any)
        if kind in _TABLES or kind is tuple:
            return self._table(str, Any) if kind is not tuple else self._tuple((Any, ...))
        if issubclass(kind, PurePath):
            return Shape({"type": "string"}, partial(to_parsed, kind, "a path"))
        if issubclass(kind, Enum) and (members := enum_members(kind)):
            return choice_shape(members)
        if is_model(kind):
            shape = Shape(model_schema(kind, self.defs), partial(to_model, kind))
            return self._known.setdefault(kind, shape)
        if has_members(kind):
            return self._named(kind, kind.__name__, lambda: self._object(kind))
        raise UnknownType(f"the type {spell(kind)}, which has no JSON form")

    def _object(self, kind: type[Any]) -> Shape:
        text = class_text(kind)
        build = dict if is_typed_dict(kind) else kind
        schema, record = self.record(members_of(kind, text.parameters), build)
        if text.description:
            schema["description"] = text.description
        return Shape(schema, record)

    def _named(self, key: Any, name: str, read: Callable[[], Shape]) -> Shape:
        """Read a type that has a name; one that meets itself on the way becomes a definition."""
        if key in self._open:
            name, later = self._open[key]
            later.is_used = True
            return Shape({"$ref": f"#/$defs/{name}"}, later)
        name = free_name(name, self.defs)
        later = RecursiveType()
        self._open[key] = (name, later)
        try:
            shape = read()
        finally:
            del self._open[key]
        if not later.is_used:
            return shape
        later.inner = shape.whole_convert
        self.defs[name] = shape.whole_schema
        return self._known.setdefault(key, Shape({"$ref": f"#/$defs/{name}"}, later))

    def _array(self, kind: Any, item: Any) -> Shape:
        shape = self.shape(item)
        schema: Schema = {"type": "array", "items": shape.whole_schema}
        build = _ARRAYS[kind]
        if build in (set, frozenset):
            schema["uniqueItems"] = True
        return Shape(schema, partial(to_array, shape.whole_convert, build))

    def _tuple(self, args: tuple[Any, ...]) -> Shape:
        if len(args) == 2 and args[1] is ...:
            item = self.shape(args[0])
            return Shape(
                {"type": "array", "items": item.whole_schema}, partial(to_array, item.whole_convert, tuple)
            )
        shapes = [self.shape(each) for each in args]
        places = [shape.whole_schema for shape in shapes]
        schema: Schema = {"type": "array", "minItems": len(places), "maxItems": len(places)}
        if places and all(place == places[0] for place in places):
            schema["items"] = places[0]
        else:
            schema |= {"prefixItems": places, "items": False} if places else {"items": False}
        return Shape(schema, partial(to_tuple, tuple(shape.whole_convert for shape in shapes)))

    def _table(self, key: Any, value: Any) -> Shape:
        key_shape, value_shape = self.shape(key), self.shape(value)
        schema: Schema = {"type": "object"}
        if value_shape is not ANY:
            schema["additionalProperties"] = value_shape.whole_schema
        convert = key_shape.convert
        if convert is to_integer:
            schema["propertyNames"] = {"pattern": _INTEGER_KEY}
            convert = partial(to_parsed, int, "an integer")
        elif convert is keep:
            convert = to_text
        elif key_shape.schema.get("type") != "string":
            raise UnknownType(f"the type dict[{spell(key)}, …], whose keys cannot be text")
        elif convert is not to_text:
            schema["propertyNames"] = key_shape.schema
        return Shape(schema, partial(to_table, convert, value_shape.whole_convert))


def _property(member: Member, shape: Shape) -> Schema:
    """The schema of one member: null only where it is not the same as leaving it out."""
    default = member.default
    is_left_out = default is None or (default is EMPTY and not member.is_optional)
    schema = dict(shape.schema) if is_left_out else shape.whole_schema
    if member.description and not shape.is_described:
        schema["description"] = member.description
    if default is not EMPTY and default is not None:
        with suppress(TypeError, ValueError, TypeMismatch):  # the function keeps it; the model is not told
            given = to_json(default)
            if shape.whole_convert(given) == default:
                schema["default"] = given
    return schema


def _literal_pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, Enum):
        return next(pair for pair in enum_members(type(value)) if pair[1] is value)
    if not isinstance(value, str | int):
        raise UnknownType(f"the type Literal[{value!r}], which has no JSON form")
    return value, value
