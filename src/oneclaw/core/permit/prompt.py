"""A question to a person: what it shows, the answers it takes, what an answer covers and grants."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from oneclaw.core.permit.grant import Grant, Scope, fits, new_id
from oneclaw.core.session import Session
from oneclaw.core.text.display import SHOWN_CHARS, one_line, quoted, shown, visible
from oneclaw.core.tool import ToolDefinition

Answer = Literal["once", "no", "session", "agent", "always", "never"]
"""A person's answer: yes or no to this call; yes for the session, the agent or always; no for good."""
ANSWERS: tuple[Answer, ...] = get_args(Answer)
YES: tuple[Answer, ...] = ("once", "session", "agent", "always")
KEPT: tuple[Answer, ...] = ("session", "agent", "always", "never")
_MOST_ARGUMENTS = 100
_ALL_CHARS = 100_000
Outcome = Literal[Answer, "timeout", "nobody", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A question to a person. `text` and `arguments` are complete and escaped: show these.

    needs    what is asked for, all of it at once
    about    the reason, as it was given, of a need that only showed while running
    digest   the hash of the tool's definition
    answers  those that may be given
    created  and `expires` are seconds since 1970
    """

    id: str = field(default_factory=lambda: secrets.token_hex(8))
    call_id: str
    tool: str
    session: str
    agent: str
    needs: tuple[str, ...]
    about: str = ""
    digest: str = ""
    text: str
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    answers: tuple[Answer, ...] = ANSWERS
    created: float = 0.0
    expires: float = 0.0

    @property
    def need(self) -> str:
        return ", ".join(self.needs)


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a prompt. `pattern` and `seconds` narrow the grant that a kept answer makes.

    `by` is the prompt that was answered: another one, where its answer covered this prompt too.
    """

    outcome: Outcome
    reason: str = ""
    by: str = ""
    pattern: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: float | None = None


def check_answer(
    answer: str, offered: tuple[Answer, ...], pattern: Mapping[str, str] | None, seconds: float | None
) -> None:
    """Raise ValueError for an answer that cannot be given."""
    if answer not in offered:
        raise ValueError(f"{answer!r} is not an answer to this prompt; use one of: {', '.join(offered)}.")
    if (pattern or seconds is not None) and answer not in ("session", "agent", "always"):
        raise ValueError(f"The answer {answer!r} takes no pattern and no time.")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"A grant for {seconds} seconds would be over before it begins.")


def covers(answered: Prompt, reply: Reply, other: Prompt, raw: Mapping[str, Any]) -> bool:
    """Whether the answer to one prompt is the answer to another one (with the arguments `raw`), too."""
    if answered.tool != other.tool:
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
        and (answered.digest, answered.about) == (other.digest, other.about)
        and fits(reply.pattern, raw)
    )


_SCOPES: dict[str, Callable[[Prompt], tuple[Scope, str]]] = {
    "session": lambda prompt: ("session", prompt.session),
    "agent": lambda prompt: ("agent", prompt.agent),
    "always": lambda prompt: ("everywhere", ""),
}


def grant_for(prompt: Prompt, need: str, reply: Reply, now: float) -> Grant:
    """The grant that a kept answer makes for one need of a prompt."""
    if reply.outcome == "never":
        return Grant(
            id=new_id(), need=need, tool=prompt.tool, verdict="deny", scope="everywhere", created=now
        )
    scope, holder = _SCOPES[reply.outcome](prompt)
    return Grant(
        id=new_id(),
        need=need,
        tool=prompt.tool,
        verdict="allow",
        scope=scope,
        holder=holder,
        pattern=reply.pattern,
        about=prompt.about,
        digest=prompt.digest,
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
    label = f" {quoted(definition.label)}" if definition.label else ""
    lines = [f"The tool {definition.name}{label} asks for:"]
    lines += [f"  {visible(need)}: {visible(meaning)}" for need, meaning in needs.items()]
    if about:
        lines.append(f"Why: {one_line(about)}")
    lines += [f"  {one_line(note)}" for note in notes]
    lines.append(f"Agent: {quoted(session.agent)}. Session: {quoted(session.id)}.")
    lines += _arguments_lines(definition, arguments)
    extent = (
        "for this tool and what stands behind Why" if about else "for this tool whatever the arguments are"
    )
    lines.append(f"A yes that is kept holds {extent}; never is a no to every call of it that needs this.")
    return "\n".join(lines)


def _arguments_lines(definition: ToolDefinition, arguments: Mapping[str, str]) -> list[str]:
    """Every argument; those that are what they are without being given share one line, the last."""
    properties = definition.parameters.get("properties", {})
    defaults = {
        name: shown(schema["default"])
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and "default" in schema
    }
    said = {name: f"{name} = {value}" for name, value in arguments.items()}
    plain = [text for name, text in said.items() if arguments[name] == defaults.get(name)]
    given = [text for name, text in said.items() if arguments[name] != defaults.get(name)]
    lines = ["Arguments:", *(f"  {text}" for text in given)] if given else ["Arguments: none."]
    return lines + ([f"  by default: {', '.join(plain)}"] if plain else [])
