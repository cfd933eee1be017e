"""Cleans the saved state of a shell before bash loads it.

A state is what commands left: any text at all. For a command that nobody is asked about, only plain variables
and the directory are taken of it, each a line of a form that can do nothing else, so that what was allowed is
what runs. Functions, aliases, options, traps and the variables that decide which code runs are left out; they
stay for commands that a person approves when they are run.
"""

import re
from collections.abc import Mapping

from oneclaw.guard.command.variables import refused_variables
from oneclaw.run.shell.script import WHOLE

_QUOTED = r'"(?:[^"\\$`\n]|\\["\\$`])*"' + r"|\$'(?:[^'\\\n]|\\[^\n])*'"
_VARIABLE = re.compile(
    rf"^declare (?:--|-x) ((?!_oneclaw)[A-Za-z_]\w*)=(?:{_QUOTED})$".encode(), re.MULTILINE
)
_WORD = r"""(?:''|\$'(?:[^'\\\n]|\\[^\n])*'|(?:[^\s'"$`;&|<>()\\*?\[\]{}~#!]|\\[^\n])+)"""
_MOVE = rf"\\builtin cd -- {_WORD} \|\| _oneclaw_lost={_WORD}; OLDPWD={_WORD}\n"
_DIRECTORY = re.compile(rf"(?:^|\n)({_MOVE})#whole\n\Z".encode())
_USUAL = re.compile(
    rb"builtin unset -v [A-Z_ ]*|_oneclaw_options=''|declare -- IFS=\$' \\t\\n'|declare -i OPTIND=\"\d+\""
    rb'|declare -- PS4="\+ "|umask \d{4}|'
)
"""Lines of a state in which nothing has been set; and the empty line that is left where one was taken."""
_HARMLESS = re.compile(
    rb"(?:(?:%s|declare (?:--|-x) (?!_oneclaw|BASH|TMOUT=|IFS=)[A-Za-z_]\w*=(?:%s))\n)*(?:%s)?#whole\n"
    % (_USUAL.pattern, _QUOTED.encode(), _MOVE.encode())
)
"""Variables and a directory alone, and none of the variables by which bash could miss what it waits for."""


_DOUBLE, _SINGLE = rb'"(?:[^"\\]++|\\.)*+"', rb"\$'(?:[^'\\]++|\\.)*+'"
_STATEMENT = re.compile(
    rb"declare -\S+ (\w+)(?:(?:=(?:%b|%b|\((?:[^()\"'$\\]++|%b|%b|\\.)*+\)))?\n|[^\n]*+\n)"
    % (_DOUBLE, _SINGLE, _DOUBLE, _SINGLE),
    re.DOTALL,
)
"""A variable as bash writes it: text, a list of texts, or declared only; a text may have several lines.
What is none of that is taken for one line."""
_OWN = re.compile(
    rb"_|_oneclaw.*|BASH|BASH_.*|BASHOPTS|BASHPID|COMP_WORDBREAKS|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID"
    rb"|FUNCNAME|GROUPS|HISTCMD|LINENO|OLDPWD|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID"
)
"""Variables of bash itself, and ours."""
UNKNOWN = "an unknown folder"


def tidied(state: bytes) -> bytes:
    """A state without the variables of bash itself, which writes them as well.

    They need not be set, and a bash that is to set some of them ends.
    """
    first = re.search(rb"^declare -", state, re.MULTILINE)
    start = at = first.start() if first else len(state)
    kept: list[bytes] = []
    while found := _STATEMENT.match(state, at):
        at = found.end()
        if not _OWN.fullmatch(found[1]):
            kept.append(found[0])
    return b"".join((state[:start], *kept, state[at:]))


def plain(state: bytes) -> bytes:
    """A state of the plain variables and the directory of this one."""
    named = ((found.group(1).decode(), found.group(0)) for found in _VARIABLE.finditer(state))
    lines = [line for name, line in named if not refused_variables({name: ""})]
    return b"".join(line + b"\n" for line in lines) + _directory(state) + WHOLE


def moved(state: bytes, after: bytes) -> bytes:
    """The first state with the directory of the second."""
    return state.removesuffix(_directory(state) + WHOLE) + _directory(after) + WHOLE


def leaves_out(state: bytes, environment: Mapping[str, str]) -> bool:
    """Whether a state differs from its `plain` one in what decides which code runs.

    The variables of `environment` that do are in both, as they were given: one that is unset is missed, too.
    """
    given = {f'declare -x {name}="{environment[name]}"'.encode() for name in refused_variables(environment)}
    rest = _VARIABLE.sub(_unless_plain, state.removesuffix(_directory(state) + WHOLE)).split(b"\n")
    return not given.issubset(rest) or not all(line in given or _USUAL.fullmatch(line) for line in rest)


def is_harmless(state: bytes) -> bool:
    """Whether a bash that loads it runs no code of anybody's by that."""
    return _HARMLESS.fullmatch(state) is not None


def folder_in(state: bytes) -> str:
    """The directory of a state, as bash quotes it where that is not simple; that it is unknown otherwise."""
    quoted = _directory(state).removeprefix(b"\\builtin cd -- ").partition(b" || ")[0]
    simple = quoted if quoted.startswith(b"$") else re.sub(rb"\\(.)", rb"\1", quoted)
    return simple.decode("utf-8", "replace") or UNKNOWN


def _unless_plain(found: re.Match[bytes]) -> bytes:
    return found.group(0) if refused_variables({found.group(1).decode(): ""}) else b""


def _directory(state: bytes) -> bytes:
    found = _DIRECTORY.search(state)
    return b"" if found is None else found.group(1)
