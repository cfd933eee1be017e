"""`@tool`: defines a tool from a Python function."""

import functools
import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from oneclaw.core.define import docstring
from oneclaw.core.define.annotation import UnknownType
from oneclaw.core.define.inspection import FunctionParameter, FunctionSource, fixed_names, read_signature
from oneclaw.core.define.member import Member
from oneclaw.core.define.scalar import Convert, TypeMismatch
from oneclaw.core.define.structure import Record
from oneclaw.core.define.types import Types
from oneclaw.core.errors import InvalidTool, invalid
from oneclaw.core.tool import Context, Effect, Isolation, Tool, ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.session import Session
    from oneclaw.core.text.diff import Preview


class Options(TypedDict, total=False):
    """Options of `@tool(...)`; each is a field of `ToolDefinition`, which has the default.

    name, description  instead of the function's name and the first paragraphs of its docstring
    isolation          instead of `inline` for `async def` and `thread` for `def`
    needs, secrets     one name or several
    """

    name: str | None
    description: str | None
    label: str | Mapping[str, str]
    needs: Collection[str]
    seconds: float
    group: str
    version: str
    effect: Effect
    isolation: Isolation | None
    resource: str | None
    secrets: Collection[str]
    feature: str | None
    default_on: bool
    switchable: bool
    chars: int
    trim: Literal["head", "middle"]
    spill: bool
    agents: tuple[str, ...] | None
    polls: bool
    aliases: tuple[str, ...]
    missing: Callable[[], str] | None
    preview: "Callable[[Mapping[str, Any], Session], Preview | None] | None"
    output: Mapping[str, Any] | None


@overload
def tool(function: Callable[..., Any], /, **options: Unpack[Options]) -> Tool: ...
@overload
def tool(function: None = None, /, **options: Unpack[Options]) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None, /, **options: Unpack[Options]
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool from a function, as `@tool`, `@tool(needs=["network"])` or `tool(client.search)`.

    The signature gives the parameters, the docstring their descriptions; a parameter annotated `Context`
    is filled in by the engine and not shown to the model.
    """
    return functools.partial(_make, options) if function is None else _make(options, function)


class FunctionWork:
    """Calls the function: JSON arguments become its types, the context goes where it is asked for.

    contexts    names of the parameters that take the context
    positional  the positional-only parameters in order, each with its default
    extra       how a value of `**kwargs` is converted; None where the function has none
    fixed       names a partial has set: nobody else may
    """

    __slots__ = ("contexts", "extra", "fixed", "function", "parameters", "positional")

    def __init__(
        self,
        function: Callable[..., Any],
        record: Record,
        extra: Convert | None,
        parameters: list[FunctionParameter],
    ) -> None:
        self.function = function
        self.parameters = record
        self.extra = extra
        self.contexts = tuple(each.name for each in parameters if each.role == "context")
        self.positional = tuple((each.name, each.default) for each in parameters if each.is_positional)
        self.fixed = fixed_names(function)

    def __call__(self, arguments: dict[str, Any], context: Context) -> Any:
        try:
            values = self.parameters.read(arguments)
            if self.extra is not None:
                self._add_extra(values, arguments, self.extra)
        except TypeMismatch as problem:
            raise invalid(str(problem)) from None
        for name in self.contexts:
            values[name] = context
        if not self.positional:
            return self.function(**values)
        first = [values.pop(name, default) for name, default in self.positional]
        return self.function(*first, **values)

    def _add_extra(self, values: dict[str, Any], arguments: Mapping[str, Any], convert: Convert) -> None:
        taken = {*self.parameters.fields, *self.contexts, *self.fixed}
        for name, value in arguments.items():
            if name not in taken:
                try:
                    values[name] = convert(value)
                except TypeMismatch as problem:
                    raise problem.at(name) from None


def _make(options: Options, function: Callable[..., Any]) -> Tool:
    source = FunctionSource.of(function)
    name = options.get("name") or source.tool_name()
    for option in options.keys() - Options.__annotations__.keys():
        known = ", ".join(Options.__annotations__)
        raise InvalidTool(f"Tool {name!r}: @tool has no option {option!r}; known are {known}.")
    parameters = read_signature(name, function, source)
    text = docstring.parse(source.text, [parameter.name for parameter in parameters])
    schema, work = _read(name, function, parameters, text.parameters)
    chosen: dict[str, Any] = {
        "name": name,
        "description": text.description,
        "isolation": "inline" if source.is_async else "thread",
        **{option: value for option, value in options.items() if value is not None},
        "parameters": schema,
    }
    for option in chosen.keys() & {"needs", "secrets"}:
        chosen[option] = (chosen[option],) if isinstance(chosen[option], str) else tuple(chosen[option])
    definition = ToolDefinition(**chosen)
    _check_resource(definition)
    return Tool(definition, work, source.origin, function)


def _read(
    name: str, function: Callable[..., Any], parameters: list[FunctionParameter], texts: Mapping[str, str]
) -> tuple[dict[str, Any], FunctionWork]:
    """The schema of the parameters a model sees, and the work that calls the function with them."""
    types = Types()
    shown = [each for each in parameters if each.role == "value"]
    members = [
        Member(each.name, each.annotation, each.default, False, texts.get(each.name, "")) for each in shown
    ]
    extra: Convert | None = None
    try:
        schema, record = types.record(members, dict)
        for each in parameters:
            if each.role == "extra":  # `**kwargs` lets the model add parameters of one type
                try:
                    shape = types.shape(each.annotation)
                except UnknownType as problem:
                    raise problem.at(each.name) from None
                schema["additionalProperties"], extra = shape.whole_schema or True, shape.whole_convert
    except UnknownType as problem:
        raise InvalidTool(
            f"Tool {name!r}: {problem}; use str, int, float, bool, list, dict, a dataclass or a TypedDict and"
            " convert it inside the function."
        ) from None
    if types.defs:
        schema["$defs"] = types.defs
    return schema, FunctionWork(function, record, extra, parameters)


def _check_resource(definition: ToolDefinition) -> None:
    known = definition.parameters["properties"]
    for place in re.findall(r"\{(\w+)", definition.resource or ""):
        if place not in known:
            raise InvalidTool(
                f"Tool {definition.name!r}: the resource {definition.resource!r} names {place!r},"
                f" which is not a parameter; parameters are {', '.join(known) or 'none'}."
            )
