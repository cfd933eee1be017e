"""What of a shell's state a command that a rule allowed is given, so that what the rule names is what runs.

A state is what commands left: any text at all. Of it only plain variables and the directory are taken, each
a line of a form that can do nothing else. Functions, aliases, options, traps and the variables that decide
which code runs are left out; they stay for commands that a person approves.
"""

import re

from oneclaw.guard.command.variables import refused_variables
from oneclaw.run.shell.script import WHOLE

_QUOTED = r'"(?:[^"\\$`\n]|\\["\\$`])*"' + r"|\$'(?:[^'\\\n]|\\[^\n])*'"
_VARIABLE = re.compile(rf"^declare (?:--|-x) ([A-Za-z_]\w*)=(?:{_QUOTED})$".encode(), re.MULTILINE)
_WORD = r"""(?:''|\$'(?:[^'\\\n]|\\[^\n])*'|(?:[^\s'"$`;&|<>()\\*?\[\]{}~#!]|\\[^\n])+)"""
_DIRECTORY = re.compile(
    rf"(?:^|\n)(builtin cd -- {_WORD} \|\| builtin cd; OLDPWD={_WORD}\n)#whole\n\Z".encode()
)
_LEFT_OUT = re.compile(
    rb"^(?:\S+ \(\) ?$|alias |trap -- |shopt -|set [-+]o |declare -x (?:LD_|GIT_SSH))", re.MULTILINE
)
_PATH = re.compile(rb"^declare -x PATH=(.*)$", re.MULTILINE)


def plain(state: bytes) -> bytes:
    """A state of the plain variables and the directory of this one."""
    named = ((found.group(1).decode(), found.group(0)) for found in _VARIABLE.finditer(state))
    lines = [line for name, line in named if not refused_variables({name: ""})]
    return b"".join(line + b"\n" for line in lines) + _directory(state) + WHOLE


def moved(state: bytes, after: bytes) -> bytes:
    """The first state with the directory of the second."""
    return state.removesuffix(WHOLE) + _directory(after) + WHOLE


def leaves_out(state: bytes, path: str) -> bool:
    """Whether `plain` leaves out something that a command could miss; `path` is the PATH of a new shell."""
    paths = {found.strip(b"\"'") for found in _PATH.findall(state)}
    return bool(_LEFT_OUT.search(state)) or bool(paths - {path.encode()})


def _directory(state: bytes) -> bytes:
    found = _DIRECTORY.search(state)
    return b"" if found is None else found.group(1)
