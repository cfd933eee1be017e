"""Writes OneClaw into the settings of an MCP client, so that the client starts `oneclaw mcp serve`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.text.diff import Diff, compare
from oneclaw.core.text.json_edit import set_entry
from oneclaw.guard.files.own_file import change_file

NAME = "oneclaw"


@dataclass(frozen=True, slots=True)
class McpClientApp:
    """A program that uses MCP servers: where its settings are, and under which name they list servers.

    `linux` and `mac` are paths below the home of the person. `is_typed` says whether an entry names its type.
    """

    label: str
    linux: str
    mac: str
    table: str = "mcpServers"
    is_typed: bool = False

    def file(self, home: Path, platform: str = sys.platform) -> Path:
        return home / (self.mac if platform == "darwin" else self.linux)


_MAC = "Library/Application Support"
CLIENTS = {
    "claude-desktop": McpClientApp(
        "Claude Desktop",
        ".config/Claude/claude_desktop_config.json",
        f"{_MAC}/Claude/claude_desktop_config.json",
    ),
    "claude-code": McpClientApp("Claude Code", ".claude.json", ".claude.json", is_typed=True),
    "cursor": McpClientApp("Cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": McpClientApp(
        "VS Code", ".config/Code/User/mcp.json", f"{_MAC}/Code/User/mcp.json", "servers", is_typed=True
    ),
    "zed": McpClientApp("Zed", ".config/zed/settings.json", ".config/zed/settings.json", "context_servers"),
}


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """A change of a client's settings that a person has not said yes to yet."""

    client: McpClientApp
    file: Path
    before: str
    after: str

    @property
    def diff(self) -> Diff:
        return compare(self.before.encode(), self.after.encode(), str(self.file))


def entry_of(client: McpClientApp, command: str, words: Sequence[str]) -> dict[str, Any]:
    """The entry that has a client start the server."""
    kind = {"type": "stdio"} if client.is_typed else {}
    return {**kind, "command": command, "args": ["mcp", "serve", *words]}


def plan_install(name: str, command: str, words: Sequence[str], file: Path | None = None) -> InstallPlan:
    """The change that writes OneClaw into the settings of a client; nothing is written yet."""
    client = CLIENTS[name]
    path = client.file(Path.home()) if file is None else file
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{path} cannot be read ({error}).") from None
    return InstallPlan(client, path, before, _changed(client, path, before, command, words))


def install(plan: InstallPlan) -> bool:
    """Write a planned change; says whether the file changed. Refused where the file is another one by now."""

    def change(text: str) -> str:
        if text != plan.before:
            raise InvalidConfig(f"{plan.file} changed meanwhile; nothing was written. Run the command again.")
        return plan.after

    return change_file(plan.file, change)


def _changed(client: McpClientApp, path: Path, before: str, command: str, words: Sequence[str]) -> str:
    try:
        return set_entry(before, (client.table, NAME), entry_of(client, command, words))
    except ValueError as error:
        raise InvalidConfig(f"{path} is not JSON ({error}); mend it, then run the command again.") from None
