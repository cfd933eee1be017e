"""Checks a call's raw arguments: repairs are noted, problems are reported all at once."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from oneclaw.core.check.coerce import coerce, has_whole_floats, round_whole_floats
from oneclaw.core.check.parameters import Parameters
from oneclaw.core.check.payload import read
from oneclaw.core.check.plain import ArgumentsRefused, is_large
from oneclaw.core.check.problem import clip, describe_unknown, nearest, render_path
from oneclaw.core.check.repair import Repair
from oneclaw.core.check.signature import describe_call
from oneclaw.core.errors import InvalidSchema, ToolError, invalid
from oneclaw.core.fast_init import fast_init
from oneclaw.core.subschema import is_object_type
from oneclaw.core.tool import ToolDefinition

PROBLEMS = 20
REPAIRS = 20
MESSAGE_CHARS = 2_000


@fast_init
@dataclass(frozen=True, slots=True)
class Checked:
    """Arguments that fit their schema, and one short line for each thing that was read otherwise."""

    arguments: dict[str, Any]
    repairs: tuple[str, ...] = ()


class ArgumentCheck:
    """The check of one tool's arguments, compiled when the tool is registered.

    A tool whose effect is not `read` gets no guesses: arguments that need an ambiguous repair (see
    `repair` and `coerce`) are refused, and the message says what would have been guessed.
    """

    __slots__ = ("_definition", "_parameters", "_signature", "schema")

    def __init__(self, definition: ToolDefinition) -> None:
        from oneclaw.core.check.schema import CompiledSchema  # loads the validator, which takes a while

        self._definition = definition
        self._parameters: Parameters | None = None
        self._signature = ""
        self.schema = CompiledSchema(definition.parameters)
        if not is_object_type(definition.parameters.get("type")) and not self._takes_objects_only():
            raise InvalidSchema(
                f'The parameters of {definition.name} must be an object: say "type": "object".', "$.type"
            )

    def _takes_objects_only(self) -> bool:
        return not any(map(self.schema.is_valid, (None, True, 0, 0.5, "", "a", [], [0])))

    @property
    def signature(self) -> str:
        """The tool in one line: `read_file(path: string, offset?: integer)`."""
        if not self._signature:
            self._signature = describe_call(self._definition.name, self._definition.parameters)
        return self._signature

    @property
    def parameters(self) -> Parameters:
        """The names and defaults of the schema, looked up when they are first needed."""
        if self._parameters is None:
            self._parameters = Parameters(self.schema)
        return self._parameters

    def check(self, raw: Mapping[str, Any] | str | bytes) -> Checked:
        """The arguments, ready for the tool; raises a `validation_error` that lists every problem."""
        try:
            arguments, repairs = read(raw)
        except ArgumentsRefused as refused:
            raise self._error(str(refused)) from None
        parameters = self._parameters or self.parameters
        unknown: list[str] = []
        if parameters.drops_others and not parameters.names.issuperset(arguments):
            unknown = [name for name in arguments if name not in parameters.names]
            for name in unknown:
                del arguments[name]
        if not self.schema.is_valid(arguments):
            arguments = self._mend(arguments, repairs, unknown)
        if has_whole_floats(arguments):
            repairs += round_whole_floats(self.schema, arguments)
        if parameters.defaults or parameters.nested:
            arguments = self._fill(arguments)
        if not repairs and not unknown:
            return Checked(arguments)
        self._refuse_guesses(repairs)
        for name in unknown:
            repairs.append(
                Repair(f"unknown parameter '{render_path((name,))}' was ignored{self._hint(name)}")
            )
        lines = [repair.text for repair in repairs[:REPAIRS]]
        if len(repairs) > REPAIRS:
            lines.append(f"and {len(repairs) - REPAIRS:,} more like these")
        return Checked(arguments, tuple(lines))

    def _mend(self, arguments: dict[str, Any], repairs: list[Repair], unknown: list[str]) -> dict[str, Any]:
        """Coerce, then try the defaults of required parameters; raise what is still wrong."""
        arguments, coerced = coerce(self.schema, arguments)
        repairs += coerced
        if self.schema.is_valid(arguments):
            return arguments
        filled = self._fill(arguments)
        if filled is arguments:
            raise self._error(self._list_problems(arguments, unknown))
        return filled

    def _fill(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with their defaults, unless the schema wants them without."""
        filled = deepcopy(arguments) if self.parameters.nested else dict(arguments)
        return filled if self.parameters.fill(filled) and self.schema.is_valid(filled) else arguments

    def _hint(self, name: str) -> str:
        near = nearest(name, self.parameters.names)
        return f" (did you mean '{render_path((near,))}'?)" if near else ""

    def _refuse_guesses(self, repairs: list[Repair]) -> None:
        if self._definition.effect == "read":
            return
        guesses = [repair.text for repair in repairs if repair.ambiguous]
        if guesses:
            listed = "; ".join(guesses[:PROBLEMS])
            raise self._error(
                f"The arguments would have to be guessed, and this tool may change things: {listed}."
                " Send exactly what is meant."
            )

    def _list_problems(self, arguments: dict[str, Any], unknown: list[str]) -> str:
        problems = self.schema.problems(arguments) + [describe_unknown((name,)) for name in unknown]
        listed = "; ".join(
            problem.text + (self._hint(problem.path) if problem.is_unknown else "")
            for problem in problems[:PROBLEMS]
        )
        if len(problems) > PROBLEMS:
            listed += f"; and {len(problems) - PROBLEMS:,} more"
        if is_large(arguments):
            listed += " (in arguments this large only the first problem is looked for)"
        return f"{listed}."

    def _error(self, message: str) -> ToolError:
        ending = f" Call it as {self.signature}."
        return invalid(clip(message, MESSAGE_CHARS - len(ending)) + ending)
