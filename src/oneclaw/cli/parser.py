"""Argument parser with one-sentence errors that name the next step."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from oneclaw.core.errors import OneClawError

SHOWN_CHARS = 100
WRONG_USE = 2
MOST_COUNT = 1_000_000_000
NO_VALUE = re.compile(r"argument (?:[^:]*/)?(--?[\w-]+): expected one argument")
HEADING = re.compile(r"^(usage:|[A-Za-z][a-z ]*:$)", re.MULTILINE)
NAME = re.compile(r"^( {2,4})(\S.*?)(?=  |$)", re.MULTILINE)
"""An option, a command or an example in a help text: it ends before two spaces."""


Completer = Callable[..., Iterable[str]]
"""Gives the words that fit a prefix and what was typed before it."""


class WrongUse(OneClawError):
    """Words of a command line that do not go together."""


class WrappedHelp(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and examples, and wraps those that a terminal has no room for."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not sys.stdout.isatty():
            return super()._fill_text(text, width, indent)
        from textwrap import wrap

        lines: list[str] = []
        for line in text.splitlines():
            begin = line[: len(line) - len(line.lstrip())]
            lines += wrap(line, width, subsequent_indent=f"{begin}    " if begin else "") or [""]
        return "".join(f"{indent}{line}\n" for line in lines)


class Parser(argparse.ArgumentParser):
    """A parser for `oneclaw` or one of its commands, which are of the same class."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options, formatter_class=WrappedHelp)

    def print_help(self, file: Any = None) -> None:
        """Print the help, in colour on a terminal; from Python 3.14 on argparse itself has colours."""
        is_plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        if file is not None or is_plain or not sys.stdout.isatty() or sys.version_info >= (3, 14):
            super().print_help(file)
            return
        text = HEADING.sub("\x1b[1m\\1\x1b[0m", self.format_help())
        sys.stdout.write(NAME.sub("\\1\x1b[36m\\2\x1b[0m", text))

    def add(self, name: str, *, complete: Completer | None = None, **options: Any) -> None:
        """Take an argument, as `add_argument` has it; `complete` gives the words that Tab offers."""
        argument = self.add_argument(name, **options)
        argument.completer = complete  # pyright: ignore[reportAttributeAccessIssue]

    def error(self, message: str) -> NoReturn:
        found = NO_VALUE.fullmatch(message)
        action = self._option_string_actions.get(found[1]) if found else None
        if found and action:
            said = f"{found[1]} needs {action.metavar or 'a value'}: {action.help}."
        else:
            wrong = message.removeprefix("argument ").replace(
                "the following arguments are required", "missing"
            )
            said = f"{wrong.rstrip('.')}. `{self.prog} --help` says how it is used."
        print(f"oneclaw: {said}", file=sys.stderr)
        sys.exit(WRONG_USE)

    def fill(self, arguments: argparse.Namespace, words: list[str]) -> list[str]:
        """Give words to arguments that were left out, in order; returns the words that are over."""
        words = list(words)
        for action in self._get_positional_actions():
            is_left_out = getattr(arguments, action.dest, None) == action.default
            if words and action.nargs == argparse.OPTIONAL and is_left_out:
                try:
                    setattr(arguments, action.dest, self._get_values(action, [words.pop(0)]))
                except argparse.ArgumentError as error:
                    self.error(str(error))
        return words

    def refuse(self, words: Iterable[str]) -> NoReturn:
        """Refuse words that nobody has taken."""
        word = next(iter(words))
        options = [option for option in self._option_string_actions if option.startswith("--")]
        near = nearest_word(word, options) if word.startswith("-") else ""
        what = "takes no option" if word.startswith("-") else "has no place for"
        hint = near or f" `{self.prog} --help` lists what it takes."
        print(f"oneclaw: `{self.prog}` {what} {shown(word)}.{hint}", file=sys.stderr)
        sys.exit(WRONG_USE)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        if action.option_strings:
            wrong = f"{action.option_strings[0]} is {shown(value)}; it must be one of: {', '.join(known)}."
        elif action.dest == "command":
            other = " `oneclaw --help` lists them; a tool is run with `oneclaw call TOOL`."
            wrong = f"there is no command {shown(value)}.{nearest_word(value, known) or other}"
        else:
            other = f" There are: {', '.join(known)}."
            wrong = f"`{self.prog}` has no action {shown(value)}.{nearest_word(value, known) or other}"
        print(f"oneclaw: {wrong}", file=sys.stderr)
        sys.exit(WRONG_USE)


def shown(word: str) -> str:
    from oneclaw.core.text.display import visible

    return f"'{visible(word[:SHOWN_CHARS])}{'…' if len(word) > SHOWN_CHARS else ''}'"


def nearest_word(word: str, known: Iterable[str]) -> str:
    """Suggests the nearest name as a question; empty when none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word[:SHOWN_CHARS].lower(), list(known), n=2, cutoff=0.7)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def count(text: str) -> int:
    """A number above 0, as the value of an option."""
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return min(int(text), MOST_COUNT)
