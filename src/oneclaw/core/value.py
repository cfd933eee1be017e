"""Converts tool results to plain JSON data."""

import base64
import json
import re
from collections import deque
from collections.abc import Iterator, KeysView, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from inspect import isasyncgen, isawaitable
from math import isfinite
from typing import Any, cast

from oneclaw.core.call import Image
from oneclaw.core.errors import ToolError

DEPTH = 100
"""The most levels of lists and objects in one value."""

VALUES = 1_000_000
"""The most values in one value; a list that holds one list often counts it as often."""

_INTEGER_BITS = 14_000  # Python refuses to print longer ones in decimal (about 4,300 digits)
_LISTS = (list, tuple, set, frozenset, deque, range, KeysView, ValuesView, AbstractSet)
_NO_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+>")
compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
"""A plain value as JSON text without spaces."""


def plain(value: Any) -> Any:
    """`value` as None, bool, int, float, str, list and dict alone. Raises `ToolError` for what cannot be.

    Objects of dataclasses, named tuples, pydantic, attrs and msgspec become objects, sets lists, enum
    members their values, dates ISO 8601, bytes text (or base64 where they are not UTF-8), the rest its text,
    unless that is the address of an object.
    """
    return value if is_plain(value) else _Plain().turn(value, 0)


def is_plain(value: Any) -> bool:
    """Whether a value is plain at a glance: None, a truth value, a short number or a text in ASCII."""
    if value is None or value is True or value is False:
        return True
    kind = value.__class__
    return value.isascii() if kind is str else kind is int and value.bit_length() < 64


def with_images(value: Any, before: int = 0) -> tuple[Any, tuple[Image, ...]]:
    """`plain(value)` and the images in it; "(image 1)" stands where the first was, if none came `before`."""
    if isinstance(value, (str, int, float)):
        return plain(value), ()
    images: list[Image] = []
    return _Plain(images, before).turn(value, 0), tuple(images)


def readable(text: str) -> str:
    """`text` without halves of surrogate pairs, which no UTF-8 can hold."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # UTF-16 puts the two halves of a pair together again and marks the lonely ones.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class _Plain:
    """One walk through a value: how much it has seen, what it is inside of, and the images it takes out."""

    __slots__ = ("_before", "_images", "_inside", "_seen")

    def __init__(self, images: list[Image] | None = None, before: int = 0) -> None:
        self._images = images
        self._before = before
        self._seen = 0
        self._inside: set[int] = set()

    def turn(self, value: Any, depth: int) -> Any:
        kind = cast(type[Any], type(value))
        if kind is str:
            return value if value.isascii() else readable(value)
        if kind is int:
            return _integer(value)
        if kind is dict:
            return self._object(value, value, depth)
        if kind is list:
            return self._list(value, value, depth)
        if value is None or kind is bool:
            return value
        if isinstance(value, float):
            return float(value) if isfinite(value) else _NO_NUMBERS[str(float(value))]
        if isinstance(value, Enum):
            return self.turn(value.value, depth + 1)
        if isinstance(value, str):
            return readable(str.__str__(value))
        if isinstance(value, int):
            return _integer(int(value))
        if isinstance(value, bytes | bytearray | memoryview):
            data = bytes(cast(bytes, value))
            try:
                return data.decode()
            except UnicodeDecodeError:
                return {"base64": base64.b64encode(data).decode("ascii"), "bytes": len(data)}
        return self._structure(value, depth)

    def _structure(self, value: Any, depth: int) -> Any:
        if self._images is not None and cast(type[Any], type(value)) is Image:
            self._images.append(cast(Image, value))
            return f"(image {self._before + len(self._images)})"
        members = _members(value)
        if members is not None:
            return self._object(value, members, depth)
        if isinstance(value, _LISTS):
            return self._list(value, cast(Sequence[Any], value), depth)
        kind = cast(type[Any], type(value))
        if hasattr(kind, "model_fields") and hasattr(kind, "model_dump"):  # pydantic
            return self.turn(value.model_dump(), depth + 1)
        if hasattr(kind, "tolist"):  # arrays and their numbers, as numpy has
            return self.turn(value.tolist(), depth + 1)
        return _text_of(value)

    def _object(self, owner: Any, members: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        self._enter(owner, len(members), depth)
        turned = {_key(name): self.turn(member, depth + 1) for name, member in members.items()}
        self._inside.discard(id(owner))
        return turned

    def _list(self, owner: Any, items: Any, depth: int) -> list[Any]:
        self._enter(owner, len(items), depth)
        turned = [self.turn(item, depth + 1) for item in items]
        self._inside.discard(id(owner))
        return turned

    def _enter(self, owner: Any, size: int, depth: int) -> None:
        self._seen += size
        if id(owner) in self._inside:
            raise ToolError("The tool's result holds itself; return data without circles.")
        if depth >= DEPTH:
            raise ToolError(f"The tool's result is nested deeper than {DEPTH} levels; return flatter data.")
        if self._seen > VALUES:
            raise ToolError(f"The tool's result holds more than {VALUES:,} values; return fewer.")
        self._inside.add(id(owner))


def _members(value: Any) -> Mapping[Any, Any] | None:
    """The named parts of an object, for the classes that say what theirs are."""
    kind = cast(type[Any], type(value))
    if isinstance(value, Mapping):
        return cast(Mapping[Any, Any], value)
    if is_dataclass(kind):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, tuple):
        return cast(Any, value)._asdict() if hasattr(kind, "_asdict") else None
    names: Any = getattr(kind, "__struct_fields__", None)
    if names is None:
        names = [each.name for each in getattr(kind, "__attrs_attrs__", ())]
    return {name: getattr(value, name) for name in names} if names else None


def _key(name: Any) -> str:
    if type(name) is str:
        return name if name.isascii() else readable(name)
    if isinstance(name, Enum):
        name = name.value
    if isinstance(name, str):
        return readable(str.__str__(name))
    if name is None or isinstance(name, bool):
        return {None: "null", True: "true", False: "false"}[name]
    return _text_of(name)


def _text_of(value: Any) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, Iterator) or isawaitable(value) or isasyncgen(value):
        named = type(cast(Any, value)).__name__
        raise ToolError(f"The tool returned a {named}, not a value; return a list or the value itself.")
    try:
        text = readable(str.__str__(str(value)))
    except BaseException:  # the text of a foreign object may raise whatever it likes
        return f"(a {type(value).__name__} that cannot be shown)"
    if _ADDRESS.search(text):
        raise ToolError(
            f"The tool returned an object of the class {type(value).__name__[:100]}, which is no data; return"
            " text, numbers, lists, dictionaries or a dataclass."
        )
    return text


def duration_text(value: timedelta) -> str:
    """A timedelta as ISO 8601, to the microsecond: `-P1DT0.5S`."""
    sign = "-" if value < timedelta() else ""
    value = abs(value)
    part = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    days = f"{value.days}D" if value.days else ""
    clock = f"T{value.seconds}{part}S" if value.seconds or part or not days else ""
    return f"{sign}P{days}{clock}"


def _integer(value: int) -> int | str:
    return value if value.bit_length() <= _INTEGER_BITS else hex(value)
