"""Loads plugins and reports each one's problems separately."""

import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

from oneclaw.core.errors import InvalidTool, describe
from oneclaw.core.load import Loaded, LoadProblem
from oneclaw.core.settings.tree import PluginTable, Settings
from oneclaw.core.tool import Execute, Tool, ToolDefinition
from oneclaw.plugins.described import PluginDefaults, left_to_owner, read_tool
from oneclaw.plugins.description_cache import CachedDescription, DescriptionCache
from oneclaw.plugins.discovery import PluginCode, PluginLocation, check_name, find_files, find_packages, read
from oneclaw.plugins.source import TOOLS, InvalidPlugin, PluginImport

SECONDS = 10.0
"""How long a plugin may take to be imported and to say what tools it has."""

ABOUT_CHARS = 200
FOLDERS = ("built-in", "user", "project")
"""Names below `plugins` in the settings that are tool folders."""


class PluginSettings(Protocol):
    """The part of the settings that decides which plugins there are."""

    @property
    def tool_folders(self) -> Sequence[Path]: ...
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
    is_inline: bool = False
    tools: list[Tool] = field(default_factory=list[Tool])
    problems: list[LoadProblem] = field(default_factory=list[LoadProblem])


class Look:
    """One look at the plugins there are, files first, then packages. Nothing is imported for it: a plugin
    whose manifest does not describe its tools, and that nobody asked before, is `unasked`.

    With `is_fresh`, one that failed a short while ago is asked again. Until it has answered, a plugin has
    the tools it had `before`. With `only`, the files of these folders are the only plugins.
    """

    def __init__(
        self,
        config: PluginSettings,
        *,
        is_fresh: bool = False,
        before: "Look | None" = None,
        only: Sequence[Path] | None = None,
    ) -> None:
        folders, path = (config.tool_folders, sys.path) if only is None else (only, ())
        self._found = [*(file for folder in folders for file in find_files(folder)), *find_packages(path)]
        self._is_whole = only is None
        self._config = config
        self._plugins, self._reads = _read_all(config, self._found)
        self._bare = dict(self._plugins)
        self._kept: DescriptionCache | None = None
        self.unasked: dict[str, PluginImport] = {}
        for name, each in self._reads.items():
            told = self._known(name, each, is_fresh)
            if told is None:
                self.unasked[name] = each.source
                if before is not None and name in before._plugins:
                    self._plugins[name] = before._plugins[name]
            else:
                self._complete(name, told)

    @property
    def plugins(self) -> list[Plugin]:
        return [*self._plugins.values(), *_doubles(self._found)]

    @property
    def loaded(self) -> Loaded:
        """The tools of all plugins, and what is wrong."""
        plugins = self.plugins
        tools = [tool for plugin in plugins for tool in plugin.tools]
        problems = [problem for plugin in plugins for problem in plugin.problems]
        return Loaded(tools, [*problems, *(_unknown(self._config, plugins) if self._is_whole else ())])

    async def ask(self, changed: Callable[[], None] = lambda: None, seconds: float = SECONDS) -> None:
        """Ask the plugins that are unasked, side by side; `changed` is called as each has answered."""
        if not self.unasked:
            return
        from oneclaw.plugins.asking import ask_each  # starts processes: only where something is new

        memory_bytes = self._config.settings.limits.memory_mb << 20
        try:
            async with aclosing(ask_each(dict(self.unasked), seconds, memory_bytes)) as answers:
                async for name, told in answers:
                    self.hear(name, told)
                    changed()
        except (OSError, RuntimeError) as error:
            self.give_up(error)

    def hear(self, name: str, told: CachedDescription, *, is_kept: bool = True) -> None:
        """Take what a plugin says of its tools, and keep it for the next start."""
        del self.unasked[name]
        if is_kept and self._kept is not None:
            self._kept.put(self._bare[name].place, self._reads[name].source.digest, told)
        self._complete(name, told)

    def give_up(self, error: Exception) -> None:
        """Have those that are still unasked say that they cannot be: there is no descriptor, no thread."""
        reason = f"It could not be asked for its tools: {describe(error)}."
        for name in list(self.unasked):
            self.hear(name, CachedDescription(failure=reason), is_kept=False)

    def _known(self, name: str, each: PluginCode, is_fresh: bool) -> CachedDescription | None:
        """A plugin's description from its manifest or cache."""
        if each.manifest.tools is not None:
            return CachedDescription({"tools": each.manifest.tools})
        config = self._config
        self._kept = self._kept or DescriptionCache(config.cache_folder / "plugins", sys.path, config.home)
        place, digest = self._bare[name].place, each.source.digest
        return self._kept.get(place, digest, with_failures=not is_fresh)

    def _complete(self, name: str, told: CachedDescription) -> None:
        self._plugins[name] = _complete(self._bare[name], self._reads[name], told)


def _read_all(
    config: PluginSettings, found: Sequence[PluginLocation]
) -> tuple[dict[str, Plugin], dict[str, PluginCode]]:
    plugins: dict[str, Plugin] = {}
    reads: dict[str, PluginCode] = {}
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
            is_inline=said.inline,
        )
        try:
            check_name(each)
            if plugin.is_enabled:
                reads[each.name] = read(each)
        except (InvalidPlugin, OSError) as error:
            plugin.problems.append(_problem(plugin, describe(error)))
        plugins[each.name] = plugin
    return plugins, reads


def _doubles(found: Sequence[PluginLocation]) -> list[Plugin]:
    """Those whose name another one has already."""
    first: dict[str, PluginLocation] = {}
    doubles: list[Plugin] = []
    for each in found:
        if first.setdefault(each.name, each) is not each:
            plugin = Plugin(each.name, each.place, each.is_package, each.version, each.about)
            reason = f"{each.place} has the name of {first[each.name].place}; rename the file to have both."
            plugin.problems.append(_problem(plugin, reason))
            doubles.append(plugin)
    return doubles


def _complete(plugin: Plugin, each: PluginCode, told: CachedDescription) -> Plugin:
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


def _add_tools(plugin: Plugin, said: list[Any], each: PluginCode) -> None:
    owner = PluginDefaults(plugin.name, plugin.version, each.digest, plugin.permissions, plugin.is_inline)
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
        plugin.tools.append(_make_tool(definition, each.source, plugin))


def _add_faults(plugin: Plugin, faults: list[Any]) -> None:
    for fault in faults[:TOOLS]:
        match fault:
            case [int() | None as index, str(reason)]:
                plugin.problems.append(_problem(plugin, reason[:400], index))
            case _:
                plugin.problems.append(_problem(plugin, "It reports a fault that cannot be read."))


def _make_tool(definition: ToolDefinition, source: PluginImport, plugin: Plugin) -> Tool:
    from oneclaw.plugins.work import inline_of, work_of

    execute: Execute
    if definition.isolation == "process":
        execute = work_of(source, plugin.is_trusted)
    else:
        execute = inline_of(source).call if definition.isolation == "thread" else inline_of(source).wait
    return Tool(definition, execute, plugin.name)


def _problem(
    plugin: Plugin, reason: str, index: int | None = None, *, is_warning: bool = False
) -> LoadProblem:
    return LoadProblem(f"plugin {plugin.name}", reason, index, is_warning)


def _unknown(config: PluginSettings, plugins: Sequence[Plugin]) -> list[LoadProblem]:
    """Settings that name a plugin which is not there; the folders of tools have rules for tools only."""
    known = {plugin.name for plugin in plugins}
    folders = {
        name
        for name, said in config.settings.plugins.items()
        if name in FOLDERS and said.enabled and not (said.trusted or said.inline)
    }
    reason = "The settings name it, but it is not there; `oneclaw plugins` lists those that are."
    unknown = sorted(config.settings.plugins.keys() - known - folders)
    return [LoadProblem(f"plugin {name}", reason, is_warning=True) for name in unknown]
