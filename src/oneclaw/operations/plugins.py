"""Lists plugins and their tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oneclaw.core.errors import NotFound
from oneclaw.core.registry import nearest
from oneclaw.plugins.loader import Look, Plugin

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.config import Config


@dataclass(frozen=True, slots=True)
class PluginTool:
    """A tool of a plugin as it stands for an agent; another tool may have its name."""

    name: str
    on: bool
    why_off: str
    needs: tuple[str, ...]
    secrets: tuple[str, ...]
    effect: str
    version: str
    description: str


async def list_plugins(config: "Config") -> list[Plugin]:
    """The plugins there are; one that failed is asked again."""
    looked = Look(config, is_fresh=True)
    await looked.ask()
    return looked.plugins


def find_plugin(plugins: Sequence[Plugin], name: str) -> Plugin:
    """The plugin of a name; raises `NotFound`."""
    for plugin in plugins:
        if plugin.name == name:
            return plugin
    raise NotFound("plugin", name, "plugins", nearest(name, [each.name for each in plugins]))


def tools_of(app: "App", plugin: Plugin, agent: str = "default") -> list[PluginTool]:
    found: list[PluginTool] = []
    for tool in plugin.tools:
        definition, entry = tool.definition, app.registry.find(tool.name)
        if entry is None or entry.tool.origin != plugin.name:
            whose = "no tool" if entry is None else f"a tool from {entry.tool.origin or 'code'}"
            is_on, why = False, f"left out: the name is that of {whose}."
        else:
            decision = app.policy.decide(entry.tool.definition, agent=agent, origin=entry.tool.origin)
            is_on, why = decision.allowed, decision.reason
        about = definition.effect, definition.version, definition.description
        why = "" if is_on else why
        found.append(PluginTool(tool.name, is_on, why, definition.needs, definition.secrets, *about))
    return found
