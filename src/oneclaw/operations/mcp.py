"""Lists, adds, approves, switches and removes MCP servers."""

import asyncio
import json
import shlex
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneclaw.config import Config, check_settings, settings_file
from oneclaw.core.call import Output
from oneclaw.core.errors import InvalidConfig, NotFound, ToolError, describe
from oneclaw.core.registry import nearest
from oneclaw.core.settings.schema import read
from oneclaw.core.text.toml_edit import remove_table, set_value
from oneclaw.core.text.words import WordRun, compare_words
from oneclaw.core.tool import Context
from oneclaw.guard.files.own_file import change_file
from oneclaw.live_settings import RELOADED
from oneclaw.mcp.client.approvals import FIELDS, Approvals
from oneclaw.mcp.client.described import ListedTool
from oneclaw.mcp.client.extras import Extras
from oneclaw.mcp.client.foreign_config import read_servers
from oneclaw.mcp.client.mcp_server import servers_of
from oneclaw.mcp.client.server_source import McpServerSource
from oneclaw.operations.keys import keep_key
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.app import App

TEMPLATE = "# Settings of OneClaw. `oneclaw config list` names every setting with its default.\n\n"


@dataclass(frozen=True, slots=True)
class McpDifference:
    """One field of a tool that is not as it was approved, word by word."""

    field: str
    words: tuple[WordRun, ...]


@dataclass(frozen=True, slots=True)
class McpToolRecord:
    """A tool of a server: on, held until it is approved, or quarantined, with the reason."""

    name: str
    raw: str
    state: str
    reason: str
    title: str
    description: str
    differences: tuple[McpDifference, ...] = ()


@dataclass(frozen=True, slots=True)
class McpServerRecord:
    """A server of the settings and how it stands.

    shown     the command line, or the address
    state     off, not approved, ready, or failed
    problem   why it is not ready
    about     the name and version that the server gives itself
    warnings  what is odd about it
    log       the end of what a local one wrote to stderr
    """

    name: str
    shown: str
    folder: str
    secrets: tuple[str, ...]
    sandbox: bool
    required: bool
    state: str
    problem: str = ""
    about: str = ""
    protocol: str = ""
    tools: tuple[McpToolRecord, ...] = ()
    warnings: tuple[str, ...] = ()
    log: str = ""


async def list_servers(app: "App") -> list[McpServerRecord]:
    """Every server of the settings; those that are on and approved are connected, side by side."""
    sources = _sources(app)
    await asyncio.gather(*(source.look() for source in sources.values()))
    return [
        _record(sources[name]) if name in sources else _off(app.config, name)
        for name in app.config.settings.mcp.servers
    ]


async def show_server(app: "App", name: str) -> McpServerRecord:
    """One server, connected; raises `NotFound`."""
    sources = _sources(app)
    if name not in sources:
        _check_known(app.config, name)
        return _off(app.config, name)
    await sources[name].look()
    return _record(sources[name])


def describe_server(app: "App", name: str) -> McpServerRecord:
    """One server as the settings have it; nothing is started. Raises `NotFound`."""
    sources = _sources(app)
    if name not in sources:
        _check_known(app.config, name)
        return _off(app.config, name)
    return _record(sources[name])


class McpTrial:
    """A server that was started for a person to see its tools before they are approved."""

    def __init__(self, source: McpServerSource, trial: McpServerSource) -> None:
        self._source = source
        self._trial = trial

    @property
    def record(self) -> McpServerRecord:
        """The server and its tools, each held against what was approved before."""
        return _record(self._trial, self._source)

    def approve(self, names: Iterable[str] = ()) -> list[str]:
        """Approve the tools of these names, or all that are not quarantined; returns their names."""
        chosen = set(names)
        for name in chosen:
            if all(name not in (tool.name, tool.raw) for tool in self._trial.listed):
                near = nearest(name, [tool.name for tool in self._trial.listed])
                raise NotFound("tool", name, f"mcp show {self._source.server.name}", near)
        tools = [
            tool
            for tool in self._trial.listed
            if tool.state != "quarantined" and (not chosen or chosen & {tool.name, tool.raw})
        ]
        self._source.approve(tools)
        return [tool.name for tool in tools]


@asynccontextmanager
async def try_server(app: "App", name: str) -> AsyncGenerator[McpTrial]:
    """Start a server that a person wants started. Raises `InvalidConfig` where that fails."""
    sources = _sources(app)
    if name not in sources:
        _check_known(app.config, name)
        raise InvalidConfig(f"The MCP server {name} is off; switch it on: oneclaw mcp enable {name}")
    trial = sources[name].trial()
    try:
        await trial.look()
        if trial.connection.listed is None:
            raise InvalidConfig(f"The MCP server {name} cannot be used: {trial.connection.problem}.")
        yield McpTrial(sources[name], trial)
    finally:
        await trial.close()


def add_server(config: Config, file: Path | None, name: str, values: Mapping[str, Any]) -> Path:
    """Write a new server into the settings; raises `InvalidConfig` for one that is there or is wrong."""
    if name in config.settings.mcp.servers:
        raise InvalidConfig(
            f"There is an MCP server {name} already; remove it first: oneclaw mcp remove {name}"
        )
    _, settings = read({f"mcp.servers.{name}.{key}": value for key, value in values.items()})
    servers_of(settings.mcp, config.workspace_folder)
    path = settings_file(file)

    def change(text: str) -> str:
        text = text or TEMPLATE
        for key, value in values.items():
            text = set_value(text, ("mcp", "servers", name, key), value)
        check_settings(text, path)
        return text

    change_file(path, change)
    return path


def switch_server(config: Config, file: Path | None, name: str, is_on: bool) -> Path:
    """Have a server used, or not."""
    _check_known(config, name)
    path = settings_file(file)
    change_file(path, lambda text: set_value(text, ("mcp", "servers", name, "enabled"), is_on))
    return path


def remove_server(config: Config, file: Path | None, name: str) -> Path:
    """Take a server out of the settings, and forget what was approved of it."""
    _check_known(config, name)
    path = settings_file(file)
    change_file(path, lambda text: remove_table(text, ("mcp", "servers", name)))
    Approvals(config.home).forget(name)
    return path


async def tell_programs(config: Config) -> None:
    """Have the programs that run take up what was approved."""
    with Store(config.store_file) as store:
        await store.settings.set(RELOADED, int(await store.settings.get(RELOADED, 0)) + 1)


def server_names(config: Config) -> list[str]:
    return list(config.settings.mcp.servers)


def _sources(app: "App") -> dict[str, McpServerSource]:
    return {source.server.name: source for source in app.sources if isinstance(source, McpServerSource)}


def _check_known(config: Config, name: str) -> None:
    known = config.settings.mcp.servers
    if name not in known:
        raise NotFound("MCP server", name, "mcp list", nearest(name, known))


def _off(config: Config, name: str) -> McpServerRecord:
    said = config.settings.mcp.servers[name]
    shown = said.url or " ".join((said.command or "", *said.args))
    return McpServerRecord(name, shown, "", (), said.sandbox, said.required, "off")


def _record(source: McpServerSource, before: McpServerSource | None = None) -> McpServerRecord:
    server, connection = source.server, source.connection
    state = "ready" if connection.state == "ready" else "failed" if source.health else "known"
    if before is None and not source.is_approved:
        state = "not approved"
    approved = (before or source).approved
    return McpServerRecord(
        name=server.name,
        shown=server.shown,
        folder=str(server.folder) if server.is_local else "",
        secrets=(*server.settings.env, *server.settings.headers),
        sandbox=server.settings.sandbox,
        required=server.settings.required,
        state=state,
        problem=source.health,
        about=connection.about,
        protocol=connection.protocol,
        tools=tuple(_tool(tool, approved.tools) for tool in source.listed),
        warnings=tuple(connection.warnings),
        log=connection.log,
    )


def _tool(tool: ListedTool, approved: Mapping[str, Any]) -> McpToolRecord:
    title, description = str(tool.fields.get("title") or ""), str(tool.fields.get("description") or "")
    before = approved.get(tool.raw)
    differences: Sequence[McpDifference] = ()
    if tool.state == "held" and before is not None:
        differences = [
            McpDifference(
                field, tuple(compare_words(_text(before.fields.get(field)), _text(tool.fields.get(field))))
            )
            for field in FIELDS
            if before.fields.get(field) != tool.fields.get(field)
        ]
    return McpToolRecord(tool.name, tool.raw, tool.state, tool.reason, title, description, tuple(differences))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return (
        value if isinstance(value, str) else json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    )


@dataclass(frozen=True, slots=True)
class McpImported:
    """A server that was taken over; `secrets` are the names of values that are kept as secrets now."""

    name: str
    shown: str
    secrets: tuple[str, ...]


def import_servers(app: "App", file: Path | None, source: Path) -> tuple[list[McpImported], dict[str, str]]:
    """Add the servers of another product's file, none of them approved; gives also why some are left out."""
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{source} cannot be read: {error}.") from None
    added: list[McpImported] = []
    left_out: dict[str, str] = {}
    for one in read_servers(text):
        if isinstance(one, tuple):
            left_out[one[0]] = one[1]
            continue
        try:
            add_server(app.config, file, one.name, one.values)
        except InvalidConfig as error:
            left_out[one.name] = str(error)
            continue
        for name, value in one.secrets.items():
            keep_key(app, name, value)
        words = (one.values.get("command", ""), *one.values.get("args", ()))
        added.append(McpImported(one.name, one.values.get("url") or shlex.join(words), tuple(one.secrets)))
    return added, left_out


EXTRAS = {
    "resources": "list_resources",
    "read": "read_resource",
    "prompts": "list_prompts",
    "prompt": "get_prompt",
}
"""The commands for what a server has beside tools, and what is asked of it."""


async def ask_server(app: "App", name: str, what: str, arguments: Mapping[str, Any]) -> str:
    """List or read the resources or prompts of a server that is approved. Raises `InvalidConfig`."""
    source = _named(app, name)
    await source.look()
    if source.connection.state != "ready":
        raise InvalidConfig(f"The MCP server {name} cannot be used: {source.health}")
    try:
        given = await getattr(Extras(source.connection), EXTRAS[what])(dict(arguments), Context())
    except ToolError as error:
        raise InvalidConfig(error.message) from None
    return str(given.value if isinstance(given, Output) else given)


SIGN_IN_SECONDS = 300.0


async def sign_in(app: "App", name: str, show: Callable[[str], None]) -> None:
    """Sign in at a server that is reached by HTTP; `show` is given the address that a person opens."""
    source = _named(app, name)
    try:
        async with asyncio.timeout(SIGN_IN_SECONDS):
            await source.sign_in(show)
    except TimeoutError:
        raise InvalidConfig(f"Nobody signed in at {name} within {SIGN_IN_SECONDS:g} seconds.") from None
    except InvalidConfig:
        raise
    except Exception as error:
        raise InvalidConfig(f"Signing in at {name} failed: {describe(error)}") from None


def sign_out(app: "App", name: str) -> bool:
    """Forget the tokens of a server; whether there were any."""
    return _named(app, name).sign_out()


def _named(app: "App", name: str) -> McpServerSource:
    sources = _sources(app)
    if name not in sources:
        _check_known(app.config, name)
        raise InvalidConfig(f"The MCP server {name} is off; switch it on: oneclaw mcp enable {name}")
    return sources[name]
