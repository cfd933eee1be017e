"""Validates a person's form input against a JSON Schema and fills in defaults."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from oneclaw.core.check.coerce import coerce
from oneclaw.core.check.parameters import Parameters
from oneclaw.core.check.payload import read
from oneclaw.core.check.plain import ArgumentsRefused
from oneclaw.core.check.problem import clip
from oneclaw.core.check.schema import CompiledSchema
from oneclaw.core.errors import InvalidSchema

PROBLEMS = 5
MESSAGE_CHARS = 600


def check_schema(document: Mapping[str, Any]) -> None:
    """Raise `InvalidSchema` for a document that is not the schema of an object."""
    CompiledSchema(document)
    if document.get("type") != "object":
        raise InvalidSchema('The schema of a form must be that of an object: say "type": "object".', "$.type")


def read_form(document: Mapping[str, Any], given: Any) -> dict[str, Any]:
    """The values of an object or of its JSON text; raises ValueError with what is wrong with them."""
    schema = CompiledSchema(document)
    try:
        values, _ = read(given)
    except ArgumentsRefused as refused:
        raise ValueError(f"The answer is no JSON object: {refused}") from None
    filled = deepcopy(values)
    Parameters(schema).fill(filled)
    for fitting in (filled, values):
        if schema.is_valid(fitting):
            return fitting
    mended, _ = coerce(schema, filled)  # a person writes "5" for 5
    if schema.is_valid(mended):
        return mended
    problems = [problem.text for problem in schema.problems(mended)]
    more = f"; and {len(problems) - PROBLEMS} more" if len(problems) > PROBLEMS else ""
    raise ValueError(clip(f"The answer does not fit: {'; '.join(problems[:PROBLEMS])}{more}.", MESSAGE_CHARS))
