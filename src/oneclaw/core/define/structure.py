"""Converts JSON arrays, objects and unions to Python types."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.define.scalar import Convert, TypeMismatch, keep, misfit, refuse

Limit = tuple[str, Callable[[Any, Any], bool], Any]
"""How a limit is said, the test of a value against it, and the limit itself."""


def to_array(item: Convert, build: Callable[[list[Any]], Any], value: Any) -> Any:
    """An array whose items are all of one kind, built as list, tuple, set or frozenset."""
    items = _convert_items(_as_array(value), lambda number: item)
    try:
        return items if build is list else build(items)
    except TypeError:
        return refuse(value, f"an array of values that a {build.__name__} can hold")


def to_tuple(items: tuple[Convert, ...], value: Any) -> tuple[Any, ...]:
    """An array of fixed length, one kind per place."""
    if len(_as_array(value)) != len(items):
        raise misfit(value, f"an array of {len(items)} items")
    return tuple(_convert_items(value, items.__getitem__))


def _as_array(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType]
    return refuse(value, "an array")


def _convert_items(values: list[Any], convert: Callable[[int], Convert]) -> list[Any]:
    number = 0
    items: list[Any] = []
    try:
        for number, value in enumerate(values):
            items.append(convert(number)(value))
    except TypeMismatch as problem:
        raise problem.at(number) from None
    return items


def to_table(key: Convert, item: Convert, value: Any) -> dict[Any, Any]:
    """An object used as a mapping; its keys are text in JSON and may be another type in Python."""
    name: str | None = None
    table: dict[Any, Any] = {}
    try:
        for name, each in _as_object(value).items():
            table[key(name)] = item(each)
    except TypeMismatch as problem:
        raise (problem if name is None else problem.at(name)) from None
    return table


def _as_object(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    return refuse(value, "an object")


def to_choice(members: tuple[tuple[Any, Any], ...], value: Any) -> Any:
    """One of a few values: a Literal, or an Enum by the values of its members."""
    for given, member in members:
        if given == value and isinstance(given, bool) == isinstance(value, bool):
            return member
    return refuse(value, "one of " + ", ".join(repr(given) for given, _ in members))


def to_optional(inner: Convert, value: Any) -> Any:
    """A value or nothing."""
    return None if value is None else inner(value)


def to_either(members: tuple[Convert, ...], value: Any) -> Any:
    """The first member, in the order written, that takes the value; records that know every key go first."""
    expected: list[str] = []
    deepest: TypeMismatch | None = None
    for member in sorted(members, key=lambda each: _has_unknown_keys(each, value)):
        try:
            return member(value)
        except TypeMismatch as problem:
            expected.append(problem.expected)
            if problem.path:
                deepest = problem
    raise deepest or misfit(value, " or ".join(dict.fromkeys(filter(None, expected))))


def _has_unknown_keys(member: Convert, value: Any) -> bool:
    return isinstance(member, Record) and isinstance(value, dict) and not value.keys() <= member.fields.keys()


def to_limited(inner: Convert, limits: tuple[Limit, ...], value: Any) -> Any:
    """A value within limits that its JSON form cannot express, as the earliest of a date."""
    converted = inner(value)
    for words, holds, limit in limits:
        if not holds(converted, limit):
            raise misfit(value, f"{words} {limit}")
    return converted


class RecursiveType:
    """Stands for a type that is still being read: how a type can hold itself."""

    __slots__ = ("inner", "is_used")

    def __init__(self) -> None:
        self.inner: Convert = keep
        self.is_used = False

    def __call__(self, value: Any) -> Any:
        return self.inner(value)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object with known fields: a dataclass, a TypedDict, a NamedTuple, the arguments of a function.

    required    fields that must be there
    absent      fields that become None when they are not there
    """

    build: Callable[..., Any]
    fields: Mapping[str, Convert]
    required: frozenset[str]
    absent: frozenset[str]

    def __call__(self, value: Any) -> Any:
        members = self.read(_as_object(value))
        if self.build is dict:
            return members
        try:
            return self.build(**members)
        except (ValueError, TypeError, ArithmeticError, LookupError) as error:
            text = str(error).partition("\n")[0][:200]
            raise TypeMismatch(f"was refused by {self.build.__name__}: {text}") from error

    def read(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The known fields of an object as Python values."""
        members: dict[str, Any] = {}
        name = ""
        try:
            for name, convert in self.fields.items():
                if name in value:
                    members[name] = convert(value[name])
                elif name in self.absent:
                    members[name] = None
                elif name in self.required:
                    raise TypeMismatch("is missing; it is required.")
        except TypeMismatch as problem:
            raise problem.at(name) from None
        return members
