"""Question: its content, accepted answers and outcome.

    kind        asks for                        answered with
    permission  a yes or no to one call         one of `answers`; `always` may have a pattern and a time
    choice      one of several texts            one of `answers`, or its number
    text        a text                          any text
    form        values that fit a JSON Schema   an object; its defaults are filled in

A question gets one answer. An answer that does not fit raises `ValueError`, and the question stays open.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

QuestionKind = Literal["permission", "choice", "text", "form"]
PermissionAnswer = Literal["once", "no", "session", "agent", "always", "never"]
"""A person's answer to a permission: yes or no to this call; yes for the session, the agent or always; no for
good."""
ANSWERS: tuple[PermissionAnswer, ...] = get_args(PermissionAnswer)
YES: tuple[PermissionAnswer, ...] = ("once", "session", "agent", "always")
KEPT: tuple[PermissionAnswer, ...] = ("session", "agent", "always", "never")
QuestionOutcome = Literal[PermissionAnswer, "answered", "timeout", "nobody", "withdrawn"]
ANSWERED: tuple[QuestionOutcome, ...] = (*ANSWERS, "answered")
"""The outcomes that are a person's."""
TEXT_CHARS = 20_000
LONGEST_SECONDS = 100 * 365 * 86_400.0
MISFIT = "The pattern does not match the call that asks; change it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a person. `text` and `arguments` are complete and escaped: show these.

    run       the run that a person, a schedule or a program started, and that asks; empty outside of runs
    needs     of a permission: what is asked for, all of it at once
    about     the reason, as it was given, of a need that only showed while running
    is_ruled  whether `about` is the call as the owner's rules read it: a pattern then takes its place
    title     of a permission: who asks for what, in one line
    why       of a permission: why it asks, in one line
    warnings  of a permission: what a person must see before a yes, a line each
    given     of a permission: the arguments that are not their defaults, by name
    rules     of a permission: rules that `always` may be given as its pattern, beside the call itself
    digest    the hash of the tool's definition
    answers   those that may be given to a permission, or the texts of a choice
    schema    the JSON Schema of a form
    diff      of a permission: what the call would change in a file, as `Diff.to_json` has it
    in_diff   the arguments that a reader of the whole diff has read; `text` names them all the same
    waits     whether it waits for a person to come when nobody is there
    key       the hash of what is asked: the same question, asked again after a crash, has the same
    created   and `expires` are seconds since 1970
    """

    id: str = field(default_factory=lambda: secrets.token_hex(8))
    kind: QuestionKind = "permission"
    call_id: str = ""
    tool: str
    session: str
    agent: str
    run: str = ""
    needs: tuple[str, ...] = ()
    about: str = ""
    is_ruled: bool = False
    title: str = ""
    why: str = ""
    warnings: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: tuple[str, ...] = ()
    digest: str = ""
    text: str
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    answers: tuple[str, ...] = ANSWERS
    schema: Mapping[str, Any] | None = None
    diff: Mapping[str, Any] | None = None
    in_diff: tuple[str, ...] = ()
    waits: bool = False
    key: str = ""
    created: float = 0.0
    expires: float = 0.0

    @property
    def need(self) -> str:
        return ", ".join(self.needs)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply. `pattern` and `seconds` narrow the grant of a remembered answer.

    `by` is the question that was answered: another one, where its answer covered this one too. `value` is the
    answer to a choice, a text or a form.
    """

    outcome: QuestionOutcome
    reason: str = ""
    by: str = ""
    pattern: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: float | None = None
    value: Any = None


class QuestionBook(Protocol):
    """Where questions are kept, so that any program can answer them. Each verb may raise `StoreError`."""

    async def ask(self, question: Question) -> tuple[Question, Reply | None]:
        """Keep a question that is asked now. Where a program that is gone asked the same in the same run,
        that one is returned in its place, with the answer it got meanwhile."""
        ...

    async def flush(self) -> None:
        """Have what was told of a question be as safe as the question."""
        ...

    async def settle(self, question_id: str, reply: Reply, who: str) -> Reply:
        """End an open question so; returns how it ended, as somebody else may have been first."""
        ...

    def withdraw(self, question_id: str) -> None:
        """Have it known that an open question is asked no more."""
        ...

    async def answered(self) -> Mapping[str, Reply]:
        """The questions of this program that others have answered since the last look."""
        ...


def question_key(*parts: Any) -> str:
    """The hash of what is asked."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def read_answer(
    question: Question,
    given: Any,
    pattern: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Reply:
    """The reply that an answer makes; raises ValueError for one that does not fit the question.

    None is no answer to a choice, a text or a form: the person declined.
    """
    if question.kind == "permission":
        check_answer(given, question.answers, pattern, seconds)
        return Reply(given, by=question.id, pattern=pattern or {}, seconds=seconds)
    if pattern or seconds is not None:
        raise ValueError(
            f"Only the answer to a permission takes a pattern and a time, not a {question.kind}."
        )
    if given is None:
        return Reply("no", "The person gave no answer.", by=question.id)
    return Reply("answered", by=question.id, value=_value(question, given))


def check_answer(
    answer: Any, offered: tuple[str, ...], pattern: Mapping[str, str] | None, seconds: float | None
) -> None:
    """Raise ValueError for an answer to a permission that cannot be given."""
    if answer not in offered:
        raise ValueError(f"{answer!r} is not an answer to this question; use one of: {', '.join(offered)}.")
    if (pattern or seconds is not None) and answer not in ("session", "agent", "always"):
        raise ValueError(f"The answer {answer!r} takes no pattern and no time.")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"A grant for {seconds} seconds would be over before it begins.")
    if seconds is not None and seconds > LONGEST_SECONDS:
        raise ValueError("A grant for more than a hundred years is permanent: leave out the time.")


def _value(question: Question, given: Any) -> Any:
    if question.kind == "form":
        from oneclaw.core.check.form import read_form  # loads the validator, which takes a while

        return read_form(question.schema or {}, given)
    if not isinstance(given, str):
        raise ValueError(f"The answer must be a text, not {type(given).__name__}.")
    if question.kind == "choice":
        return _chosen(question.answers, given.strip())
    if not given.strip():
        raise ValueError("The answer is empty; write a text.")
    if len(given) > TEXT_CHARS:
        raise ValueError(f"The answer has {len(given):,} characters; at most {TEXT_CHARS:,} are taken.")
    return given


def _chosen(options: tuple[str, ...], given: str) -> str:
    if given in options:
        return given
    if given.isdecimal() and len(given) < 10 and 1 <= int(given) <= len(options):
        return options[int(given) - 1]
    listed = ", ".join(f"{number} {option}" for number, option in enumerate(options, 1))
    raise ValueError(f'"{given[:100]}" is none of the choices; answer with one of: {listed}.')
