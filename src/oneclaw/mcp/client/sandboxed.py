"""Starts a local MCP server in the sandbox of commands, where it sees the workspace and the programs."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from oneclaw.child.child import Child
from oneclaw.child.group import make_group
from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.guard.sandbox.sandbox import Sandbox
from oneclaw.mcp.client.mcp_server import McpServer
from oneclaw.run.shell.folder import make_folder

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/opt")


async def start_sandboxed(
    server: McpServer,
    argv: Sequence[str],
    secrets: Mapping[str, str],
    sandbox: Sandbox,
    descriptors: Mapping[int, int],
    closing: AsyncExitStack,
) -> Child:
    """The server in a sandbox; `closing` removes its folders. Raises `ToolError` where no sandbox works."""
    folder = make_folder(sandbox.scratch.folder)
    closing.callback(folder.remove)
    roots = () if _is_shown(argv[0], server.folder) else (Root(_place_of(argv[0]), "read"),)
    session = Session(agent=f"mcp-{server.prefix}", workspace=Workspace(server.folder, roots))
    spec = sandbox.make_spec(session, folder.states, folder.tmp, server.settings.network)
    spec = replace(spec, environment={**spec.environment, **secrets})
    filtered: int | None = None
    try:
        if spec.filter:
            filtered = _file_of(spec.filter)
        passed = dict(descriptors) | ({filtered: filtered} if filtered is not None else {})
        limits = sandbox.settings.limits
        group = make_group(limits.memory_bytes, 4 * limits.processes)
        return Child(spec.child_spec(argv, passed, filtered), group=group)
    except OSError as error:
        raise ToolError(f"it cannot be started in the sandbox: {error.strerror}") from None
    finally:
        if filtered is not None:
            os.close(filtered)


def _is_shown(program: str, folder: Path) -> bool:
    return program.startswith(tuple(f"{place}/" for place in (*_SYSTEM, str(folder.absolute()))))


def _place_of(program: str) -> Path:
    """The path that shows a program outside the system: its virtual environment, or the file alone."""
    home = Path(program).parent.parent
    return home if (home / "pyvenv.cfg").is_file() else Path(program)


def _file_of(data: bytes) -> int:
    """An open file with these bytes, to be read from its beginning."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        copy = os.dup(file.fileno())
    os.lseek(copy, 0, os.SEEK_SET)
    return copy
