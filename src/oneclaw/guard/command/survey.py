"""Lists every program a command would run, through wrappers and nested shells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oneclaw.guard.command.danger import danger_of
from oneclaw.guard.command.program import base_name
from oneclaw.guard.command.syntax import MOST_COMMANDS, ParsedScript, SimpleCommand, Word, parse
from oneclaw.guard.command.wrapper import (
    ELSEWHERE,
    MOST_STEPS,
    Code,
    Hidden,
    Inner,
    WrapperStep,
    carries,
    is_shell,
    unwrap,
)

_MOST_WORDS = 200
_FORCED = re.compile(r"(?<!\w)-(?=\w*[rR])(?=\w*f)[rRfvdiI]+(?!\w)")
"""Options as `rm` takes them to delete folders without asking."""
_VARIABLE = re.compile(r"\$\w+")


@dataclass(frozen=True, slots=True)
class Survey:
    """The commands in their order; what the words do not show and what is destroyed, in a sentence each."""

    commands: tuple[tuple[str, ...], ...]
    hidden: str
    danger: str

    @property
    def programs(self) -> tuple[str, ...]:
        return tuple(argv[0] for argv in self.commands)


def survey_of(script: ParsedScript) -> Survey:
    """Every program that would run, seen through wrappers and the texts that shells are given."""
    commands: list[tuple[str, ...]] = []
    dangers: list[str] = []
    hidden: list[str] = []
    waiting = [(command, 0) for command in reversed(script.commands)]
    while waiting:
        command, depth = waiting.pop()
        argv = command.argv
        if len(commands) > MOST_COMMANDS * 4 or depth > MOST_STEPS:
            hidden.append("Commands are wrapped in each other deeper than is looked.")
            dangers.append(hidden[-1])
            break
        commands.append(argv)
        dangers.append(danger_of(argv) or _danger_unseen(command))
        step = unwrap(argv)
        if isinstance(step, Hidden) or carries(argv):
            dangers.append(_danger_within(argv))
        if isinstance(step, Hidden) and is_shell(argv[0]) and (command.is_fed or not command.is_plain):
            dangers.append(f"It runs what it reads, which is not looked at ({argv[0][:80]}).")
        found = list(_inside(step, command, hidden))
        waiting += [(each, depth + 1) for each in reversed(found)]
    return Survey(tuple(commands), "".join(hidden[:1]), next(filter(None, dangers), ""))


def _danger_unseen(command: SimpleCommand) -> str:
    """Possible destruction by a command that is only known at run time: `$x -rf y`."""
    could_delete = not command.words[0].is_plain or base_name(command.argv[0]) == "rm"
    if could_delete and not command.is_plain and _FORCED.search(_VARIABLE.sub(" ", " ".join(command.argv))):
        return "It may delete without asking: what runs shows only then."
    return ""


def _danger_within(argv: tuple[str, ...]) -> str:
    """Possible destruction by a command among the words, or inside one of them."""
    if len(argv) > _MOST_WORDS:
        return f"It starts another program, and has more than {_MOST_WORDS} words to tell which."
    for at in range(2 if base_name(argv[0]) in ELSEWHERE else 1, len(argv)):
        option, _, value = argv[at].partition("=")
        text = value if option.startswith("--") else argv[at]
        danger = danger_of(argv[at:]) or (survey_of(parse(text)).danger if " " in text else "")
        if danger:
            return danger
    return ""


def _inside(step: WrapperStep | None, command: SimpleCommand, hidden: list[str]) -> Iterator[SimpleCommand]:
    if isinstance(step, Inner) and step.argv:
        yield SimpleCommand(tuple(Word(word) for word in step.argv), is_fed=command.is_fed)
    elif isinstance(step, Code):
        script = parse(step.text)
        hidden += [*script.unclear[:1]]
        yield from script.commands
    elif isinstance(step, Hidden):
        hidden.append(step.why)
