"""A judge: what of a JSON value does not fit the types of an SDK, unknown keys included.

The types of requests are `TypedDict`s. A type checker holds them to their keys, a validator does not.
"""

import types
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import typing_extensions

_REQUIRED = typing_extensions.Required
_WRAPPERS = (_REQUIRED, typing_extensions.NotRequired, Annotated)
_LISTS = (list, Iterable, Sequence)
_SAME: dict[Any, tuple[type, ...]] = {str: (str,), bool: (bool,), int: (int,), float: (int, float)}


def misfits(value: Any, wanted: Any, path: str = "$") -> list[str]:
    """Each place where `value` is not as `wanted` has it; nothing when all of it is."""
    origin = get_origin(wanted)
    if origin in _WRAPPERS:
        return misfits(value, get_args(wanted)[0], path)
    if wanted in (Any, object):
        return []
    if origin in (Union, types.UnionType):
        return min((misfits(value, each, path) for each in get_args(wanted)), key=len)
    if origin is Literal:
        return [] if value in get_args(wanted) else [f"{path}: {value!r} is none of {get_args(wanted)}"]
    if typing_extensions.is_typeddict(wanted):
        return _object_misfits(value, wanted, path)
    if origin in _LISTS:
        return _list_misfits(value, get_args(wanted)[0], path)
    if origin is dict and isinstance(value, dict):
        of = get_args(wanted)[1]
        entries = cast("dict[str, Any]", value).items()
        return [wrong for name, each in entries for wrong in misfits(each, of, f"{path}.{name}")]
    kinds = (types.NoneType,) if wanted in (None, types.NoneType) else _SAME.get(wanted, ())
    is_right = isinstance(value, kinds) and (wanted is bool or not isinstance(value, bool))
    return [] if is_right else [f"{path}: {str(value)[:40]!r} is not {wanted}"]


def _list_misfits(value: Any, of: Any, path: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{path}: no list"]
    each = enumerate(cast("list[Any]", value))
    return [wrong for number, item in each for wrong in misfits(item, of, f"{path}[{number}]")]


def _object_misfits(value: Any, wanted: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path}: no object"]
    entries = cast("dict[str, Any]", value)
    hints, required = _hints(wanted)
    wrong = [f"{path}: unknown key {name}" for name in entries.keys() - hints.keys()]
    wrong += [f"{path}: missing key {name}" for name in required - entries.keys()]
    for name in entries.keys() & hints.keys():
        wrong += misfits(entries[name], hints[name], f"{path}.{name}")
    return wrong


@cache
def _hints(wanted: Any) -> tuple[dict[str, Any], frozenset[str]]:
    hints = typing_extensions.get_type_hints(wanted, include_extras=True)
    return hints, frozenset(name for name, hint in hints.items() if get_origin(hint) is _REQUIRED)
