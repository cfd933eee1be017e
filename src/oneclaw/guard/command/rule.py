"""Command rules such as `git log *`, and matching of commands against them.

    word   that very word; the first names the program as it is called
    *      in a word, any part of it; alone, one word, and as the last word of a rule one or more. It does not
           stand for an option
    **     any number of words, none of them an option, save where the program only reads, as `ls`, and for
           everyday options as `git commit -m`
    --x=*  that option with any value; an option is always named

Words are compared in their order with the words of the command after the shell has read them; quotes in a
rule are those of a shell. A program that runs what it is told, and one that starts another, is only allowed
by a rule without stars: a star would be anything at all. A rule with stars for a program that `harmless` does
not know covers its commands, too, but is asked about once.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oneclaw.core.errors import InvalidConfig
from oneclaw.guard.command.harmless import everyday_options, is_known
from oneclaw.guard.command.program import chosen, is_family, is_harmless, runs_code
from oneclaw.guard.command.spelling import deceit, read_twice
from oneclaw.guard.command.wrapper import is_wrapper

_ASSIGNMENT = re.compile(r"\s*\w+\+?=")
_SIGN = re.compile(r"[^\w\s*\-./:,@%+=^]")
_VALUE = re.compile(r"--[^*=]+=")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: the words of a command, with stars. `is_confirmed` when a person was told of them."""

    words: tuple[str, ...]
    text: str = ""
    is_confirmed: bool = False

    @property
    def is_exact(self) -> bool:
        return not any("*" in word for word in self.words)

    @property
    def shown(self) -> str:
        return self.text or " ".join(self.words)

    @property
    def is_accepted(self) -> bool:
        """Whether what it covers may run unasked: without stars, known to be harmless, or confirmed."""
        return self.is_confirmed or self.is_exact or is_known(self.words)


def parse_rule(text: str) -> Rule:
    """The rule that a text of the settings says. Raises `InvalidConfig`."""
    words = _read(text)
    rule = Rule(words, text)
    if "*" in words[0] or not words[0].isascii():
        raise InvalidConfig(
            f"The rule {text[:200]!r} in shell.allow must begin with the name of a program, in ASCII and"
            " without stars."
        )
    if not rule.is_exact and _needs_exact(words):
        raise InvalidConfig(
            f"The rule {text[:200]!r} in shell.allow would allow anything, for {words[0]} runs what it is"
            " told: write out the whole command, without stars."
        )
    if not rule.is_exact and is_family(words[0]) and not _is_chosen(words):
        raise InvalidConfig(
            f"The rule {text[:200]!r} in shell.allow must say what {words[0]} is to do: name the word"
            " after it, without a star and with no option before it."
        )
    if any("*" in word and word.startswith("-") and not _VALUE.match(word) for word in words):
        raise InvalidConfig(
            f"The rule {text[:200]!r} in shell.allow has a star in the name of an option; name the option, as"
            " `--format=*` or `-n *`."
        )
    return rule


def _read(text: str) -> tuple[str, ...]:
    """The words of a rule: one plain command, read as commands are."""
    commands = read_twice(text, is_rule=True)
    if commands is None or deceit(text):
        raise InvalidConfig(f"The rule {text[:200]!r} in shell.allow cannot be read: {_trouble(text)}")
    if len(commands) > 1:
        raise InvalidConfig(
            f"The rule {text[:200]!r} in shell.allow has {len(commands)} commands; write a rule for each: a"
            " chain of commands is allowed when each of them is."
        )
    words = next(iter(commands), ())
    if not words or not words[0]:
        raise InvalidConfig("A rule in shell.allow is empty; name a program, as in `git status`.")
    return words


def _trouble(text: str) -> str:
    if _ASSIGNMENT.match(text):
        return "it must begin with the name of a program; a command that sets variables always asks."
    sign = _SIGN.search(text)
    if not sign or deceit(text):
        return deceit(text) or "a rule is one command of plain words."
    return (
        f"{sign[0]!r} is a sign of the shell. What redirects or is filled in always asks; what the program"
        " itself is to get is put in quotes."
    )


def parse_rules(texts: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of these texts, as `git log *`; raises `InvalidConfig` for one that can be none."""
    return tuple(parse_rule(text) for text in texts)


def covers(rule: Rule, argv: Sequence[str]) -> bool:
    """Whether the rule allows this command."""
    argv = tuple(argv)
    if not argv or not rule.words or argv[0] != rule.words[0]:
        return False
    if rule.is_exact:
        return argv == rule.words
    if _needs_exact(argv) or _needs_exact(rule.words):
        return False
    if is_family(argv[0]) and not (_is_chosen(rule.words) and _choice(argv) == _choice(rule.words)):
        return False
    return _fits(rule.words[1:], argv[1:], everyday_options(argv), is_harmless(argv[0]))


def _choice(argv: tuple[str, ...]) -> tuple[str, ...]:
    return argv[: chosen(argv) + 1]


def _is_chosen(words: tuple[str, ...]) -> bool:
    """Whether the rule names what a family, as git, is to do: not by a star, and not after other options."""
    word = "".join(words[chosen(words) :][:1])
    return bool(word) and "*" not in word and not word.startswith("-")


def _needs_exact(argv: tuple[str, ...]) -> bool:
    return runs_code(argv) or is_wrapper(argv[0])


def _fits(
    patterns: tuple[str, ...], words: tuple[str, ...], options: frozenset[str], any_option: bool
) -> bool:
    """The words are read once, with the set of places reached in the patterns: no backtracking."""
    reached = _past_stars(patterns, {0})
    for word in words:
        is_plain = not word.startswith("-") or word.partition("=")[0] in options
        after: set[int] = set()
        for at in reached:
            if at == len(patterns):
                continue
            pattern = patterns[at]
            if pattern == "**":
                after |= {at} if is_plain or any_option else set()
            elif pattern == "*" and at == len(patterns) - 1:
                after |= {at, at + 1} if is_plain else set()  # it may take more words, or be done
            elif _word_fits(pattern, word):
                after.add(at + 1)
        reached = _past_stars(patterns, after)
    return len(patterns) in reached


def _past_stars(patterns: tuple[str, ...], reached: set[int]) -> set[int]:
    found = set(reached)
    for at in range(len(patterns)):
        if at in found and patterns[at] == "**":
            found.add(at + 1)
    return found


def _word_fits(pattern: str, word: str) -> bool:
    """One word. A star stands for no option, and takes no `..` in: it would leave the folder before it."""
    if "*" not in pattern:
        return pattern == word
    if word.startswith("-") and not _VALUE.match(pattern):
        return False
    if pattern != "*" and ".." in word.replace("\\", "/").split("/"):
        return False
    head, *middle, tail = pattern.split("*")
    if len(word) < len(head) + len(tail) or not word.startswith(head) or not word.endswith(tail):
        return False
    at, end = len(head), len(word) - len(tail)
    for piece in middle:  # the leftmost place of each piece leaves the most room for the rest
        found = word.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
