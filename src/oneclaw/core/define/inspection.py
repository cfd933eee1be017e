"""Inspects a callable: its name, text and parameters."""

import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from oneclaw.core.define.annotation import UnknownType, evaluate
from oneclaw.core.define.naming import fit_name
from oneclaw.core.errors import InvalidName, InvalidTool
from oneclaw.core.tool import NAME, Context, Tool

Role = Literal["value", "context", "extra", "fixed"]
"""A value the model gives, the context, the rest of the values (`**kwargs`), or one a partial has set."""


class FunctionParameter(NamedTuple):
    """One parameter; `default` is `inspect.Parameter.empty` where there is none."""

    name: str
    annotation: Any
    default: Any
    role: Role
    is_positional: bool


class FunctionSource(NamedTuple):
    """The Python function behind what was given, which may be a method, a partial, a wrapper or an object."""

    code: Any
    name: str
    text: str | None
    is_async: bool

    @classmethod
    def of(cls, function: Any) -> "FunctionSource":
        _refuse_what_is_no_function(function)
        target = function
        while isinstance(target, functools.partial):
            target: Any = target.func  # pyright: ignore[reportUnknownMemberType]
        is_async = inspect.iscoroutinefunction(target)
        target = inspect.unwrap(target)
        if isinstance(target, MethodType | staticmethod):
            target = target.__func__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if hasattr(target, "__name__"):
            return cls(target, target.__name__, target.__doc__, is_async)
        code = inspect.unwrap(type(target).__call__)
        is_async = inspect.iscoroutinefunction(type(target).__call__)
        name = fit_name(type(target).__name__)
        return cls(code, name, code.__doc__ or type(target).__doc__, is_async)

    @property
    def origin(self) -> str:
        """Where the function stands: file and line, or the module of one written in C."""
        if code := getattr(self.code, "__code__", None):
            return f"{code.co_filename}:{code.co_firstlineno}"
        return f"{self.code.__module__}.{self.code.__qualname__}"

    def tool_name(self) -> str:
        """The name of the function, if a tool may have it."""
        if NAME.match(self.name):
            return self.name
        raise InvalidName(
            f"Function {self.name!r} cannot give its name to a tool: use lower-case letters, digits and _,"
            " starting with a letter, at most 64 characters;"
            f" rename it or write @tool(name={fit_name(self.name)!r})."
        )


def read_signature(
    name: str, function: Callable[..., Any], source: FunctionSource
) -> list[FunctionParameter]:
    """Every parameter in order; raises `InvalidTool` for what a JSON object cannot fill."""
    if inspect.isgeneratorfunction(source.code) or inspect.isasyncgenfunction(source.code):
        raise InvalidTool(f"Tool {name!r} yields, but a call has one result; collect a list and return it.")
    try:
        found = inspect.signature(function).parameters.values()
    except (ValueError, TypeError, NameError):
        raise InvalidTool(f"Tool {name!r}: Python cannot tell its parameters; wrap it in a def.") from None
    fixed = fixed_names(function)
    names = getattr(source.code, "__globals__", {})
    parameters: list[FunctionParameter] = []
    for each in found:
        _refuse_what_has_no_name(name, each, is_first=not parameters)
        annotation = Any if each.annotation is each.empty else _evaluate(name, each, names)
        role: Role = "extra" if each.kind is each.VAR_KEYWORD else "value"
        role = "fixed" if each.name in fixed else "context" if is_context(annotation) else role
        parameters.append(
            FunctionParameter(each.name, annotation, each.default, role, each.kind is each.POSITIONAL_ONLY)
        )
    return parameters


def fixed_names(function: Any) -> frozenset[str]:
    """The parameters a partial has set by name, whether or not the signature shows them."""
    return frozenset(function.keywords) if isinstance(function, functools.partial) else frozenset()


def is_context(annotation: Any) -> bool:
    """Whether a parameter asks for the context: `Context`, `Context | None`, or either in `Annotated`."""
    if annotation is Context:
        return True
    if get_origin(annotation) is Annotated:
        return is_context(get_args(annotation)[0])
    args = get_args(annotation)
    return Context in args and set(args) <= {Context, type(None)}


def _evaluate(name: str, parameter: inspect.Parameter, names: dict[str, Any]) -> Any:
    try:
        return evaluate(parameter.annotation, names)
    except UnknownType as problem:
        raise InvalidTool(
            f"Tool {name!r}: {problem.at(parameter.name)}; import the type in the module"
            " of the function, outside `if TYPE_CHECKING`."
        ) from None


def _refuse_what_has_no_name(name: str, parameter: inspect.Parameter, *, is_first: bool) -> None:
    if parameter.kind is parameter.VAR_POSITIONAL:
        raise InvalidTool(
            f"Tool {name!r}: *{parameter.name} cannot be filled, for arguments of a call have names;"
            f" write {parameter.name}: list instead."
        )
    if is_first and parameter.name in ("self", "cls") and parameter.annotation is parameter.empty:
        raise InvalidTool(
            f"Tool {name!r} is a method without its object; make the tool from the bound method,"
            " as tool(weather.today)."
        )


def _refuse_what_is_no_function(function: Any) -> None:
    if isinstance(function, Tool):
        raise InvalidTool(f"{function.name!r} is a tool already; change it with dataclasses.replace.")
    if isinstance(function, type):
        name = function.__name__
        raise InvalidTool(
            f"{name} is a class; make the tool from an object that can be called: tool({name}())."
        )
    if not callable(function):
        kind = type(function).__name__
        raise InvalidTool(
            f"@tool was given a value of type {kind}, which cannot be called; give it a function."
        )
