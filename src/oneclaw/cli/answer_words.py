"""Parses typed answers to questions, and describes answers in words.

permission  a letter or its word; with a yes that is kept, `NAME=PATTERN` and `for 8h` narrow it
choice      the number or the text of an option
text        the line as it is
form        JSON, or NAME=VALUE and NAME:=JSON; nothing takes the defaults
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from oneclaw.core.check.signature import describe_type
from oneclaw.core.question import PermissionAnswer, Question
from oneclaw.core.subschema import is_object
from oneclaw.core.text.display import one_line, shown, visible

CHOICES: tuple[tuple[str, str, PermissionAnswer], ...] = (
    ("y", "yes, this once", "once"),
    ("s", "yes, for this session", "session"),
    ("a", "yes, for this agent", "agent"),
    ("w", "yes, always", "always"),
    ("n", "no", "no"),
    ("v", "no, never", "never"),
)
# A letter, or the word it stands for: `always` must not be read as `a`, nor `never` as `n`.
KEYS: dict[str, PermissionAnswer] = {
    "yes": "once",
    **{key: answer for key, _, answer in CHOICES},
    **{answer: answer for _, _, answer in CHOICES},
}
COMMAND = "command"
EXPLAIN = "?"
_SHORT_KEYS = (
    ("y", "yes", "once"),
    ("s", "this session", "session"),
    ("w", "always", "always"),
    ("n", "no", "no"),
)
_RULE = re.compile(r"(?:w|always)(\d)")
_TIME = re.compile(r"(?:^|\s)for (\d+(?:\.\d+)?) ?(s|m|h|d)\Z")
_NAME = re.compile(r"([A-Za-z_]\w*)=(.+)", re.DOTALL)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNITS = {"d": "day", "h": "hour", "m": "minute", "s": "second"}
_FIELD_CHARS = 300


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """An answer as it was said: what the broker and the store are given."""

    answer: Any
    pattern: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: float | None = None


def read_words(question: Question, line: str) -> TypedAnswer:
    """The answer that a line says; raises ValueError with what is wrong with it."""
    line = line.strip()
    if question.kind == "permission":
        return _read_permission(question, line)
    if question.kind == "form" and not line.startswith("{"):
        from oneclaw.cli.argument_words import read_arguments

        try:
            words = shlex.split(line)
        except ValueError:
            raise ValueError("A quote is not closed; close it, or answer with JSON.") from None
        return TypedAnswer(read_arguments(words, None))
    return TypedAnswer(line)


def _read_permission(question: Question, line: str) -> TypedAnswer:
    word, _, rest = line.partition(" ")
    numbered = _RULE.fullmatch(word.lower())
    if numbered is not None and 0 <= (at := int(numbered[1]) - 2) < len(question.rules):
        word, rest = "w", f"{question.rules[at]} {rest}"
    answer = KEYS.get(word.lower())
    if answer is None or answer not in question.answers:
        raise ValueError("Type one of the letters.")
    timed = _TIME.search(rest)
    seconds = None if timed is None else float(timed[1]) * _SECONDS[timed[2]]
    rest = rest if timed is None else rest[: timed.start()]
    return TypedAnswer(answer, read_pattern(question, rest.strip()) if rest.strip() else {}, seconds)


def read_pattern(question: Question, text: str) -> dict[str, str]:
    """The pattern of `NAME=PATTERN`; of a command its pattern alone. Raises ValueError."""
    found = _NAME.fullmatch(text)
    if found is not None and found[1] in question.arguments:
        return {found[1]: found[2].strip()}
    if question.is_ruled:
        return {COMMAND: text}
    named = ", ".join(question.arguments) or "none"
    raise ValueError(
        f"{text[:100]!r} is no pattern; write NAME=PATTERN, as in `always path=src/* for 8h`."
        f" The arguments are: {named}."
    )


def keys_of(question: Question) -> list[str]:
    """The keys of a permission that most people need; `?` tells of the others."""
    exactly = " this command" if question.is_ruled else ""
    keys = [
        f"[{key}] {text}{exactly if key == 'w' else ''}"
        for key, text, answer in _SHORT_KEYS
        if answer in question.answers
    ]
    rules = [f"[w{number}] always {visible(rule)}" for number, rule in enumerate(question.rules, 2)]
    no = len(keys) - 1
    return [*keys[:no], *rules, *keys[no:], f"[{EXPLAIN}] more"]


def told(question: Question, said: TypedAnswer) -> str:
    """A yes that is kept, in plain words."""
    whom = {"session": "in this session", "agent": f"for the agent {question.agent}", "always": "everywhere"}
    if question.kind != "permission" or said.answer not in whom:
        return ""
    with_ = ", ".join(f"{name} {pattern}" for name, pattern in said.pattern.items())
    how = f" with {with_}" if with_ else (" for exactly this" if question.about else "")
    until = f", for {time_words(said.seconds)}" if said.seconds else ""
    return f"Allowed from now on: {question.tool}{how}, {whom[said.answer]}{until}."


def time_words(seconds: float) -> str:
    """`8 hours`, `1 day`: in the largest unit that is whole."""
    unit = next((one for one in _UNITS if seconds % _SECONDS[one] == 0), "s")
    count = seconds / _SECONDS[unit]
    return f"{count:g} {_UNITS[unit]}{'' if count == 1 else 's'}"


def hint(question: Question) -> str:
    """How the question is answered, in one line; empty where the letters say it."""
    match question.kind:
        case "permission":
            name = COMMAND if question.is_ruled else next(iter(question.arguments), "")
            given = f" {name}=PATTERN" if name and len(name) < _FIELD_CHARS else ""
            return (
                f"Narrow it to a pattern or a time: w{given} for 8h" if "always" in question.answers else ""
            )
        case "choice":
            return "Answer with a number or the text."
        case "text":
            return "Answer with a line of text."
        case "form":
            return "Answer with NAME=VALUE … or JSON; an empty line takes what is given as default."


def option_lines(question: Question) -> Iterator[str]:
    """Possible answers: options of a choice, fields of a form."""
    if question.kind == "choice":
        for number, option in enumerate(question.answers, 1):
            yield f"  {number}  {one_line(option)}"
    schema = question.schema or {}
    fields, required = schema.get("properties"), schema.get("required")
    for name, about in fields.items() if is_object(fields) else ():
        kind = describe_type(about, schema)
        said = about.get("description", "") if is_object(about) else ""
        default = f", by default {shown(about['default'])}" if is_object(about) and "default" in about else ""
        must = "" if default or name not in (required or ()) else ", required"
        line = f"{one_line(str(name))}: {one_line(kind)}{must}{default}"
        yield f"  {line}" + (f". {one_line(str(said), _FIELD_CHARS)}" if said else "")
