"""Commands that only read the workspace, which run unasked in the sandbox.

Theory. A command line is read-only when the parser understands all of it, each of its commands is a use of a
program that only reads, each option is one that is known to do nothing else, and no word leads out of the
workspace. Whatever is not known asks. git obeys what the repository says, such as a program for diffs or a
monitor of files, so it runs in a sandbox where nothing can be written: what it starts can do no harm there.
`cd DIR && ls` runs in a shell of its own: nobody was asked, so later commands stand where they stood.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from oneclaw.guard.command.harmless import PROGRAMS, SUBCOMMANDS
from oneclaw.guard.command.program import chosen, is_harmless, runs_code
from oneclaw.guard.command.rule import Rule
from oneclaw.guard.command.wrapper import is_wrapper

GIT = "git"
CD = "cd"
GIT_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
"""For git in a sandbox that is only read."""
_WRITING = frozenset(("touch", "mkdir", "printf", "sleep", "tty", "ps", "pgrep"))
"""Of the programs that are harmless with any argument, those that do something else than reading files."""
_GIT_OPTIONS = """
    --abbrev-commit --abbrev-ref --branch --date --diff-filter --first-parent --format --ignore-all-space
    --is-inside-work-tree --left-right --max-count --no-ext-diff --no-patch --no-textconv --patch --pretty
    --show-toplevel --summary --untracked-files --verify --word-diff -sb -uno -v -w -z
"""
_NUMBER = re.compile(r"-\d{1,9}")


def is_read_only(arguments: Mapping[str, Any], folder: str) -> bool:
    """Whether a call of the shell only reads the workspace in `folder`, without network and background."""
    from oneclaw.guard.command.syntax import parse
    from oneclaw.guard.command.verdict import judge_command

    command, directory = arguments.get("command"), arguments.get("working_dir")
    if not isinstance(command, str) or any(arguments.get(name) for name in ("network", "background", "env")):
        return False
    if directory and not is_within(str(directory), folder):
        return False
    reading = [each.argv for each in parse(command).commands if reads_only(each.argv, folder)]
    rules = [Rule(argv, is_confirmed=True) for argv in reading]
    has_read = any(argv[0] != CD for argv in reading)
    return has_read and judge_command(command, rules).is_allowed


def programs_of(command: str) -> frozenset[str]:
    """The programs of a command line that the parser understands."""
    from oneclaw.guard.command.syntax import parse

    return frozenset(each.argv[0] for each in parse(command).commands)


def reads_only(argv: Sequence[str], folder: str) -> bool:
    """Whether one command only reads, and only in the workspace."""
    argv = tuple(argv)
    if not argv or runs_code(argv) or is_wrapper(argv[0]) or argv[0] in _WRITING:
        return False
    if not all(_stays(word, folder) for word in argv[1:]):
        return False
    if argv[0] == CD:  # without a word it goes home, and an option may go back
        return len(argv) == 2 and argv[1] != "" and not argv[1].startswith("-")
    if is_harmless(argv[0]):
        return True
    if argv[0] == GIT:
        at = chosen(argv)
        known, options = SUBCOMMANDS[GIT]
        return (
            argv[at : at + 1] != ()
            and argv[at] in known.split()
            and _knows(argv[at + 1 :], options + _GIT_OPTIONS)
        )
    return argv[0] in PROGRAMS and _knows(argv[1:], PROGRAMS[argv[0]])


def is_within(path: str, folder: str) -> bool:
    """Whether a path, by its text, lies in the workspace."""
    if path == folder or path.startswith(f"{folder.rstrip('/')}/"):
        path = path[len(folder) :]
    elif path.startswith(("/", "~")):
        return False
    return ".." not in path.split("/")


def _knows(words: Sequence[str], options: str) -> bool:
    known = {"--", *options.split()}
    named = [word.partition("=")[0] for word in words if word.startswith("-")]
    return all(name in known or _NUMBER.fullmatch(name) for name in named)


def _stays(word: str, folder: str) -> bool:
    """Whether a word names nothing outside of the workspace, as a path or as the value of an option."""
    if not word.startswith("-"):
        return is_within(word, folder) and is_within(word.rpartition(":")[2], folder)
    name, equals, value = word.partition("=")
    return "/" not in name and "~" not in name and (not equals or is_within(value, folder))
