"""Encodes values that JSON cannot hold, and decodes them.

A number that is none, an integer of 5,000 digits and bytes become `{"$": kind, "value": …}`; an object that
has a member `$` of its own is wrapped the same way. What is no value at all becomes its text.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, cast

_INTEGER_BITS = 14_000  # Python refuses to print longer ones in decimal
_DEPTH = 200


def mark(value: Any) -> Any:
    """The value as JSON can hold it; never raises."""
    return _mark(value, set())


def unmark(value: Any) -> Any:
    """Reverses `mark`; raises `ValueError`, `KeyError` or `TypeError` for invalid marks."""
    if isinstance(value, list):
        return [unmark(member) for member in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    if "$" not in members:
        return {name: unmark(member) for name, member in members.items()}
    return _UNMARK[members["$"]](members["value"])


def _mark(value: Any, inside: set[int]) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        small = value.bit_length() <= _INTEGER_BITS
        return int(value) if small else {"$": "integer", "value": hex(value)}
    if isinstance(value, float):
        return float(value) if isfinite(value) else {"$": "float", "value": repr(float(value))}
    if isinstance(value, bytes | bytearray):
        return {"$": "bytes", "value": b64encode(value).decode("ascii")}
    if not isinstance(value, Mapping | Sequence | set | frozenset):
        return _shown(value)
    if len(inside) >= _DEPTH or id(cast(Any, value)) in inside:
        return "(nested too deeply to be kept)"
    inside = inside | {id(cast(Any, value))}
    if not isinstance(value, Mapping):
        return [_mark(member, inside) for member in cast(Any, value)]
    marked = {
        name if isinstance(name, str) else _shown(name): _mark(member, inside)
        for name, member in cast(Mapping[Any, Any], value).items()
    }
    return {"$": "object", "value": marked} if "$" in marked else marked


def _shown(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # the text of a foreign object may raise whatever it likes
        return f"(a {type(value).__name__} that cannot be kept)"


_UNMARK: dict[str, Callable[[Any], Any]] = {
    "integer": lambda text: int(text, 16),
    "float": float,
    "bytes": b64decode,
    "object": lambda members: {name: unmark(member) for name, member in members.items()},
}
