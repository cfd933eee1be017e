"""Unwraps programs that start another program.

    Inner   the command inside: `nice -n 5 make` runs `make`
    Code    a text for a shell inside: `bash -c 'make'`, `eval make`, `trap 'make' EXIT`
    Hidden  it runs something that the words do not show: a file, its input, or an option nobody knows

An option that is not known makes what runs hidden: the word after it could be its value, or the command.
"""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from oneclaw.guard.command.form import ENV, FORMS, WrapperSyntax, take_long, take_short
from oneclaw.guard.command.program import FIND_RUNS, SHELLS, base_name, is_family, is_starter, runs_code

MOST_STEPS = 16
"""Deeper than this nobody wraps a command who means well."""


@dataclass(frozen=True, slots=True)
class Inner:
    """The words of the command inside; `is_changed` when the wrapper also changes its surroundings."""

    argv: tuple[str, ...]
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """A text that a shell will run; `is_bare` when nothing else of the words has a part in it."""

    text: str
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """It cannot be determined what runs."""

    why: str


WrapperStep = Inner | Code | Hidden


_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")

WINDOWS = ("cmd", "powershell", "pwsh")
ELSEWHERE = ("ssh", "docker", "podman", "nerdctl", "kubectl", "lxc", "vagrant")
_PLACES = ("", "/bin/", "/usr/bin/", "/usr/local/bin/")


def is_wrapper(program: str) -> bool:
    """Whether the program starts another one, or runs a text."""
    name = base_name(program)
    return name in FORMS or name in SHELLS or is_starter(program) or (name in _READERS and name != "find")


def unwrap(argv: tuple[str, ...]) -> WrapperStep | None:
    """One step inward, or None when the program runs for itself."""
    if not argv:
        return None
    name = base_name(argv[0])
    if name in _READERS:
        return _READERS[name](argv)
    if name in SHELLS:
        return _unwrap_shell(argv)
    if name in FORMS:
        return _unwrap_form(argv, FORMS[name])
    return Hidden(f"What {argv[0][:80]} runs cannot be told.") if is_wrapper(argv[0]) else None


def resolve(argv: tuple[str, ...]) -> str:
    """The program that really runs, as it is written; the wrapper itself where there is none inside."""
    for _ in range(MOST_STEPS):
        step = unwrap(argv)
        if not isinstance(step, Inner) or not step.argv:
            break
        argv = step.argv
    return argv[0] if argv else ""


def is_shell(program: str) -> bool:
    return base_name(program) in SHELLS


def carries(argv: tuple[str, ...]) -> bool:
    """Whether the words after those that are read may be a command, too: its own, or one run elsewhere."""
    if is_family(argv[0]):
        return runs_code(argv)
    return base_name(argv[0]) in (*ELSEWHERE, *WINDOWS) or (is_shell(argv[0]) and len(argv) > 3)


def is_known_shell(program: str) -> bool:
    """Whether it is a shell by its bare name or in a folder of the system: not any file of that name."""
    folder, slash, name = program.rpartition("/")
    return name in SHELLS and folder + slash in _PLACES


def is_known_env(program: str) -> bool:
    folder, slash, name = program.rpartition("/")
    return name == "env" and folder + slash in _PLACES


def _unwrap_form(argv: tuple[str, ...], form: WrapperSyntax) -> WrapperStep | None:
    at = 1
    is_changed = False
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        word = argv[at]
        at += 1
        if word == "--":
            break
        taken = take_long(word, form) if word.startswith("--") else take_short(word, form)
        if taken is None:
            if not word.startswith("--") and any(letter in form.asks_only for letter in word[1:]):
                return None
            return Hidden(f"{argv[0][:80]} has the option {word[:80]}, which is not known here.")
        is_changed = True
        at += taken
    while form.assigns and at < len(argv) and _ASSIGNMENT.match(argv[at]):
        is_changed = True
        at += 1
    inner = argv[at + form.before :]
    if inner and (inner[0].startswith("-") or "{" in inner[:2]):
        return Hidden(f"What {argv[0][:80]} runs cannot be told.")  # an option out of its place, or a group
    return Inner(inner, is_changed or form.before > 0) if inner else None


_SPLIT = re.compile(r"-([i0v]*)S(.*)\Z", re.DOTALL)


def _unwrap_env(argv: tuple[str, ...]) -> WrapperStep | None:
    """`env`, with its `-S`, which splits one word into many, options among them."""
    words, at, is_changed = list(argv), 1, False
    for _ in range(MOST_STEPS * 4):
        if at >= len(words):
            return None
        word = words[at]
        split = _SPLIT.match(word)
        if split or word.startswith("--split-string"):
            value = split[2] if split else word.partition("=")[2]
            taken = 1 if value else 2
            value = value or "".join(words[at + 1 : at + 2])
            pieces = _split_string(value)
            if pieces is None:
                return Hidden("env splits a text (-S) in a way that is not understood here.")
            words[at : at + taken], is_changed = pieces, True
        elif word == "--":
            at += 1
            break
        elif word == "-":
            at, is_changed = at + 1, True
        elif word.startswith("-"):
            more = take_long(word, ENV) if word.startswith("--") else take_short(word, ENV)
            if more is None:
                return Hidden(f"env has the option {word[:80]}, which is not known here.")
            at, is_changed = at + 1 + more, True
        else:
            break
    while at < len(words) and "=" in words[at]:
        at, is_changed = at + 1, True
    inner = tuple(words[at:])
    return Inner(inner, is_changed) if inner else None


def _split_string(text: str) -> list[str] | None:
    if any(letter in text for letter in "\\$#"):
        return None
    try:
        return shlex.split(text)
    except ValueError:
        return None


def _unwrap_shell(argv: tuple[str, ...]) -> WrapperStep:
    """A shell: `-c TEXT`, a file, or what comes in."""
    at = 1
    while at < len(argv) and argv[at][:1] in ("-", "+") and argv[at] not in ("-", "--"):
        word = argv[at]
        at += 1
        if word.startswith("--"):
            at += word in ("--rcfile", "--init-file")
            if word in ("--rcfile", "--init-file"):
                return Hidden(f"{argv[0][:80]} runs a file at its start ({word}).")
            continue
        if word[0] == "-" and "c" in word:
            at += sum(letter in "oO" for letter in word[1:])
            while at < len(argv) and argv[at][:1] in ("-", "+") and len(argv[at]) > 1:
                at += 1 + (argv[at][1:] in ("o", "O"))
            if at >= len(argv):
                return Hidden(f"{argv[0][:80]} has no text to run.")
            return Code(argv[at], is_bare=len(argv) == at + 1 and at == 2 and set(word[1:]) <= set("cl"))
        at += sum(letter in "oO" for letter in word[1:])
    rest = argv[at:]
    if rest and rest[0] not in ("-", "--"):
        return Hidden(f"{argv[0][:80]} runs the file {rest[0][:200]}.")
    return Hidden(f"{argv[0][:80]} runs what comes in.")


def _unwrap_words(argv: tuple[str, ...]) -> WrapperStep | None:
    """`eval`: its words, joined by blanks, are a text to run."""
    words = argv[2:] if argv[1:2] == ("--",) else argv[1:]
    return Code(" ".join(words)) if words else None


def _unwrap_trap(argv: tuple[str, ...]) -> WrapperStep | None:
    words = argv[2:] if argv[1:2] == ("--",) else argv[1:]
    if not words or words[0].startswith("-") or len(words) < 2:
        return None
    return Code(words[0])


def _unwrap_alias(argv: tuple[str, ...]) -> WrapperStep | None:
    values = [word.partition("=")[2] for word in argv[1:] if "=" in word]
    return Code("\n".join(values)) if values else None


def _unwrap_watch(argv: tuple[str, ...]) -> WrapperStep | None:
    """`watch` gives its words to a shell as one text, unless it is told not to."""
    step = _unwrap_form(argv, FORMS["watch"])
    if not isinstance(step, Inner):
        return step
    options = argv[1 : len(argv) - len(step.argv)]
    is_direct = any(word == "--exec" or (word[:1] == "-" != word[1:2] and "x" in word) for word in options)
    return step if is_direct else Code(" ".join(step.argv))


def _unwrap_source(argv: tuple[str, ...]) -> WrapperStep:
    return Hidden(f"{argv[0]} runs the file {' '.join(argv[1:2])[:200]}.")


def _unwrap_find(argv: tuple[str, ...]) -> WrapperStep | None:
    for at, word in enumerate(argv):
        if word in FIND_RUNS:
            inner = argv[at + 1 :]
            ends = [end for end, each in enumerate(inner) if each == ";" or each == "+"]
            if any(each in FIND_RUNS for each in inner):
                return Hidden("find runs more than one program.")
            return Inner(inner[: ends[0]] if ends else inner, is_changed=True)
    return None


def _unwrap_sign(argv: tuple[str, ...]) -> WrapperStep | None:
    """A sign of the shell that the grammar took for a program, as in `time { make; }`."""
    return Inner(argv[1:]) if argv[1:] else None


_READERS: dict[str, Callable[[tuple[str, ...]], WrapperStep | None]] = {
    "{": _unwrap_sign,
    "!": _unwrap_sign,
    "env": _unwrap_env,
    "eval": _unwrap_words,
    "trap": _unwrap_trap,
    "alias": _unwrap_alias,
    "watch": _unwrap_watch,
    "source": _unwrap_source,
    ".": _unwrap_source,
    "find": _unwrap_find,
}
