"""Validates a tool's result against its output schema."""

from collections.abc import Mapping
from typing import Any

from oneclaw.core.check.problem import clip, describe_problems
from oneclaw.core.check.schema import CompiledSchema
from oneclaw.core.errors import InvalidSchema, ToolError

PROBLEMS = 5
MESSAGE_CHARS = 1_000


class OutputCheck:
    """Checks the results of one tool; the schema is compiled when the tool is registered."""

    __slots__ = ("_name", "_schema")

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        self._name = name
        try:
            self._schema = CompiledSchema(schema)
        except InvalidSchema as error:
            raise InvalidSchema(f"The output of {name}: {error}", error.path) from None

    def check(self, value: Any) -> None:
        """Raise an `execution_error` that names the fields of a plain `value` that do not fit."""
        if self._schema.is_valid(value):
            return
        listed = describe_problems(self._schema.problems(value), PROBLEMS)
        message = f"The result of {self._name} does not fit its output schema: {listed}."
        raise ToolError(f"{clip(message, MESSAGE_CHARS)} The tool must be corrected.")
