"""Rules for commands that are refused without a question, such as `git push *`.

A star at the end stands for any words, options among them; a star inside a word for any part of it. Options
of a command that the rule does not name are left out before the words are compared: `git -v push` is `git
push`.
Such rules spare people questions. They are no fence: a script can do the same under another name, and what
commands may reach is for the sandbox to say.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from oneclaw.core.errors import InvalidConfig, Kind, ToolError
from oneclaw.guard.command.spelling import deceit, read_twice


@dataclass(frozen=True, slots=True)
class DenyRule:
    """One rule: the words that a refused command begins with."""

    words: tuple[str, ...]
    text: str


def parse_denied(texts: Iterable[str]) -> tuple[DenyRule, ...]:
    """The rules of these texts; raises `InvalidConfig` for one that can be none."""
    return tuple(_parse(text) for text in texts)


def check_denied(command: str, rules: Sequence[DenyRule]) -> None:
    """Raise `ToolError` for a command that a rule refuses, wherever in the line it stands."""
    if not rules:
        return
    from oneclaw.guard.command.survey import survey_of
    from oneclaw.guard.command.syntax import parse

    for argv in survey_of(parse(command)).commands:
        found = next((rule for rule in rules if _fits(rule, argv)), None)
        if found is not None:
            raise ToolError(
                f"The owner refuses this command by the rule {found.text!r} in shell.deny; do without it.",
                Kind.PERMISSION_DENIED,
                effects="none",
            )


def _parse(text: str) -> DenyRule:
    commands = () if deceit(text) else read_twice(text, is_rule=True) or ()
    words = [word for command in commands for word in command]
    if len(commands) != 1 or not words or "*" in words[0]:
        raise InvalidConfig(
            f"The rule {text[:200]!r} in shell.deny must be one plain command, as `git push *`: the name of a"
            " program and words, with stars for any words."
        )
    while words[-1] in ("*", "**"):
        words.pop()
    return DenyRule(tuple(words), text)


def _fits(rule: DenyRule, argv: Sequence[str]) -> bool:
    if not argv:
        return False
    name = argv[0].rpartition("/")[2]
    options = {word for word in rule.words if word.startswith("-")}
    words = (name, *(word for word in argv[1:] if not word.startswith("-") or word in options))
    is_long = len(words) >= len(rule.words)
    return is_long and all(fnmatchcase(word, one) for one, word in zip(rule.words, words, strict=False))
