"""The check of a tool's results against its output schema."""

from collections.abc import Mapping
from typing import Any

from oneclaw.core.check.problem import Problem, clip
from oneclaw.core.check.schema import Schema
from oneclaw.core.errors import InvalidSchema, ToolError

PROBLEMS = 5
MESSAGE_CHARS = 1_000


class OutputCheck:
    """Checks the results of one tool; the schema is compiled when the tool is registered."""

    __slots__ = ("_name", "_schema")

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        self._name = name
        try:
            self._schema = Schema(schema)
        except InvalidSchema as error:
            raise InvalidSchema(f"The output of {name}: {error}", error.path) from None

    def check(self, value: Any) -> None:
        """Raise an `execution_error` that names the fields of a plain `value` that do not fit."""
        if self._schema.is_valid(value):
            return
        problems = self._schema.problems(value)
        listed = "; ".join(map(_describe, problems[:PROBLEMS]))
        more = f"; and {len(problems) - PROBLEMS:,} more" if len(problems) > PROBLEMS else ""
        message = f"The result of {self._name} does not fit its output schema: {listed}{more}."
        raise ToolError(f"{clip(message, MESSAGE_CHARS)} The tool must be corrected.")


def _describe(problem: Problem) -> str:
    if problem.is_unknown:
        return f"'{problem.path}' is not in the schema"
    where = f"'{problem.path}'" if problem.path else "it"
    return f"{where} {problem.expected} but got {problem.value}"
