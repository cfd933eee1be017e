"""Refuses commands that can never run, before a question is asked."""

from collections.abc import Mapping

from oneclaw.core.errors import Kind, ToolError

COMMAND_CHARS = 100_000


def check_request(command: str, folder: str, env: Mapping[str, str]) -> None:
    """Raise `ToolError` for a command that is none, or that is given what decides which code runs."""
    from oneclaw.guard.command.variables import refused_variables

    if not command.strip():
        raise ToolError("The command is empty; give one to run.", Kind.VALIDATION_ERROR)
    if any("\0" in text for text in (command, folder, *env.values())):
        raise ToolError("A command cannot contain a NUL character; leave it out.", Kind.VALIDATION_ERROR)
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
