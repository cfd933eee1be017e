"""Fields of dataclasses, TypedDicts and NamedTuples in one form."""

import dataclasses
import inspect
import typing
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from oneclaw.core.define import docstring
from oneclaw.core.define.annotation import evaluate_class

EMPTY = inspect.Parameter.empty
"""Stands for a default that is not there."""


class Member(NamedTuple):
    """A field of an object or a parameter of a function, before its type is read.

    `default` is EMPTY where there is none; `is_optional` says that it may be left out all the same.
    """

    name: str
    annotation: Any
    default: Any = EMPTY
    is_optional: bool = False
    description: str = ""


def has_members(kind: type[Any]) -> bool:
    return (
        dataclasses.is_dataclass(kind)
        or is_typed_dict(kind)
        or (hasattr(kind, "_fields") and issubclass(kind, tuple))
    )


def is_typed_dict(kind: type[Any]) -> bool:
    # typing.is_typeddict does not know the TypedDict of typing_extensions.
    return hasattr(kind, "__required_keys__") and issubclass(kind, dict)


def class_text(kind: type[Any]) -> docstring.Docstring:
    """Descriptions of a class and its fields; Python's generated text is ignored."""
    text = kind.__dict__.get("__doc__") or ""
    if text.startswith((f"{kind.__name__}(", "dict(")):
        return docstring.Docstring("", {})
    return docstring.parse(text, {name for base in kind.__mro__ for name in inspect.get_annotations(base)})


def members_of(kind: type[Any], descriptions: Mapping[str, str]) -> Iterator[Member]:
    """The fields of a class with their types, defaults and descriptions."""
    hints, of_tuple = evaluate_class(kind), cast("Any", kind)
    if is_typed_dict(kind):
        found = _keys(kind, hints)
    elif dataclasses.is_dataclass(kind):
        found = _fields(kind, hints)
    else:
        defaults = of_tuple._field_defaults
        found = (Member(name, hints.get(name, Any), defaults.get(name, EMPTY)) for name in of_tuple._fields)
    for member in found:
        yield member._replace(description=descriptions.get(member.name, ""))


def _keys(kind: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    for name, hint in hints.items():
        # What stands at the key wins: with postponed annotations the class has not seen it.
        said = getattr(typing.get_origin(hint), "_name", "")
        is_required = said == "Required" or (said != "NotRequired" and name in kind.__required_keys__)
        yield Member(name, hint, is_optional=not is_required)


def _fields(kind: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    for each in dataclasses.fields(kind):
        if not each.init:
            continue
        default = EMPTY if each.default is dataclasses.MISSING else each.default
        has_factory = each.default_factory is not dataclasses.MISSING
        yield Member(each.name, hints[each.name], default, is_optional=has_factory)
