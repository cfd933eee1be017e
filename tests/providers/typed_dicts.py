"""Judges a value by a TypedDict: keys it does not have, keys that are missing, values of another type."""

import types
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Required, Union, cast, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

_WRAPPERS = (Required, NotRequired)
_UNIONS = (Union, types.UnionType)


def problems(value: Any, annotation: Any, path: str = "$") -> list[str]:
    """What is wrong with the value, the shortest list of all ways to read it; empty when nothing is."""
    annotation = _unwrapped(annotation)
    origin = get_origin(annotation)
    if origin in _UNIONS:
        return min((problems(value, each, path) for each in _options(annotation, value)), key=len)
    if is_typeddict(annotation):
        return _fields(value, annotation, path)
    if origin is Literal:
        return [] if value in get_args(annotation) else [f"{path} is {value!r}"]
    if annotation in (Any, object):
        return []
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return [] if isinstance(value, dict) else [f"{path} is no object"]
    if _is_list(annotation):
        if not isinstance(value, list):
            return [f"{path} is no list"]
        inner = get_args(annotation)[0]
        items = cast("list[Any]", value)
        return [each for at, item in enumerate(items) for each in problems(item, inner, f"{path}[{at}]")]
    if annotation is None or annotation is type(None):
        return [] if value is None else [f"{path} is not null"]
    if annotation is float:
        annotation = int | float
    if isinstance(value, bool) and annotation is not bool:
        return [f"{path} is a boolean"]
    is_type = isinstance(annotation, type | types.UnionType)
    return [] if is_type and isinstance(value, annotation) else [f"{path} is no {annotation}"]


def _unwrapped(annotation: Any) -> Any:
    while get_origin(annotation) in (*_WRAPPERS, Annotated):
        annotation = get_args(annotation)[0]
    return annotation


def _options(annotation: Any, value: Any) -> Iterable[Any]:
    """The ways to read a union; those of the value's own `type` where there are any."""
    options = [_unwrapped(each) for each in get_args(annotation)]
    if isinstance(value, dict):
        kind = cast("dict[str, Any]", value).get("type")
        named = [each for each in options if is_typeddict(each) and kind in _kinds(each)]
        return named or options
    if isinstance(value, list):
        return [each for each in options if _is_list(each)] or options
    return options


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping)


@cache
def _hints(annotation: Any) -> dict[str, Any]:
    return get_type_hints(annotation, include_extras=True)


def _kinds(annotation: Any) -> tuple[Any, ...]:
    return get_args(_unwrapped(_hints(annotation).get("type")))


def _fields(value: Any, annotation: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    fields, hints = cast("dict[str, Any]", value), _hints(annotation)
    missing = [name for name, hint in hints.items() if get_origin(hint) is Required and name not in fields]
    found = [f"{path}.{name} is missing" for name in missing]
    if getattr(annotation, "__pydantic_config__", {}).get("extra") != "allow":
        found += [f"{path}.{name} is unknown" for name in fields if name not in hints]
    for name, each in fields.items():
        if name in hints:
            found += problems(each, hints[name], f"{path}.{name}")
    return found
