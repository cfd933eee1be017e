"""ask_user: asks the person a question."""

from typing import Any

from oneclaw.core.define.function import tool
from oneclaw.core.permit.need import PERSON
from oneclaw.core.tool import Context


@tool(needs=[PERSON], effect="read", group="person", isolation="inline", label="Ask the person")
async def ask_user(
    context: Context,
    question: str,
    options: list[str] | None = None,
    schema: dict[str, Any] | None = None,
) -> Any:
    """Ask the person a question and wait for the answer. Ask only what you cannot find out yourself.

    question: The question, with all that is needed to answer it.
    options: The answers to choose from, if there are only these.
    schema: A JSON Schema of an object, to ask for several values at once; defaults are filled in.
    """
    return await context.ask(question, options=options or (), schema=schema)
