"""Loads the plugins there are: found, read, described; what is wrong with one is said of that one alone."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

from oneclaw.core.errors import InvalidTool, describe
from oneclaw.core.load import Loaded, Problem
from oneclaw.core.settings.tree import PluginTable, Settings
from oneclaw.core.tool import Execute, Tool, ToolDefinition
from oneclaw.plugins.described import Owner, left_to_owner, read_tool
from oneclaw.plugins.found import Found, Read, check_name, find_files, find_packages, read
from oneclaw.plugins.kept import Kept, Told
from oneclaw.plugins.source import TOOLS, InvalidPlugin, Source

SECONDS = 10.0
"""How long a plugin may take to be imported and to say what tools it has."""

ABOUT_CHARS = 200
FOLDERS = ("built-in", "user", "project")
"""What the settings below `plugins` call the folders of tools, which are no plugins."""


class PluginSettings(Protocol):
    """The part of the settings that decides which plugins there are."""

    @property
    def tools_folder(self) -> Path: ...
    @property
    def cache_folder(self) -> Path: ...
    @property
    def home(self) -> Path: ...
    @property
    def settings(self) -> Settings: ...


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that is there, as the owner is shown it. `permissions` is None where no manifest names any."""

    name: str
    place: Path
    is_package: bool
    version: str = ""
    description: str = ""
    permissions: tuple[str, ...] | None = None
    is_enabled: bool = True
    is_trusted: bool = False
    tools: list[Tool] = field(default_factory=list[Tool])
    problems: list[Problem] = field(default_factory=list[Problem])


def load_plugins(config: PluginSettings, *, is_fresh: bool = False, seconds: float = SECONDS) -> Loaded:
    """The tools of all plugins, and what is wrong. Never raises for what a plugin does.

    With `is_fresh`, what failed a short while ago is tried again.
    """
    plugins = look(config, is_fresh=is_fresh, seconds=seconds)
    tools = [tool for plugin in plugins for tool in plugin.tools]
    problems = [problem for plugin in plugins for problem in plugin.problems]
    return Loaded(tools, [*problems, *_unknown(config, plugins)])


def look(config: PluginSettings, *, is_fresh: bool = False, seconds: float = SECONDS) -> list[Plugin]:
    """Every plugin there is: files first, then packages."""
    found = [*find_files(config.tools_folder), *find_packages(sys.path)]
    if not found:
        return []
    plugins, reads = _read_all(config, found)
    told = _told(config, {name: plugins[name].place for name in reads}, reads, is_fresh, seconds)
    for name, each in reads.items():
        plugins[name] = _complete(plugins[name], each, told[name])
    return [*plugins.values(), *_doubles(found)]


def _read_all(config: PluginSettings, found: Sequence[Found]) -> tuple[dict[str, Plugin], dict[str, Read]]:
    plugins: dict[str, Plugin] = {}
    reads: dict[str, Read] = {}
    for each in found:
        if each.name in plugins:
            continue
        said = config.settings.plugins.get(each.name, PluginTable())
        plugin = Plugin(
            each.name,
            each.place,
            each.is_package,
            each.version,
            each.about,
            is_enabled=said.enabled,
            is_trusted=said.trusted,
        )
        try:
            check_name(each)
            if plugin.is_enabled:
                reads[each.name] = read(each)
        except (InvalidPlugin, OSError) as error:
            plugin.problems.append(_problem(plugin, describe(error)))
        plugins[each.name] = plugin
    return plugins, reads


def _doubles(found: Sequence[Found]) -> list[Plugin]:
    """Those whose name another one has already."""
    first: dict[str, Found] = {}
    doubles: list[Plugin] = []
    for each in found:
        if first.setdefault(each.name, each) is not each:
            plugin = Plugin(each.name, each.place, each.is_package, each.version, each.about)
            reason = f"{each.place} has the name of {first[each.name].place}; rename the file to have both."
            plugin.problems.append(_problem(plugin, reason))
            doubles.append(plugin)
    return doubles


def _told(
    config: PluginSettings, places: dict[str, Path], reads: dict[str, Read], is_fresh: bool, seconds: float
) -> dict[str, Told]:
    """What each plugin says of its tools: in its manifest, earlier, or now in a process."""
    kept: Kept | None = None
    told: dict[str, Told] = {}
    for name, each in reads.items():
        if each.manifest.tools is not None:
            told[name] = Told({"tools": each.manifest.tools})
            continue
        kept = kept or Kept(config.cache_folder / "plugins", sys.path, config.home)
        known = kept.get(places[name], each.source.digest, with_failures=not is_fresh)
        if known is not None:
            told[name] = known
    unasked = [name for name in reads if name not in told]
    if unasked and kept is not None:
        from oneclaw.plugins.asking import ask_all  # starts processes: only where something is new

        memory_bytes = config.settings.limits.memory_mb << 20
        try:
            answers = ask_all([reads[name].source for name in unasked], seconds, memory_bytes)
        except (OSError, RuntimeError) as error:  # no descriptor, no thread
            reason = f"It could not be asked for its tools: {describe(error)}."
            return told | {name: Told(failure=reason) for name in unasked}
        for name, answer in zip(unasked, answers, strict=True):
            kept.put(places[name], reads[name].source.digest, answer)
            told[name] = answer
    return told


def _complete(plugin: Plugin, each: Read, told: Told) -> Plugin:
    """The plugin with its tools, each checked; one that cannot be used is left out alone."""
    manifest = each.manifest
    plugin = replace(
        plugin,
        version=manifest.version or plugin.version,
        description=manifest.description or plugin.description,
        permissions=manifest.permissions,
    )
    if told.data is None:
        plugin.problems.append(_problem(plugin, told.failure))
        return plugin
    about: Any = told.data.get("about")
    if not plugin.description and isinstance(about, str):
        plugin = replace(plugin, description=about[:ABOUT_CHARS])
    said: Any = told.data.get("tools")
    faults: Any = told.data.get("faults", [])
    if not isinstance(said, list) or not isinstance(faults, list) or len(cast(list[Any], said)) > TOOLS:
        reason = f"It does not describe its tools as a list of at most {TOOLS}."
        plugin.problems.append(_problem(plugin, reason))
        return plugin
    _add_faults(plugin, cast(list[Any], faults))
    _add_tools(plugin, cast(list[Any], said), each)
    if not plugin.tools and not plugin.problems:
        plugin.problems.append(_problem(plugin, "It has no tools.", is_warning=True))
    return plugin


def _add_tools(plugin: Plugin, said: list[Any], each: Read) -> None:
    owner = Owner(plugin.name, plugin.version, each.digest, plugin.permissions, plugin.is_trusted)
    names: set[str] = set()
    for index, data in enumerate(said):
        try:
            definition = read_tool(data, owner)
            if definition.name in names:
                raise InvalidTool(f"Two of its tools are named {definition.name!r}; rename one of them.")
        except Exception as error:  # whatever is wrong with one, the others are not to suffer
            plugin.problems.append(_problem(plugin, describe(error), index))
            continue
        names.add(definition.name)
        for field_name in left_to_owner(data):
            reason = f"{definition.name} sets {field_name}, which is left to your settings and not used."
            plugin.problems.append(_problem(plugin, reason, is_warning=True))
        plugin.tools.append(_make_tool(definition, each.source, plugin.name))


def _add_faults(plugin: Plugin, faults: list[Any]) -> None:
    for fault in faults[:TOOLS]:
        match fault:
            case [int() | None as index, str(reason)]:
                plugin.problems.append(_problem(plugin, reason[:400], index))
            case _:
                plugin.problems.append(_problem(plugin, "It reports a fault that cannot be read."))


def _make_tool(definition: ToolDefinition, source: Source, origin: str) -> Tool:
    from oneclaw.plugins.work import trusted_of, work_of

    execute: Execute
    if definition.isolation == "process":
        execute = work_of(source)
    else:
        execute = trusted_of(source).call if definition.isolation == "thread" else trusted_of(source).wait
    return Tool(definition, execute, origin)


def _problem(plugin: Plugin, reason: str, index: int | None = None, *, is_warning: bool = False) -> Problem:
    return Problem(f"plugin {plugin.name}", reason, index, is_warning)


def _unknown(config: PluginSettings, plugins: Sequence[Plugin]) -> list[Problem]:
    """Settings that name a plugin which is not there; the folders of tools have rules for tools only."""
    known = {plugin.name for plugin in plugins}
    folders = {
        name
        for name, said in config.settings.plugins.items()
        if name in FOLDERS and said.enabled and not said.trusted
    }
    reason = "The settings name it, but it is not there; `oneclaw plugins` lists those that are."
    unknown = sorted(config.settings.plugins.keys() - known - folders)
    return [Problem(f"plugin {name}", reason, is_warning=True) for name in unknown]
