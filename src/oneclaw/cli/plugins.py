"""`oneclaw plugins`: lists Python plugins, their tools and their problems."""

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from oneclaw.cli.opened import open_app, read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, print_json, print_line, print_table
from oneclaw.core.text.display import visible
from oneclaw.operations.plugins import Plugin, PluginTool, find_plugin, list_plugins, tools_of

if TYPE_CHECKING:
    from oneclaw.config import Config


CONFINED = (
    "in a process: it can be stopped, has a limit of memory and is given no keys of yours; it can still read"
    " and change what you can"
)
TRUSTED = (
    "in a process with your environment, because you trust it: it can be stopped and has a limit of memory;"
    " it can read and change what you can"
)
UNCONFINED = (
    "in the program itself, as your settings say: it can do whatever the program can, and cannot be stopped"
)


async def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "show" and not arguments.name:
        raise WrongUse("name a plugin: oneclaw plugins show PLUGIN")
    config = read_config(arguments)
    plugins = await list_plugins(config)
    if arguments.action == "list":
        return show_plugins(plugins, config, arguments.json)
    return await show_plugin(arguments, plugins)


def show_plugins(plugins: list[Plugin], config: "Config", as_json: bool) -> int:
    if as_json:
        return print_json([as_row(plugin) for plugin in plugins])
    if not plugins:
        print(
            f"No plugins. Put a Python file with tools into {config.tools_folder}, or install a package"
            " that brings some.",
            file=sys.stderr,
        )
        return 0
    print_table(
        ("", "PLUGIN", "VERSION", "RUNS", "TOOLS", "DESCRIPTION"),
        [
            (
                state_of(plugin),
                plugin.name,
                plugin.version,
                "in the program" if plugin.is_inline else "in a process",
                ", ".join(tool.name for tool in plugin.tools),
                plugin.description,
            )
            for plugin in plugins
        ],
        (STATE, "bold"),
        wrapped=2,
    )
    for problem in (problem for plugin in plugins for problem in plugin.problems):
        print_line(f"{'!' if problem.is_warning else '✗'} {visible(str(problem))}", "yellow", sys.stderr, 2)
    return 0


def state_of(plugin: Plugin) -> str:
    """On with its tools, off by the settings, or ✗ where nothing of it could be loaded."""
    if not plugin.is_enabled:
        return "off"
    return "on" if plugin.tools or all(problem.is_warning for problem in plugin.problems) else "✗"


def as_row(plugin: Plugin) -> dict[str, Any]:
    return {
        "name": plugin.name,
        "enabled": plugin.is_enabled,
        "trusted": plugin.is_trusted,
        "inline": plugin.is_inline,
        "version": plugin.version,
        "description": plugin.description,
        "from": str(plugin.place),
        "permissions": None if plugin.permissions is None else list(plugin.permissions),
        "tools": [tool.name for tool in plugin.tools],
        "problems": [
            {"reason": one.reason, "index": one.index, "is_warning": one.is_warning}
            for one in plugin.problems
        ],
    }


async def show_plugin(arguments: argparse.Namespace, plugins: list[Plugin]) -> int:
    plugin = find_plugin(plugins, arguments.name)
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        tools = tools_of(app, plugin, arguments.agent)
    if arguments.json:
        return print_json(as_row(plugin) | {"tools": [asdict(tool) for tool in tools]})
    print_line(visible(f"{plugin.name} {plugin.version}".strip()), "bold")
    if plugin.description:
        print_line(f"  {visible(plugin.description)}")
    print()
    needs = sorted({need for tool in plugin.tools for need in tool.definition.needs})
    secrets = sorted({name for tool in plugin.tools for name in tool.definition.secrets})
    for label, text in (
        ("state", "on" if plugin.is_enabled else f"off: plugins.{plugin.name}.enabled is false"),
        ("from", str(plugin.place)),
        ("runs", UNCONFINED if plugin.is_inline else TRUSTED if plugin.is_trusted else CONFINED),
        ("needs", ", ".join(needs) or "nothing"),
        *([("secrets", ", ".join(secrets))] if secrets else []),
    ):
        print_line(f"  {label:<9}{visible(text)}", indent=9)
    show_tools(tools)
    for problem in plugin.problems:
        print_line(f"{'!' if problem.is_warning else '✗'} {visible(str(problem))}", "yellow", indent=2)
    return 0


def show_tools(tools: list[PluginTool]) -> None:
    print()
    if not tools:
        print_line("No tools.", "bold")
        return
    print_table(
        ("", "TOOL", "NEEDS", "DESCRIPTION"),
        [
            (
                "on" if tool.on else "off",
                tool.name,
                ", ".join(tool.needs),
                tool.why_off or tool.description.split("\n")[0],
            )
            for tool in tools
        ],
        (STATE, "bold", "yellow"),
    )
    print()
