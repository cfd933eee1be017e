"""Formats a command's words as one shell line."""

import re
import shlex
from collections.abc import Sequence

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.command.wrapper import Code, Inner, is_known_env, is_known_shell, unwrap

_BARE = re.compile(r"[A-Za-z0-9_\-./:,@%+=^]+\Z")


def show_argv(argv: Sequence[str]) -> str:
    """The words as a command line: a shell that reads it starts the program with these very words."""
    return " ".join(_quote(word) for word in argv)


def show_command(argv: Sequence[str], raw: str | None = None) -> str:
    """The command as shown to a person; `raw` is another party's version of it.

    The text for a shell stands for the whole where the words around it add nothing: `sh -c 'ls | wc'` is
    shown as `ls | wc`. Raises `ToolError` when `raw` says anything but what would run; where
    it says the same in other quotes, ours are shown.
    """
    words = tuple(argv)
    whole = show_argv(words)
    payload = _payload(words)
    if raw is None or raw.strip() == (payload or whole).strip():
        return payload or whole
    if raw.strip() == whole or _words(raw) == words:
        return whole
    raise ToolError(
        f"The text {raw[:200]!r} does not say what would run, which is {whole[:400]!r}; leave the text out,"
        " or give the command that it shows.",
        Kind.VALIDATION_ERROR,
    )


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


def _payload(argv: tuple[str, ...]) -> str:
    """The text a shell is given, where nothing else decides what runs; else empty."""
    if argv and is_known_env(argv[0]):
        step = unwrap(argv)
        if not isinstance(step, Inner) or step.is_changed:
            return ""
        argv = step.argv
    if not argv or not is_known_shell(argv[0]):
        return ""
    step = unwrap(argv)
    return step.text if isinstance(step, Code) and step.is_bare else ""


def _quote(word: str) -> str:
    """One word, in double quotes where nothing in it means more there, else in single ones."""
    if _BARE.match(word):
        return word
    if not any(letter in word for letter in "$`\\!'"):
        return '"' + word.replace('"', '\\"') + '"'
    return "'" + word.replace("'", "'\\''") + "'"
