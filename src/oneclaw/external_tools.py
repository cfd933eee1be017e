"""External tools: folders and plugins, in order of precedence.

built-in groups   the JavaScript groups that come with us
user              `tools` in the data folder
/a/folder         each of `tools.folders` and of `App(tool_folders=…)`
project           `.oneclaw/tools` in the workspace, once the owner trusts that folder
plugins           Python packages, and Python files of the user's folders
mcp NAME          each MCP server of the settings, once the owner has approved it
"""

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.config import Config
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.load import Loaded, LoadProblem
from oneclaw.core.registry import Registry
from oneclaw.core.session import Network
from oneclaw.core.source import ToolSource
from oneclaw.core.sources import OPEN_SECONDS, Sources
from oneclaw.js.folder import JavaScriptFolder
from oneclaw.js.loader import BUILTIN, MANIFEST, SOURCE
from oneclaw.js.runtime import Runtime
from oneclaw.plugins.plugin_tools import PluginTools

if TYPE_CHECKING:
    from oneclaw.mcp.client.oauth import SecretTokens
    from oneclaw.mcp.client.sampling import AskModel

TOOL_FILES = (MANIFEST, SOURCE, ".py", ".toml")
TRUST = "trust."
"""Prefix of the stored setting of a trusted folder; the real path follows."""


class Project:
    """The tools of the project, which are loaded once the owner trusts its folder, and no longer after."""

    def __init__(self, config: Config, runtime: Runtime) -> None:
        self._config = config
        self._folder = config.project_folder / "tools"
        self.is_trusted = False
        self.source = JavaScriptFolder(
            self._folder, runtime, name="project", origin="project", gate=self._gate
        )

    def trust(self, is_trusted: bool) -> None:
        """Load the tools or let them go, at once."""
        if is_trusted != self.is_trusted:
            self.is_trusted = is_trusted
            self.source.load()

    def _gate(self) -> Loaded | None:
        """Why the folder is not read; of one that is not trusted only that it has tools."""
        project, folder, real = self._config.workspace_folder, self._folder, os.path.realpath(self._folder)
        if real in map(os.path.realpath, self._config.tool_folders) or not os.path.isdir(real):
            return Loaded()
        if not real.startswith(os.path.join(os.path.realpath(project), "")):
            reason = "the folder is a link that leads out of the project; its tools are left out."
            return Loaded(problems=[LoadProblem(str(folder), reason)])
        if self.is_trusted:
            return None
        try:
            count = sum(name.endswith(TOOL_FILES) for name in os.listdir(folder))
        except OSError:
            count = 0
        if not count:
            return Loaded()
        files = "1 tool file is" if count == 1 else f"{count} tool files are"
        reason = (
            f"{files} not loaded because this project is not trusted. Read them, then type:"
            f" oneclaw tools trust {shlex.quote(os.path.realpath(project))}"
        )
        return Loaded(problems=[LoadProblem(str(folder), reason, is_warning=True)])


def outside_sources(
    config: Config, runtime: Runtime, project: Project | None, only: Sequence[Path] = ()
) -> list[ToolSource]:
    """Every folder and plugin there is; without a project, those in the folders `only`."""
    if project is None:
        return [*_named(runtime, only), PluginTools(config, only)] if only else []
    groups = JavaScriptFolder(BUILTIN, runtime, name="built-in groups", origin="built-in")
    user = JavaScriptFolder(config.tools_folder, runtime, name="user", origin="user")
    named = _named(runtime, config.tool_folders[1:])
    return [groups, user, *named, project.source, PluginTools(config)]


def mcp_sources(
    config: Config,
    give: Callable[[Iterable[str]], Mapping[str, str]],
    registry: Registry,
    is_looking: Callable[[], bool],
    ask_model: "AskModel | None" = None,
    learn: Callable[[str, str], None] = lambda name, value: None,
) -> list[ToolSource]:
    """The MCP servers of the settings; what speaks with them is loaded where there is one."""
    if not config.settings.mcp.servers:
        return []
    from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxSettings
    from oneclaw.mcp.client.approvals import Approvals
    from oneclaw.mcp.client.mcp_server import McpServer, servers_of
    from oneclaw.mcp.client.server_source import McpServerSource
    from oneclaw.mcp.client.wires import WireParts

    said = config.settings.network

    @cache
    def sandbox() -> Sandbox:
        return Sandbox(SandboxSettings(config.home / "homes", "sandbox", config.settings.shell.sandbox))

    def tokens(server: McpServer) -> "SecretTokens":
        from oneclaw.mcp.client.oauth import SecretTokens

        return SecretTokens(config.secrets_file, server, learn)

    parts = WireParts(give, Network(said.proxy, said.private_hosts), sandbox, ask_model, tokens)
    approvals = Approvals(config.home)

    def others(origin: str) -> list[str]:
        return [tool.name for tool in registry if tool.origin != origin]

    return [
        McpServerSource(server, approvals, parts, taken=others, is_looking=is_looking)
        for server in servers_of(config.settings.mcp, config.workspace_folder)
    ]


async def check_required(sources: Sources) -> None:
    """Raise `InvalidConfig` for a source that nothing may start without, and that is not ready."""
    required = {source.name for source in sources if getattr(source, "is_required", False)}
    if not required:
        return
    await sources.wait(OPEN_SECONDS)
    for health in sources.health:
        if health.source in required and health.state != "ready":
            raise InvalidConfig(f"The required source of tools {health.source} is not there: {health.reason}")


def with_tool_folders(config: Config, folders: Iterable[Path | str]) -> Config:
    """The settings with further folders of tools. Raises for a folder that tools write in."""
    more = [str(Path(folder).expanduser().absolute()) for folder in folders]
    if more:
        named = [*config.settings.tools.folders, *more]
        config = replace(config, values={**config.values, "tools.folders": named})
    written = [config.workspace_folder, *config.settings.workspace.write]
    opened = {os.path.realpath(folder.expanduser()) for folder in written}
    for folder in config.tool_folders[1:]:
        if os.path.realpath(folder) in opened:
            raise InvalidConfig(
                f"tools.folders names {folder}, where tools write: what one wrote there would be run as a"
                " tool; name a folder of its own, in it or elsewhere."
            )
    return config


def trust_key(folder: Path) -> str:
    """Under which name the store keeps that the owner trusts a project: the real path of its folder.

    A path that is no text is spelled in hexadecimal, which no real path is: it begins with no separator.
    """
    path = os.path.realpath(folder)
    is_text = path.encode("utf-8", "ignore").decode() == path
    return f"{TRUST}{path if is_text else os.fsencode(path).hex()}"


def _named(runtime: Runtime, folders: Iterable[Path]) -> Sequence[JavaScriptFolder]:
    """Folders that the owner named. To name one is to trust it, so no tool may write there."""
    return [
        JavaScriptFolder(folder, runtime, name=str(folder), origin="user", gate=lambda one=folder: _gone(one))
        for folder in folders
    ]


def _gone(folder: Path) -> Loaded | None:
    if os.path.isdir(folder):
        return None
    reason = "the folder is not there; make it, or take it out of tools.folders."
    return Loaded(problems=[LoadProblem(str(folder), reason, is_warning=True)])
