"""The owner's rules for commands, as the permission of a call asks for them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from oneclaw.core.permit.judgement import Judge, Judgement
from oneclaw.core.text.display import quoted, visible
from oneclaw.core.tool import ToolDefinition
from oneclaw.guard.command.program import SETTERS
from oneclaw.guard.command.rule import Rule, covers

TOOL = "execute_shell_command"
NEED = "shell"
_WAYS = {"background": "in the background", "fresh": "apart", "network": "with the network"}
_MOST_CHARS = 2_000
_MOST_PROGRAMS = 30


def judge_calls(rules: Sequence[Rule]) -> Judge:
    """What the rules say of calls of the shell. Other tools are none of theirs."""

    def judge(definition: ToolDefinition, need: str, arguments: Mapping[str, Any]) -> Judgement | None:
        command = arguments.get("command")
        if definition.name != TOOL or need != NEED or not isinstance(command, str):
            return None
        return _judge(command, arguments, rules)

    return judge


def is_ruled(arguments: Mapping[str, Any], rules: Sequence[Rule]) -> bool:
    """Whether the rules allow a call of the shell with these arguments."""
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
    why = "" if verdict.is_allowed else verdict.why
    why = why or _uncovered(arguments, rules)
    programs = tuple(dict.fromkeys(verdict.programs))
    shown = ", ".join(visible(program[:200]) for program in programs[:_MOST_PROGRAMS])
    shown += f" and {len(programs) - _MOST_PROGRAMS} more" if len(programs) > _MOST_PROGRAMS else ""
    notes = [f"Programs: {shown or 'none that could be told'}."]
    notes += [f"Danger: {verdict.danger}"] if verdict.danger else []
    notes += [why] if why else []
    return Judgement(not why, _exactly(command, arguments), tuple(notes))


def _uncovered(arguments: Mapping[str, Any], rules: Sequence[Rule]) -> str:
    """What else of the call the rules would have to allow: as much as if it stood in the command."""
    if arguments.get("env"):
        return "It sets variables for the command."
    folder = arguments.get("working_dir")
    if folder and not any(covers(rule, ("cd", str(folder))) for rule in rules):
        return f"No rule in shell.allow covers the folder it runs in: it would be `cd {str(folder)[:200]}`."
    return ""


def _exactly(command: str, arguments: Mapping[str, Any]) -> str:
    """The command with all that decides what it does: an answer that is kept is for this and nothing else."""
    parts = [f"run {_shortened(command)}"]
    if folder := arguments.get("working_dir"):
        parts.append(f"in {quoted(str(folder))}")
    env = arguments.get("env")
    if isinstance(env, Mapping) and env:
        named = sorted((str(name), str(value)) for name, value in env.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        parts.append("with " + ", ".join(f"{visible(name)}={quoted(value)}" for name, value in named))
    parts += [word for name, word in _WAYS.items() if arguments.get(name)]
    return " ".join(parts)


def _shortened(text: str) -> str:
    if len(text) <= _MOST_CHARS:
        return quoted(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{quoted(text[:200])} … ({len(text):,} characters, SHA-256 {digest})"
