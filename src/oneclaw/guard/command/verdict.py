"""Verdict on a command: allowed by a rule or not, its programs, and the reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from oneclaw.guard.command.program import runs_input
from oneclaw.guard.command.rule import Rule, covers
from oneclaw.guard.command.spelling import deceit, read_twice
from oneclaw.guard.command.survey import Survey, survey_of
from oneclaw.guard.command.syntax import ParsedScript, SimpleCommand, Word, parse, too_long
from oneclaw.guard.command.wrapper import is_wrapper, unwrap


@dataclass(frozen=True, slots=True)
class CommandVerdict:
    """A verdict on a command.

    programs       all that would run, in their order, wrappers and what is inside them
    why            one sentence: the rule that allows it, or what keeps it from being allowed
    danger         what it destroys without asking, in a sentence; empty where nothing is known
    hidden         what of it runs that the words do not show, in a sentence; empty where they show it all
    is_understood  whether the words say all that runs
    unconfirmed    the rules that would allow it, were they confirmed; empty where nothing else is missing
    """

    is_allowed: bool
    programs: tuple[str, ...]
    why: str
    danger: str = ""
    hidden: str = ""
    is_understood: bool = True
    unconfirmed: tuple[str, ...] = ()


def judge_command(command: str | Sequence[str], rules: Sequence[Rule]) -> CommandVerdict:
    """Judge a command line, or the words of a program that is started without a shell. Never raises."""
    text = command if isinstance(command, str) else "\n".join(command)
    script = parse(command) if isinstance(command, str) else _script_of(command)
    survey = survey_of(script)
    why = "".join(script.unclear[:1]) or deceit(text)
    is_understood = not why and not survey.hidden
    if isinstance(command, str) and not why:
        if not script.commands:
            why, is_understood = "There is no command in it.", False
        elif not script.effects and read_twice(text) != tuple(each.argv for each in script.commands):
            why, is_understood = "It has several lines, or can be read in more than one way.", False
    why = why or "".join(script.effects[:1])
    found = [] if why else [_rule_for(command, rules) for command in script.commands]
    why = why or _uncovered(script.commands, found, survey, rules)
    waiting = [] if why else [rule for rule in found if rule is not None and not rule.is_accepted]
    unconfirmed = tuple(dict.fromkeys(rule.shown for rule in waiting))
    why = why or (_unconfirmed(waiting[0]) if waiting else "")
    said = why or _allowing(found)
    return CommandVerdict(
        not why, survey.programs, said, survey.danger, survey.hidden, is_understood, unconfirmed
    )


def _script_of(argv: Sequence[str]) -> ParsedScript:
    if not argv or not argv[0]:
        return ParsedScript(unclear=("There is no command in it.",))
    return too_long(" ".join(argv)) or ParsedScript((SimpleCommand(tuple(Word(word) for word in argv)),))


def _rule_for(command: SimpleCommand, rules: Sequence[Rule]) -> Rule | None:
    """The first rule that covers the command, one that needs no confirmation before the others."""
    covering = [rule for rule in rules if covers(rule, command.argv)]
    return next((rule for rule in covering if rule.is_accepted), next(iter(covering), None))


def _uncovered(
    commands: Sequence[SimpleCommand], found: Sequence[Rule | None], survey: Survey, rules: Sequence[Rule]
) -> str:
    """Why the rules found do not allow all the commands; empty when they do."""
    for command, rule in zip(commands, found, strict=True):
        name = command.argv[0]
        if not name.isascii():
            return "The name of a program has letters beyond ASCII."
        if rule is None:
            return f"No rule in shell.allow covers this use of {name[:200]}{_nearly(command.argv, rules)}."
        if command.is_fed and (is_wrapper(name) or unwrap(command.argv) or runs_input(command.argv)):
            return f"{name[:200]} is fed what it is to run."
    if survey.danger and not all(rule is not None and rule.is_exact for rule in found):
        return f"Rules with stars allow nothing like this: {survey.danger}"
    return ""


def _nearly(argv: tuple[str, ...], rules: Sequence[Rule]) -> str:
    """The option that keeps a rule for this program from covering the command."""
    named = {word for rule in rules if rule.words[:1] == argv[:1] for word in rule.words}
    option = next((word for word in argv[1:] if word.startswith("-") and word not in named), "")
    return f": a star does not match the option {option[:80]}" if named and option else ""


def _unconfirmed(rule: Rule) -> str:
    return (
        f"The rule {rule.shown[:200]} in shell.allow is not confirmed: a star may be any words, and"
        f" {rule.words[0][:80]} is not known to do no harm with all of them."
    )


def _allowing(found: Sequence[Rule | None]) -> str:
    texts = dict.fromkeys(rule.shown for rule in found if rule is not None)
    return f"Allowed by shell.allow: {'; '.join(texts)}."
