"""Connects the owner's command rules to permissions."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.permit.judgement import Judge, Judgement
from oneclaw.core.permit.need import CHANGES
from oneclaw.core.text.display import quoted, visible
from oneclaw.core.tool import ToolDefinition
from oneclaw.guard.command.denied import DenyRule, check_denied
from oneclaw.guard.command.harmless import wider_rule
from oneclaw.guard.command.program import SETTERS
from oneclaw.guard.command.read_only import is_read_only
from oneclaw.guard.command.request import check_request
from oneclaw.guard.command.rule import Rule, covers, parse_rule

TOOL = "execute_shell_command"
NEED = "shell"
_WAYS = {"background": "in the background", "fresh": "apart", "network": "with the network"}
_READS = "It only reads the workspace, in the sandbox without network, so nobody is asked."
_OPEN = "Danger: No sandbox shuts it in, so it can do all that you can."
_CONFIRMS = '"This session" and "always" confirm the rule, for every command that it covers.'
_MOST_CHARS = 2_000
_MOST_PROGRAMS = 30


def judge_calls(
    rules: Sequence[Rule], *, is_open: bool = False, reads_in: str = "", denied: Sequence[DenyRule] = ()
) -> Judge:
    """Applies command rules to shell calls, and to no other tool.

    is_open   commands run without a sandbox: whoever is asked is told
    reads_in  the workspace in which commands that only read run unasked; empty where they ask
    denied    rules for commands that are refused
    The judge raises `ToolError` for a call that no answer could allow.
    """

    def judge(definition: ToolDefinition, need: str, arguments: Mapping[str, Any]) -> Judgement | None:
        command = arguments.get("command")
        if definition.name != TOOL or need not in (NEED, CHANGES) or not isinstance(command, str):
            return None
        is_reading = bool(reads_in) and not is_open and is_read_only(arguments, reads_in)
        if need == CHANGES:
            return Judgement(True, "") if is_reading else None
        check_denied(command, denied)
        check_request(command, str(arguments.get("working_dir") or ""), arguments.get("env") or {})
        judged = _judge(command, arguments, rules)
        if is_reading and not judged.is_granted:
            return replace(judged, is_granted=True, notes=(_READS,))
        if not judged.is_granted and judged.fits is not None:
            judged = replace(judged, rules=tuple(_offered(command, judged.fits)))
        if is_open:
            notes, warnings = (*judged.notes, _OPEN), (*judged.warnings, _OPEN)
            return replace(judged, notes=notes, warnings=warnings, where="without a sandbox")
        network = "with the network" if arguments.get("network") else "no network"
        return replace(judged, where=f"in the sandbox, {network}")

    return judge


def is_ruled(arguments: Mapping[str, Any], rules: Sequence[Rule], *, is_kept: bool = False) -> bool:
    """Whether the rules allow a call of the shell with these arguments.

    `is_kept` says that an answer which was kept allowed it: where a rule only had to be confirmed, it was.
    """
    if is_kept:
        rules = [replace(rule, is_confirmed=True) for rule in rules]
    return bool(rules) and _judge(str(arguments["command"]), arguments, rules).is_granted


def sets_shell(command: str) -> bool:
    """Whether one of the commands is there to change the shell itself."""
    from oneclaw.guard.command.syntax import parse

    return any(each.argv[0] in SETTERS for each in parse(command).commands)


def _judge(command: str, arguments: Mapping[str, Any], rules: Sequence[Rule]) -> Judgement:
    from oneclaw.guard.command.verdict import (
        judge_command,
    )  # loads the grammar of bash, when there is a command

    verdict = judge_command(command, rules)
    uncovered = _uncovered(arguments, rules) if verdict.is_allowed or verdict.unconfirmed else ""
    programs = tuple(dict.fromkeys(verdict.programs))
    shown = ", ".join(program[:200] for program in programs[:_MOST_PROGRAMS])
    shown += f" and {len(programs) - _MOST_PROGRAMS} more" if len(programs) > _MOST_PROGRAMS else ""
    notes = [f"Programs: {shown or 'none that could be told'}."]
    warnings = [f"Danger: {verdict.danger}"] if verdict.danger else []
    notes += warnings
    warnings += [verdict.hidden] if verdict.hidden else []
    notes += [note for note in dict.fromkeys((verdict.hidden, uncovered or verdict.why)) if note]
    about = exactly(command, arguments)
    if verdict.unconfirmed and not uncovered:
        about = _by_rules(verdict.unconfirmed)
        notes.append(_CONFIRMS)
        warnings += [verdict.why, _CONFIRMS]
    is_granted = verdict.is_allowed and not uncovered
    fits = partial(pattern_fits, arguments=arguments)
    return Judgement(is_granted, about, tuple(notes), fits, warnings=tuple(warnings))


def _offered(command: str, fits: Callable[[Mapping[str, str]], bool]) -> Iterator[str]:
    """A rule with stars that covers a command and is known to be harmless, if there is one."""
    from oneclaw.guard.command.syntax import parse

    script = parse(command)
    if len(script.commands) == 1 and (rule := wider_rule(script.commands[0].argv)):
        with suppress(ValueError):
            if fits({"command": rule}):
                yield rule


def check_rule(pattern: Mapping[str, str]) -> Rule:
    """The rule for commands that a person's pattern is; raises ValueError for one that can be none."""
    if set(pattern) != {"command"}:
        raise ValueError("A pattern for commands is one of `command` alone, as in `command=git log *`.")
    try:
        return replace(parse_rule(pattern["command"]), is_confirmed=True)
    except InvalidConfig as error:
        raise ValueError(str(error).replace(" in shell.allow", "")) from None


def pattern_fits(pattern: Mapping[str, str], arguments: Mapping[str, Any]) -> bool:
    """Whether a pattern that a person gave covers a call: it is read as a rule for commands."""
    return _judge(str(arguments.get("command", "")), arguments, (check_rule(pattern),)).is_granted


def _uncovered(arguments: Mapping[str, Any], rules: Sequence[Rule]) -> str:
    """Other arguments of the call that rules must allow, as if they stood in the command."""
    if arguments.get("env"):
        return "It sets variables for the command."
    folder = arguments.get("working_dir")
    if folder and not any(covers(rule, ("cd", str(folder))) for rule in rules):
        return f"No rule in shell.allow covers the folder it runs in: it would be `cd {str(folder)[:200]}`."
    return ""


def _by_rules(texts: Sequence[str]) -> str:
    """A confirmation of rules; it belongs to no call."""
    return f"use the rule {' and '.join(quoted(text) for text in texts)} of shell.allow"


def exactly(command: str, arguments: Mapping[str, Any]) -> str:
    """The command with all that decides what it does: an answer that is kept is for this and nothing else.

    The command comes last and as it is: whatever stands in it, no other call is said the same way.
    """
    parts = ["run"]
    if folder := arguments.get("working_dir"):
        parts.append(f"in {quoted(str(folder))}")
    env = arguments.get("env")
    if isinstance(env, Mapping) and env:
        named = sorted((str(name), str(value)) for name, value in env.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        parts.append("with " + ", ".join(f"{visible(name)}={quoted(value)}" for name, value in named))
    parts += [word for name, word in _WAYS.items() if arguments.get(name)]
    if len(command) > _MOST_CHARS or not _can_be_kept(command):
        digest = hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()
        parts.append(f"{len(command):,} characters with the SHA-256 {digest}")
        command = f"{visible(command[:200])} …"
    return f"{' '.join(parts)}: {command}"


def _can_be_kept(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
