"""A permission request: the call, its needs and the question for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oneclaw.core.permit.judgement import Judgement
from oneclaw.core.permit.need import meaning_of
from oneclaw.core.permit.need_status import refusal
from oneclaw.core.permit.prompt import (
    given_arguments,
    prompt_text,
    shown_arguments,
    title_of,
    why_text,
)
from oneclaw.core.question import ANSWERS, PermissionAnswer, Question, question_key
from oneclaw.core.session import Session
from oneclaw.core.text.display import TooDeep, one_line
from oneclaw.core.tool import ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.text.diff import Preview

RedactValue = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A call and the needs it is asked about, together."""

    call_id: str
    definition: ToolDefinition
    arguments: Mapping[str, Any]
    session: Session
    needs: tuple[str, ...]
    about: str = ""
    judged: Mapping[str, Judgement] = field(default_factory=dict[str, Judgement])

    def notes(self, redact: RedactValue) -> list[str]:
        """The owner's verdict on the call."""
        return [redact(note) for one in self.judged.values() for note in one.notes]


def question_of(
    request: PermissionRequest,
    needs: tuple[str, ...],
    digest: str,
    now: float,
    seconds: float,
    redact: RedactValue,
    preview: "Preview | None" = None,
) -> Question:
    """The question for some needs of a call; raises `ToolError` where a person could not read it."""
    # Whom an agent asked has no rights of its own: the answer is remembered for the one that asked.
    definition, session = request.definition, request.session.line[-1]
    try:
        shown = shown_arguments(redact(dict(request.arguments)))
    except TooDeep as error:
        raise refusal(needs, f"{error} A person cannot read that; use flatter arguments.") from error
    meanings = {need: meaning_of(need) for need in needs}
    unnamed = {"session": not session.id, "agent": not session.agent}
    is_asked = any(request.session.must_ask(need) for need in needs)
    diff = None if preview is None else redact(preview.diff.to_json())
    offered: tuple[PermissionAnswer, ...] = ("once", "no", "never") if is_asked else ANSWERS
    is_ruled = any(one.fits is not None for one in request.judged.values())
    where = next((one.where for one in request.judged.values() if one.where), "")
    warnings = dict.fromkeys(redact(text) for one in request.judged.values() for text in one.warnings)
    rules = [] if is_asked else [rule for one in request.judged.values() for rule in one.rules]
    return Question(
        call_id=request.call_id,
        tool=definition.name,
        session=session.id,
        agent=session.agent,
        run=session.run,
        needs=needs,
        about=request.about,
        is_ruled=is_ruled,
        title=title_of(definition, request.session),
        why=why_text(needs, "" if is_ruled else request.about, where),
        warnings=tuple(one_line(text) for text in warnings),
        given=given_arguments(definition, shown),
        rules=tuple(rule for rule in rules if redact(rule) == rule),
        digest=digest,
        text=prompt_text(definition, meanings, shown, request.about, request.session, request.notes(redact)),
        arguments=shown,
        answers=tuple(answer for answer in offered if not unnamed.get(answer)),
        diff=diff,
        in_diff=() if preview is None else preview.shown,
        waits=session.waits,
        key=question_key("permission", definition.name, needs, request.about, digest, request.arguments),
        created=now,
        expires=now + seconds,
    )
