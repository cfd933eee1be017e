"""Builds the permission question and the grant its answer makes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from oneclaw.core.permit.grant import Grant, Scope, new_id
from oneclaw.core.permit.need import CHANGES, meaning_of
from oneclaw.core.question import KEPT, Question, Reply
from oneclaw.core.session import Session
from oneclaw.core.text.display import SHOWN_CHARS, one_line, quoted, shown, visible
from oneclaw.core.tool import ToolDefinition

_MOST_ARGUMENTS = 100
_ALL_CHARS = 100_000

Fits = Callable[[Mapping[str, str]], bool]
"""Whether a pattern fits the arguments of the call that asks; ValueError for one that can be none."""


def covers(answered: Question, reply: Reply, other: Question, fits: Fits) -> bool:
    """Whether the answer to one question is the answer to another one, whose arguments `fits` knows, too."""
    if answered.tool != other.tool or reply.outcome not in KEPT:
        return False
    if reply.outcome == "never":
        return not set(answered.needs).isdisjoint(other.needs)
    is_in_scope = (
        reply.outcome == "always"
        or (reply.outcome == "agent" and answered.agent == other.agent)
        or (reply.outcome == "session" and answered.session == other.session)
    )
    return (
        is_in_scope
        and set(other.needs) <= set(answered.needs)
        and answered.digest == other.digest
        and (answered.about == other.about or (other.is_ruled and not granted_about(answered, reply)))
        and fits(reply.pattern)
    )


def granted_about(question: Question, reply: Reply) -> str:
    """The subject of a remembered answer. For calls under rules a pattern says it instead."""
    return "" if reply.pattern and question.is_ruled else question.about


_SCOPES: dict[str, Callable[[Question], tuple[Scope, str]]] = {
    "session": lambda question: ("session", question.session),
    "agent": lambda question: ("agent", question.agent),
    "always": lambda question: ("everywhere", ""),
}


def grant_for(question: Question, need: str, reply: Reply, now: float) -> Grant:
    """The grant that a kept answer makes for one need of a question."""
    if reply.outcome == "never":
        return Grant(
            id=new_id(), need=need, tool=question.tool, verdict="deny", scope="everywhere", created=now
        )
    scope, holder = _SCOPES[reply.outcome](question)
    return Grant(
        id=new_id(),
        need=need,
        tool=question.tool,
        verdict="allow",
        scope=scope,
        holder=holder,
        pattern=reply.pattern,
        about=granted_about(question, reply),
        digest=question.digest,
        created=now,
        expires=None if reply.seconds is None else now + reply.seconds,
    )


def shown_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Each argument as a person reads it; a hundred thousand characters between them. Raises `TooDeep`."""
    if len(arguments) > _MOST_ARGUMENTS:
        return {"all": shown(arguments)}
    chars = min(SHOWN_CHARS, _ALL_CHARS // max(1, len(arguments)))
    return {one_line(name, chars): shown(value, chars) for name, value in arguments.items()}


def prompt_text(
    definition: ToolDefinition,
    needs: Mapping[str, str],
    arguments: Mapping[str, str],
    about: str,
    session: Session,
    notes: Iterable[str] = (),
) -> str:
    """The whole question: the tool, its needs with their meaning, why, for whom, and every argument."""
    label = f" {quoted(definition.label_in())}" if definition.label else ""
    lines = [f"The tool {definition.name}{label} asks for:"]
    lines += [f"  {visible(need)}: {visible(meaning)}" for need, meaning in needs.items()]
    if about:
        lines.append(f"Why: {one_line(about)}")
    lines += [f"  {one_line(note)}" for note in notes]
    lines.append(f"Agent: {quoted(session.agent)}. Session: {quoted(short_session(session.id))}.")
    lines += _arguments_lines(definition, arguments)
    allowed = f"only this: {one_line(about).rstrip('.')}" if about else f"every call of {definition.name}"
    lines.append(
        f'"This session", "this agent" and "always" allow {allowed}. "Never" refuses every call of'
        f" {definition.name} that needs this."
    )
    return "\n".join(lines)


def title_of(definition: ToolDefinition, session: Session) -> str:
    """Who asks for what, in one line."""
    return f"{one_line(session.agent)} asks: {one_line(definition.label_in() or definition.name)}"


def why_text(needs: Sequence[str], about: str, where: str) -> str:
    """Why a call asks, in one line: the reason, or the needs in words, and how it is shut in."""
    wanted = [f"to {visible(meaning_of(need))}" for need in needs if need != CHANGES]
    if about:
        return one_line(about)
    if not wanted:
        return "It changes something, and the mode ask confirms every change."
    return f"It needs {' and '.join(wanted)}{f': {where}' if where else ''}."


def given_arguments(definition: ToolDefinition, arguments: Mapping[str, str]) -> dict[str, str]:
    """Those of the shown arguments that are not their defaults."""
    properties = definition.parameters.get("properties", {})
    defaults = {
        name: shown(schema["default"])
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and "default" in schema
    }
    return {name: value for name, value in arguments.items() if value != defaults.get(name)}


def short_session(session_id: str) -> str:
    """As much of a session's id as is enough to name it."""
    return session_id.rpartition("-")[2][:8]


def _arguments_lines(definition: ToolDefinition, arguments: Mapping[str, str]) -> list[str]:
    """Every argument; those that are what they are without being given share one line, the last."""
    given = given_arguments(definition, arguments)
    plain = [f"{name} = {value}" for name, value in arguments.items() if name not in given]
    lines = [f"  {name} = {value}" for name, value in given.items()]
    lines = ["Arguments:", *lines] if given else ["Arguments: none."]
    return lines + ([f"  by default: {', '.join(plain)}"] if plain else [])
