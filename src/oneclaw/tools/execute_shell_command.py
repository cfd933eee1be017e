"""execute_shell_command: runs a command in the session's sandboxed shell."""

import os
import platform
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, StoppedError, ToolError
from oneclaw.core.session import Root, Session
from oneclaw.core.tool import Context, Tool
from oneclaw.core.trim import trim
from oneclaw.guard.command.request import check_request
from oneclaw.guard.outside_mark import mark
from oneclaw.guard.sandbox.cause import likely_cause

if TYPE_CHECKING:
    from oneclaw.run.shell.session import CommandOutcome
    from oneclaw.run.shell.shells import Shells

FEATURE = "shell"
SOURCE = "a command that can reach the network"
SECONDS, MOST_SECONDS = 30, 120
_SPARE_SECONDS = 20.0
_UNASKED = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.bareRepository",
    "GIT_CONFIG_VALUE_0": "explicit",
}
"""For commands that nobody is asked about: git takes no folder for a repository that is not named `.git`.

Any folder could be made one by a tool, and what it says would be run by a plain `git status`.
"""
_PARTLY_CHARS = 8_000

_NOT_MOVED = "This ran in a shell of its own: your shell stands where it stood before."
_BACKGROUND = "It runs in the background; use manage_process with this session_id. It ends with the program."
_DESCRIPTION = """Run a command with {where}.

The shell is kept for the conversation: directory, variables, functions and aliases carry over to the next \
call. {how} There is no terminal and no input, so use options such as -y instead of answering questions. \
Processes left behind are killed when the command ends: use background for what must go on."""

_SHUT_IN = """It is shut in: the workspace and a home folder of your own can be written, the rest of the \
system only read, /tmp is private, and there is no network unless you ask for it and the owner allows it."""
_OPEN = "It is not shut in: a command has all the rights of the person who runs this program. Take care."


def find_shell() -> str:
    """The shell and the system of this machine, as a model is told of them."""
    system = platform.system()
    with suppress(OSError, KeyError):
        system = f"{system} ({platform.freedesktop_os_release()['PRETTY_NAME']})"
    return f"{shutil.which('bash') or 'bash'} on {system}"


def what_is_missing() -> str:
    """Says what is missing for running commands, and how to get it."""
    if os.name != "posix":
        return "commands need a Unix system; run OneClaw on Linux, or in WSL."
    return "" if shutil.which("bash") else "bash is not installed (on Debian and Ubuntu: apt install bash)."


def execute_shell_command(
    shells: "Callable[[], Shells]", where: str = "bash on this machine", *, is_open: bool = False
) -> Tool:
    """The tool over the shells of the program, which are opened when a first command is run.

    where    names the shell and the system to the model
    is_open  whether the owner has commands run without a sandbox
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
        description=_DESCRIPTION.format(where=where, how=_OPEN if is_open else _SHUT_IN),
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
        background: Start it without a timeout and return at once; look after it with manage_process.
        fresh: Run it in a new shell that shares nothing with the conversation's.
        network: Whether it needs the network. There is none otherwise, and the owner may not allow it.
        """
        from oneclaw.guard.command.approval import NEED, exactly, is_ruled, sets_shell
        from oneclaw.guard.command.read_only import CD, GIT, GIT_VARIABLES, is_read_only, programs_of
        from oneclaw.run.shell.session import ShellCommand

        check_request(command, working_dir or "", env or {})
        opened = shells()
        if network:
            await _ask_for_network(context, opened.settings.network)
        folder = context.workspace.folder.absolute()
        directory = None if working_dir is None else _joined(folder, working_dir)
        seconds = min(timeout, max(1.0, context.seconds - _SPARE_SECONDS / 2))
        said = {"command": command, "working_dir": working_dir, "env": env}
        ruled = is_ruled(said, opened.rules, is_kept=NEED in context.kept)
        is_reading = opened.settings.read_unasked and not is_open and not network and not background
        is_reading = is_reading and is_read_only(said, str(context.workspace.folder.absolute()))
        if is_reading and not ruled:
            here = opened.where(context.session)
            _check_inside(context, directory or here)
            if {CD, GIT} & programs_of(command):
                # git obeys what the repository says: nothing that it starts can write there.
                place, given = directory or here, _UNASKED | GIT_VARIABLES
                asked = ShellCommand(command, seconds, place, given, is_ruled=True, redact=context.redact)
                outcome = await opened.run_fresh(context, asked, _only_read(context.session))
                return _told(outcome, seconds, "", "", _NOT_MOVED if CD in programs_of(command) else "")
            ruled = True
        is_kept = not ruled and NEED in context.kept
        here = opened.where(context.session) if is_kept and directory is None and not fresh else None
        # An answer that is kept names no other folder by itself than the one that shells start in.
        if here is not None and here not in (str(folder), str(folder.resolve())):
            said = {"working_dir": here, "env": env, "background": background, "network": network}
            await context.require(NEED, exactly(command, said))
        is_unasked = ruled or is_kept
        sets = is_unasked and sets_shell(command)
        given = _UNASKED | (env or {}) if is_unasked else env or {}
        asked = ShellCommand(
            command, seconds, directory, given, network, is_unasked, sets, here, context.redact
        )
        if background:
            record = await opened.start(context, asked, is_fresh=fresh)
            note = f"{record.note} {_BACKGROUND}".strip()
            return Output({"session_id": record.id, "status": record.state, "note": note})
        run = opened.run_fresh if fresh else opened.run
        outcome = await run(context, asked)
        cause = ""
        if outcome.code and not is_open:
            said = f"{outcome.out.text}\n{outcome.err.text}"
            cause = likely_cause(said, str(folder), has_network=network)
        return _told(outcome, seconds, SOURCE if network or is_open else "", cause)

    return execute_shell_command


def _joined(folder: Path, path: str) -> str:
    return os.path.normpath(folder / path)


def _check_inside(context: Context, place: str) -> None:
    """Raise `ToolError` where the shell has left the workspace: only in it do commands read unasked."""
    from oneclaw.guard.command.read_only import is_within

    folder = context.workspace.folder
    is_inside = any(is_within(place, str(each)) for each in (folder.absolute(), folder.resolve()))
    if not is_inside or not os.path.isabs(place):  # a state that was forged names no folder
        raise ToolError(
            f"The shell is in {place}, outside the workspace. Go back to {folder.absolute()} with cd, or name"
            " the folder in working_dir; then the person is asked.",
            Kind.PERMISSION_DENIED,
            effects="none",
        )


def _only_read(session: Session) -> Session:
    """The session with a workspace that can only be read."""
    workspace = session.workspace
    roots = [Root(root.folder, "read" if root.access == "write" else root.access) for root in workspace.roots]
    closed = replace(workspace, roots=(Root(workspace.folder, "read"), *roots))
    return replace(session, workspace=closed)


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


def _told(outcome: "CommandOutcome", seconds: float, source: str, cause: str, note: str = "") -> Output:
    """The result of a command; its output is marked as foreign if there is a `source`.

    `cause` says what the sandbox has to do with it where it failed; `note` is for the model.
    """
    if outcome.stop is not None:
        raise _stopped(outcome, seconds, source)
    value: dict[str, Any] = {
        "exit_code": outcome.code,
        "stdout": _marked(outcome.out.text, source),
        "stderr": _marked(outcome.err.text, source),
    }
    notes = [each for each in (cause, outcome.note, note) if each]
    if outcome.fate != "kept":
        notes.append(
            "The command ended its shell; the next one starts anew, with the directory and the variables"
            " from before this command."
        )
    if notes:
        value["note"] = " ".join(notes)
    details: dict[str, Any] = {"seconds": round(outcome.seconds, 3), "shell": outcome.fate}
    return Output(value, details=details | ({"cause": cause} if cause else {}))


def _marked(text: str, source: str) -> str:
    return mark(text, source) if text and source else text


def _stopped(outcome: "CommandOutcome", seconds: float, source: str) -> ToolError:
    """The result of a stopped command: the reason, the shell's state, the last output."""
    why = {
        "time": f"The command was stopped after {seconds:g} second{'s' * (seconds != 1)}, with all it had"
        " started.",
        "processes": "The command was stopped because it started too many processes (see shell.processes).",
        "memory": "The command was stopped because it took too much memory (see shell.memory_mb).",
        "state": "What the command leaves in its shell, in variables and functions, is more than 16 MB and"
        " not kept; write it to a file instead.",
        "disk": "The command was stopped because it left too little of the disk free: 1 GB and room for"
        " 10,000 files must stay, or a tenth of a small disk. Remove what it wrote; reading and removing"
        " still work.",
        "killed": "The shell was killed while the command ran, and the command with it.",
    }[outcome.stop or "time"]
    fate = {
        "kept": "The shell was kept, with directory and variables from before this command.",
        "restarted": "The shell was restarted, with directory and variables from before this command.",
    }.get(outcome.fate, "")
    parts = [why, fate, outcome.note]
    for name, text in (("output", outcome.out), ("errors", outcome.err)):
        if said := text.text.strip():
            partly = _marked(trim(said, _PARTLY_CHARS, "middle").text, source)
            parts.append(f"\nIts {name} so far:\n{partly}")
    return StoppedError(
        " ".join(part for part in parts if part),
        Kind.TIMEOUT if outcome.stop == "time" else Kind.EXECUTION_ERROR,
        effects="possible",
        details={"stdout": outcome.out.text, "stderr": outcome.err.text, "shell": outcome.fate},
    )
