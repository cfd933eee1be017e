"""McpServer: one MCP server of the settings, and what of it a person approves."""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.core.settings.tree import McpServerTable, McpSettings

GiveSecrets = Callable[[Iterable[str]], Mapping[str, str]]
"""Gives secrets by name; raises `ToolError` for one that is not set or must not be given."""

_NAMED = re.compile(r"([^=]+)=(.+)", re.DOTALL)
_SECRET = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class McpServer:
    """One server. `folder` is where a local one starts."""

    name: str
    settings: McpServerTable
    folder: Path

    @property
    def prefix(self) -> str:
        """Prefix of the names of its tools: its name in lower case, letters and digits only."""
        return re.sub(r"[^a-z0-9]", "", self.name.lower())

    @property
    def is_local(self) -> bool:
        return self.settings.command is not None

    @property
    def shown(self) -> str:
        """The exact command line, or the address: what a person approves."""
        if self.settings.command is None:
            return self.settings.url or ""
        return shlex.join((self.settings.command, *self.settings.args))

    @property
    def fingerprint(self) -> str:
        """The hash of all that decides which program runs, with which rights, or which address is asked."""
        said = self.settings
        env = [_split(each, "env", self.name) for each in said.env]
        headers = [_split(each, "headers", self.name) for each in said.headers]
        started = [said.command, list(said.args), str(self.folder), said.sandbox, said.network]
        parts = [started if self.is_local else said.url, env, headers]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def environment(self, give: GiveSecrets) -> dict[str, str]:
        return _filled(self.settings.env, "env", self.name, give)

    def headers(self, give: GiveSecrets) -> dict[str, str]:
        return _filled(self.settings.headers, "headers", self.name, give)


def servers_of(settings: McpSettings, workspace: Path) -> list[McpServer]:
    """The servers that are switched on. Raises `InvalidConfig` for one that cannot be used."""
    servers = [
        McpServer(name, said, said.folder or workspace)
        for name, said in settings.servers.items()
        if said.enabled
    ]
    by_prefix: dict[str, str] = {}
    for server in servers:
        check(server)
        other = by_prefix.setdefault(server.prefix, server.name)
        if other != server.name:
            raise InvalidConfig(
                f"The MCP servers {other} and {server.name} differ in no letter or digit, so their tools"
                " would have the same names; rename one of them."
            )
    return servers


def check(server: McpServer) -> None:
    """Raise `InvalidConfig` for settings that do not go together."""
    said, key = server.settings, f"mcp.servers.{server.name}"
    if (said.command is None) == (said.url is None):
        raise InvalidConfig(f"{key} must have either a command or a url, not both and not none.")
    if said.url is not None:
        parts = urlsplit(said.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidConfig(f"{key}.url is {said.url!r}; it must be an http or https address.")
        if parts.username is not None or parts.password is not None:
            raise InvalidConfig(f"{key}.url holds a password; keep it as a secret and name it in headers.")
    for field in ("env", "headers"):
        for each in getattr(said, field):
            _split(each, field, server.name)
    if said.command is not None and os.sep in said.command and not Path(said.command).is_absolute():
        raise InvalidConfig(
            f"{key}.command is {said.command!r}, which depends on the folder it starts in; give its path."
        )


def _split(text: str, field: str, name: str) -> tuple[str, str]:
    """`GITHUB_TOKEN=my_token` as a pair; a name alone is that of its secret too."""
    found = _NAMED.fullmatch(text)
    pair = (found[1].strip(), found[2].strip()) if found else (text.strip(), text.strip())
    pattern = r"[A-Za-z_][A-Za-z0-9_]*" if field == "env" else r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
    if not re.fullmatch(pattern, pair[0]):
        example = "GITHUB_TOKEN=github_token" if field == "env" else "Authorization=Bearer {tickets_token}"
        raise InvalidConfig(f"mcp.servers.{name}.{field} has {text!r}; write it as {example!r}.")
    return pair


def _filled(given: Iterable[str], field: str, name: str, give: GiveSecrets) -> dict[str, str]:
    """Names with their secrets in them; raises `ToolError` for a secret that is not set."""
    filled: dict[str, str] = {}
    for each in given:
        key, value = _split(each, field, name)
        template = value if _SECRET.search(value) else f"{{{value}}}"
        wanted = _SECRET.findall(template)
        secrets = give(wanted)
        made = _SECRET.sub(lambda found, known=secrets: known[found[1]], template)
        if field == "headers" and ("\r" in made or "\n" in made):
            raise ToolError(f"The secret in the header {key} of the MCP server {name} has a line break.")
        filled[key] = made
    return filled
