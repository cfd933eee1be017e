"""The verdict on a command: whether a rule allows it, which programs it would run, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oneclaw.guard.command.danger import danger_of
from oneclaw.guard.command.rule import Rule, covers
from oneclaw.guard.command.spelling import deceit, read_twice
from oneclaw.guard.command.syntax import MOST_COMMANDS, Command, Script, Word, parse
from oneclaw.guard.command.wrapper import MOST_STEPS, Code, Hidden, Inner, is_shell, unwrap


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a command.

    programs       all that would run, in their order, wrappers and what is inside them
    why            one sentence: the rule that allows it, or what keeps it from being allowed
    danger         what it destroys without asking, in a sentence; empty where nothing is known
    is_understood  whether the words say all that runs
    """

    is_allowed: bool
    programs: tuple[str, ...]
    why: str
    danger: str = ""
    is_understood: bool = True


def judge_command(command: str | Sequence[str], rules: Sequence[Rule]) -> Verdict:
    """Judge a command line, or the words of a program that is started without a shell. Never raises."""
    text = command if isinstance(command, str) else "\n".join(command)
    script = parse(command) if isinstance(command, str) else _script_of(command)
    survey = _survey(script)
    why = "".join(script.unclear[:1]) or deceit(text)
    is_understood = not why and not survey.hidden
    if isinstance(command, str) and not why:
        if not script.commands:
            why, is_understood = "There is no command in it.", False
        elif not script.effects and read_twice(text) != tuple(each.argv for each in script.commands):
            why, is_understood = "It has several lines, or can be read in more than one way.", False
    why = why or "".join(script.effects[:1])
    found = [] if why else [_rule_for(command, rules) for command in script.commands]
    why = why or _uncovered(script.commands, found, survey)
    return Verdict(not why, survey.programs, why or _allowing(found), survey.danger, is_understood)


@dataclass(frozen=True, slots=True)
class _Survey:
    programs: tuple[str, ...]
    hidden: str
    danger: str


def _script_of(argv: Sequence[str]) -> Script:
    words = tuple(Word(word) for word in argv)
    return (
        Script((Command(words),))
        if words and words[0].text
        else Script(unclear=("There is no command in it.",))
    )


def _survey(script: Script) -> _Survey:
    """Every program that would run, seen through wrappers and the texts that shells are given."""
    programs: list[str] = []
    dangers: list[str] = []
    hidden: list[str] = []
    waiting = [(command, 0) for command in reversed(script.commands)]
    while waiting:
        command, depth = waiting.pop()
        argv = command.argv
        if len(programs) > MOST_COMMANDS * 4 or depth > MOST_STEPS:
            hidden.append("Commands are wrapped in each other deeper than is looked.")
            dangers.append(hidden[-1])
            break
        programs.append(argv[0])
        dangers.append(danger_of(argv))
        if command.is_fed and is_shell(argv[0]) and isinstance(unwrap(argv), Hidden):
            dangers.append(f"It runs what it reads, which is not looked at ({argv[0][:80]}).")
        found = list(_inside(command, hidden))
        waiting += [(each, depth + 1) for each in reversed(found)]
    return _Survey(tuple(programs), "".join(hidden[:1]), next(filter(None, dangers), ""))


def _inside(command: Command, hidden: list[str]) -> Iterator[Command]:
    step = unwrap(command.argv)
    if isinstance(step, Inner) and step.argv:
        yield Command(tuple(Word(word) for word in step.argv), is_fed=command.is_fed)
    elif isinstance(step, Code):
        script = parse(step.text)
        hidden += [*script.unclear[:1]]
        yield from script.commands
    elif isinstance(step, Hidden):
        hidden.append(step.why)


def _rule_for(command: Command, rules: Sequence[Rule]) -> Rule | None:
    argv = command.argv
    return next((rule for rule in rules if covers(rule, argv)), None)


def _uncovered(commands: Sequence[Command], found: Sequence[Rule | None], survey: _Survey) -> str:
    """Why the rules found do not allow all the commands; empty when they do."""
    for command, rule in zip(commands, found, strict=True):
        name = command.argv[0]
        if not name.isascii():
            return "The name of a program has letters beyond ASCII."
        if rule is None:
            return f"No rule in shell.allow covers this use of {name[:200]}."
        if command.is_fed and unwrap(command.argv) is not None:
            return f"{name[:200]} is fed what it is to run."
    if survey.danger and not all(rule is not None and rule.is_exact for rule in found):
        return f"Rules with stars allow nothing like this: {survey.danger}"
    return ""


def _allowing(found: Sequence[Rule | None]) -> str:
    texts = dict.fromkeys(rule.text or " ".join(rule.words) for rule in found if rule is not None)
    return f"Allowed by shell.allow: {'; '.join(texts)}."
