"""execute_shell_command: a command in the conversation's own shell, in a sandbox."""

import os
import platform
import shutil
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.make.function import tool
from oneclaw.core.tool import Context, Tool

if TYPE_CHECKING:
    from oneclaw.run.shell.session import Outcome
    from oneclaw.run.shell.shells import Shells

FEATURE = "shell"
SECONDS, MOST_SECONDS = 30, 120
COMMAND_CHARS = 100_000
_SPARE_SECONDS = 20.0
_PARTLY_CHARS = 700

_BACKGROUND = "It runs in the background; use manage_process with this session_id. It ends with the program."
_DESCRIPTION = """Run a command with {where}.

The shell is kept for the conversation: directory, variables, functions and aliases carry over to the next \
call. Unless the owner set it otherwise, it is shut in: the workspace and a home folder of your own can be \
written, the rest of the system only read, /tmp is private, and there is no network. There is no terminal \
and no input, so use options such as -y instead of answering questions. Processes left behind are killed \
when the command ends: use background for what must go on."""


def find_shell() -> str:
    """The shell and the system of this machine, as a model is told of them."""
    system = platform.system()
    with suppress(OSError, KeyError):
        system = f"{system} ({platform.freedesktop_os_release()['PRETTY_NAME']})"
    return f"{shutil.which('bash') or 'bash'} on {system}"


def what_is_missing() -> str:
    """What this machine lacks to run commands at all, and how to get it."""
    if os.name != "posix":
        return "commands need a Unix system; run OneClaw on Linux, or in WSL"
    return "" if shutil.which("bash") else "bash is not installed (on Debian and Ubuntu: apt install bash)"


def execute_shell_command(shells: "Callable[[], Shells]", where: str = "bash on this machine") -> Tool:
    """The tool over the shells of the program, which are opened when a first command is run.

    `where` names the shell and the system to the model.
    """

    @tool(
        needs=["shell"],
        effect="unknown",
        group="shell",
        feature=FEATURE,
        seconds=MOST_SECONDS + _SPARE_SECONDS,
        trim="middle",
        label="Run a command",
        missing=what_is_missing,
        description=_DESCRIPTION.format(where=where),
    )
    async def execute_shell_command(
        context: Context,
        command: str,
        timeout: Annotated[int, {"minimum": 1, "maximum": MOST_SECONDS}] = SECONDS,
        working_dir: str | None = None,
        env: dict[str, str] | None = None,
        background: bool = False,
        fresh: bool = False,
        network: bool = False,
    ) -> Output:
        """Run a command.

        command: The command line, as bash reads it; several lines are welcome.
        timeout: Seconds until it is stopped. Defaults to 30, at most 120.
        working_dir: The folder it starts in, for this command only; relative to the workspace.
        env: Variables for this command only.
        background: Start it and return at once with its id; look after it with manage_process.
        fresh: Run it in a new shell that shares nothing with the conversation's.
        network: Whether it needs the network. There is none otherwise, and the owner may not allow it.
        """
        from oneclaw.guard.command.approval import is_ruled, sets_shell
        from oneclaw.run.shell.session import Command

        _check(command, env or {})
        opened = shells()
        if network:
            await _ask_for_network(context, opened.settings.network)
        directory = None if working_dir is None else _folder(context, working_dir)
        seconds = min(timeout, max(1.0, context.seconds - _SPARE_SECONDS / 2))
        ruled = is_ruled({"command": command, "working_dir": working_dir, "env": env}, opened.rules)
        sets = ruled and sets_shell(command)
        asked = Command(command, seconds, directory, env or {}, network, ruled, sets)
        if background:
            record = await opened.start(context, asked, is_fresh=fresh)
            return Output({"session_id": record.id, "status": record.state, "note": _BACKGROUND})
        run = opened.run_fresh if fresh else opened.run
        outcome = await run(context, asked)
        return _told(outcome, seconds)

    return execute_shell_command


def _folder(context: Context, path: str) -> str:
    return os.path.normpath(os.path.join(context.workspace.folder.absolute(), path))


def _check(command: str, env: dict[str, str]) -> None:
    from oneclaw.guard.command.variables import refused_variables

    if not command.strip():
        raise ToolError("The command is empty; give one to run.", Kind.VALIDATION_ERROR)
    if "\0" in command or any("\0" in value for value in env.values()):
        raise ToolError("A NUL character cannot stand in a command; leave it out.", Kind.VALIDATION_ERROR)
    if len(command) > COMMAND_CHARS:
        raise ToolError(
            f"The command has {len(command):,} characters, more than {COMMAND_CHARS:,}; write a script with"
            " write_file and run that.",
            Kind.VALIDATION_ERROR,
        )
    for name, why in refused_variables(env).items():
        raise ToolError(
            f"The variable {name[:100]!r} cannot be set for a command: {why}. Leave it out of env.",
            Kind.PERMISSION_DENIED,
            effects="none",
        )


async def _ask_for_network(context: Context, allowed: str) -> None:
    if allowed == "never":
        raise ToolError(
            "Commands have no network here; the owner can allow it with shell.network. Try without, or use"
            " the tools for the web.",
            Kind.PERMISSION_DENIED,
            effects="none",
        )
    if allowed == "ask":
        reason = "The command wants the network, which also reaches this machine and its neighbours."
        await context.require("network", reason)
        await context.require("network.private", reason)


def _told(outcome: "Outcome", seconds: float) -> Output:
    if outcome.stop is not None:
        raise _stopped(outcome, seconds)
    value: dict[str, Any] = {
        "exit_code": outcome.code,
        "stdout": outcome.out.text,
        "stderr": outcome.err.text,
    }
    notes = [outcome.note] if outcome.note else []
    if outcome.fate != "kept":
        notes.append(
            "The command ended its shell; the next one starts anew, with the directory and the variables"
            " from before this command."
        )
    if notes:
        value["note"] = " ".join(notes)
    return Output(value, details={"seconds": round(outcome.seconds, 3), "shell": outcome.fate})


def _stopped(outcome: "Outcome", seconds: float) -> ToolError:
    """What is said of a command that was stopped: why, what became of the shell, and what it wrote last."""
    why = {
        "time": f"The command was stopped after {seconds:g} seconds, with all it had started.",
        "processes": "The command was stopped, for it started too many processes (see shell.processes).",
        "memory": "The command was stopped, for it took too much memory (see shell.memory_mb).",
    }[outcome.stop or "time"]
    fate = {
        "kept": "The shell was kept, with directory and variables from before this command.",
        "restarted": "The shell was restarted, with directory and variables from before this command.",
    }.get(outcome.fate, "")
    parts = [why, fate, outcome.note]
    for name, text in (("output", outcome.out), ("errors", outcome.err)):
        if text.text.strip():
            parts.append(f"\nIts last {name}: {text.text.strip()[-_PARTLY_CHARS:]}")
    return ToolError(
        " ".join(part for part in parts if part),
        Kind.TIMEOUT if outcome.stop == "time" else Kind.EXECUTION_ERROR,
        effects="possible",
        details={"stdout": outcome.out.text, "stderr": outcome.err.text, "shell": outcome.fate},
    )
