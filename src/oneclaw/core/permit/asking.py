"""Questions that a running tool asks a person: text, choice or form."""

import json
from collections.abc import Mapping, Sequence
from time import time
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidSchema, Kind, ToolError, invalid
from oneclaw.core.question import Question, QuestionKind, question_key
from oneclaw.core.session import Session
from oneclaw.core.text.display import quoted, visible

if TYPE_CHECKING:
    from oneclaw.core.permit.permission import Permissions

TEXT_CHARS = 10_000
MOST_OPTIONS = 50
OPTION_CHARS = 200
SCHEMA_CHARS = 20_000


async def ask_person(
    permissions: "Permissions",
    call_id: str,
    tool: str,
    arguments: Mapping[str, Any],
    session: Session,
    text: str,
    options: Sequence[str] = (),
    schema: Mapping[str, Any] | None = None,
    seconds: float | None = None,
) -> Any:
    """The answer of a person; raises `ToolError` for a question that cannot be asked or is not answered."""
    if problem := _problem(text, options, schema, seconds):
        raise invalid(problem)
    kind: QuestionKind = "form" if schema is not None else "choice" if options else "text"
    why_nobody = permissions.why_nobody(session)
    if why_nobody:
        raise ToolError(f"The question was not asked: {why_nobody}", Kind.TOOL_NOT_AVAILABLE)
    asker = session.line[-1]  # an agent that another asked has no person of its own
    text, options = permissions.redacted(text), permissions.redacted(list(options))
    now = time()
    question = Question(
        kind=kind,
        call_id=call_id,
        tool=tool,
        session=asker.id,
        agent=asker.agent,
        run=asker.run,
        text=_shown(tool, session.agent, text),
        answers=tuple(options),
        schema=None if schema is None else permissions.redacted(dict(schema)),
        waits=asker.waits,
        key=question_key(kind, tool, text, options, schema, arguments),
        created=now,
        expires=now + (seconds or permissions.broker.seconds_for(session)),
    )
    reply = await permissions.broker.ask(question)
    if reply.outcome != "answered":
        raise ToolError(f"{reply.reason} Go on without the answer, or say what is missing.")
    return reply.value


def _problem(
    text: str, options: Sequence[str], schema: Mapping[str, Any] | None, seconds: float | None
) -> str:
    """The problem of a question."""
    if not text.strip() or len(text) > TEXT_CHARS:
        return f"The question has {len(text):,} characters; ask in 1 to {TEXT_CHARS:,}."
    if options and schema is not None:
        return "A question has options or a schema, not both: leave one out."
    if any(not option.strip() or len(option) > OPTION_CHARS for option in options):
        return f"An option is a text of 1 to {OPTION_CHARS} characters; change the one that is not."
    if len(set(options)) != len(options) or len(options) > MOST_OPTIONS:
        return f"The options must differ, and be at most {MOST_OPTIONS}; there are {len(options)}."
    if seconds is not None and not seconds > 0:
        return f"A question that is open for {seconds} seconds cannot be answered; give a number above 0."
    if schema is None:
        return ""
    from oneclaw.core.check.form import check_schema  # loads the validator, which takes a while

    if len(json.dumps(schema, default=str)) > SCHEMA_CHARS:
        return f"The schema of the form has more than {SCHEMA_CHARS:,} characters; ask for less at once."
    try:
        check_schema(schema)
    except InvalidSchema as error:
        return f"The schema of the form is none: {error}"
    return ""


def _shown(tool: str, agent: str, text: str) -> str:
    """The question as a person reads it. Its lines are indented: none of them looks like one of ours."""
    who = f"The agent {quoted(agent)} asks:" if tool == "ask_user" else f"The tool {tool} asks:"
    return "\n".join([who, *(f"  {visible(line)}" for line in text.strip().splitlines())])
