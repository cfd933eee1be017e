"""Sends the schema of a structured answer, or describes it in words."""

from functools import lru_cache
from typing import Any

from oneclaw.providers.base import OutputSchema, Request
from oneclaw.providers.dialect.convert import Dialected, to_dialect
from oneclaw.providers.written import to_text


@lru_cache(maxsize=64)
def dialect_output(output: OutputSchema, dialect: str) -> Dialected:
    """The schema as a dialect takes it; made once."""
    return to_dialect(output.schema, dialect)


def openai_output(request: Request, strict: bool) -> dict[str, Any]:
    """The format of the answer for OpenAI; empty where there is none, or it has to be told in words."""
    if request.output is None or not (strict and request.output.is_native):
        return {}
    dialected = dialect_output(request.output, "openai_strict")
    return {"name": request.output.name, "schema": dialected.schema, "strict": dialected.is_strict}


def describe_output(output: OutputSchema) -> str:
    """The schema as an instruction."""
    return (
        "Give your final answer as one JSON object that fits this JSON Schema, and nothing else: no other"
        f" text, no code fence.\n{to_text(dict(output.schema))}"
    )


def instruct(request: Request, is_native: bool) -> str:
    """The instructions of a request, with the schema of its answer where the wire has not sent it."""
    if request.output is None or is_native:
        return request.instructions
    return "\n\n".join(filter(None, (request.instructions, describe_output(request.output))))
