"""Resolves annotations given as text or forward references."""

import inspect
import sys
import typing
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from oneclaw.core.tool import Context


class UnknownType(Exception):
    """A type without a JSON form, or one that cannot be found; `path` are the members that lead to it."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str] = []

    def at(self, name: str) -> "UnknownType":
        self.path.insert(0, name)
        return self

    def __str__(self) -> str:
        inside = f" (in {'.'.join(self.path[1:])!r})" if self.path[1:] else ""
        return f"parameter {self.path[0]!r} has {self.problem}{inside}" if self.path else self.problem


def evaluate(annotation: Any, names: Mapping[str, Any]) -> Any:
    """The type an annotation of a function stands for; `names` are the globals of its module."""
    if _is_evaluated(annotation):
        return annotation
    return _evaluate_all(SimpleNamespace(__annotations__={"it": annotation}), dict(names), {})["it"]


def _is_evaluated(annotation: Any) -> bool:
    """Whether no name is left to look up: true for most annotations, and much cheaper than the look-up."""
    if isinstance(annotation, type) or annotation is Any:
        return True
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return True
    args = typing.get_args(annotation)
    return bool(args) and all(map(_is_evaluated, args[:1] if origin is typing.Annotated else args))


def evaluate_class(kind: type[Any]) -> dict[str, Any]:
    """The annotations of a class and its bases; a class inside a function may name itself."""
    return _evaluate_all(kind, None, {kind.__name__: kind})


def _evaluate_all(
    owner: Any, global_names: dict[str, Any] | None, local_names: dict[str, Any]
) -> dict[str, Any]:
    try:
        return typing.get_type_hints(owner, global_names, local_names or None, include_extras=True)
    except NameError:
        pass  # perhaps a type that lives in the function around, or is imported for type checkers only
    except (SyntaxError, TypeError, AttributeError) as error:
        raise UnknownType(f"an annotation that cannot be read ({error})") from None
    try:
        local_names = {"Context": Context, **_caller_names(), **local_names}
        return typing.get_type_hints(owner, global_names, local_names, include_extras=True)
    except (NameError, SyntaxError, TypeError, AttributeError) as error:
        raise UnknownType(f"an annotation that cannot be found ({error})") from None


def _caller_names() -> dict[str, Any]:
    """The local names where the tool is being made: the nearest frame outside this package's core."""
    frame = inspect.currentframe()
    while frame and frame.f_back and frame.f_globals.get("__name__", "").startswith("oneclaw.core."):
        frame = frame.f_back
    return dict(frame.f_locals) if frame else {}


def alias_value(alias: Any) -> Any:
    """Resolves a type alias; the backport keeps text as text."""
    return evaluate(alias.__value__, vars(sys.modules[alias.__module__]))


def is_alias(annotation: Any) -> bool:
    """Whether this is a `type X = …` of Python 3.12 (or its backport)."""
    return type(annotation).__name__ == "TypeAliasType"


def is_qualifier(origin: Any) -> bool:
    """Whether this wraps a type without changing it, as `Required[T]`."""
    return getattr(origin, "_name", "") in ("Required", "NotRequired", "ReadOnly", "Final")


def spell(annotation: Any) -> str:
    """A type as a person writes it."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")
