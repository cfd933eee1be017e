"""`oneclaw plugins`: the Python plugins there are, what each brings, and what is wrong with it."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.config import Config
    from oneclaw.plugins.loader import Plugin

EPILOG = """\
Examples:
  oneclaw plugins                list them: on or off, version, where they run, their tools
  oneclaw plugins show weather   one plugin: where it is from, what it needs, its tools, what is wrong

Settings for one plugin, in oneclaw.toml:
  [plugins.weather]
  enabled = false                leave it out
  trusted = true                 run its tools in the program instead of a process
  tools.deny = ["forecast"]      leave out a tool
"""

CONFINED = (
    "in a process: it can be stopped, has a limit of memory and is given no keys of yours; it can still read"
    " and change what you can"
)
UNCONFINED = (
    "in the program itself, for you trust it: it can do whatever the program can, and cannot be stopped"
)


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import plugin_names

    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--agent", default="default", metavar="NAME", help="what this agent may call")
    parser.add_argument("action", nargs="?", choices=("list", "show"), default="list", help="default: list")
    name = parser.add_argument("name", nargs="?", metavar="PLUGIN", help="the plugin to show")
    name.completer = plugin_names  # pyright: ignore[reportAttributeAccessIssue]


async def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import read_config
    from oneclaw.plugins.loader import look

    if arguments.action == "show" and not arguments.name:
        print("oneclaw: name a plugin: oneclaw plugins show PLUGIN", file=sys.stderr)
        return 2
    # Whoever looks here may just have mended what failed a moment ago.
    config = read_config(arguments)
    plugins = look(config, is_fresh=True)
    if arguments.action == "list":
        return list_plugins(plugins, config, arguments.json)
    return await show_plugin(arguments, plugins)


def list_plugins(plugins: "list[Plugin]", config: "Config", as_json: bool) -> int:
    from oneclaw.cli.terminal import STATE, print_json, print_line, print_table

    if as_json:
        print_json([as_row(plugin) for plugin in plugins])
        return 0
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
                "in the program" if plugin.is_trusted else "in a process",
                ", ".join(tool.name for tool in plugin.tools),
                plugin.description,
            )
            for plugin in plugins
        ],
        (STATE, "bold"),
        wrapped=2,
    )
    for problem in (problem for plugin in plugins for problem in plugin.problems):
        print_line(f"{'!' if problem.is_warning else '✗'} {_visible(str(problem))}", "yellow", sys.stderr, 2)
    return 0


def state_of(plugin: "Plugin") -> str:
    """On with its tools, off by the settings, or ✗ where nothing of it could be loaded."""
    if not plugin.is_enabled:
        return "off"
    return "on" if plugin.tools or all(problem.is_warning for problem in plugin.problems) else "✗"


def as_row(plugin: "Plugin") -> dict[str, Any]:
    return {
        "name": plugin.name,
        "enabled": plugin.is_enabled,
        "trusted": plugin.is_trusted,
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


async def show_plugin(arguments: argparse.Namespace, plugins: "list[Plugin]") -> int:
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json, print_line
    from oneclaw.core.registry import nearest

    plugin = next((each for each in plugins if each.name == arguments.name), None)
    if plugin is None:
        near = nearest(arguments.name, [each.name for each in plugins])
        hint = f" Did you mean {' or '.join(near)}?" if near else " `oneclaw plugins` lists them."
        print(f"oneclaw: there is no plugin {_visible(arguments.name[:100])!r}.{hint}", file=sys.stderr)
        return 3
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        tools = [_tool_row(app, plugin, name, arguments.agent) for name in as_row(plugin)["tools"]]
    if arguments.json:
        print_json(as_row(plugin) | {"tools": tools})
        return 0
    print_line(_visible(f"{plugin.name} {plugin.version}".strip()), "bold")
    if plugin.description:
        print_line(f"  {_visible(plugin.description)}")
    print()
    needs = sorted({need for tool in plugin.tools for need in tool.definition.needs})
    secrets = sorted({name for tool in plugin.tools for name in tool.definition.secrets})
    for label, text in (
        ("state", "on" if plugin.is_enabled else f"off: plugins.{plugin.name}.enabled is false"),
        ("from", str(plugin.place)),
        ("runs", UNCONFINED if plugin.is_trusted else CONFINED),
        ("needs", ", ".join(needs) or "nothing"),
        *([("secrets", ", ".join(secrets))] if secrets else []),
    ):
        print_line(f"  {label:<9}{_visible(text)}", indent=9)
    show_tools(tools)
    for problem in plugin.problems:
        print_line(f"{'!' if problem.is_warning else '✗'} {_visible(str(problem))}", "yellow", indent=2)
    return 0


def show_tools(rows: list[dict[str, Any]]) -> None:
    from oneclaw.cli.terminal import STATE, print_line, print_table

    print()
    if not rows:
        print_line("No tools.", "bold")
        return
    print_table(
        ("", "TOOL", "NEEDS", "DESCRIPTION"),
        [
            (
                "on" if row["on"] else "off",
                row["name"],
                ", ".join(row["needs"]),
                row["why_off"] or row["description"].split("\n")[0],
            )
            for row in rows
        ],
        (STATE, "bold", "yellow"),
    )
    print()


def _tool_row(app: "App", plugin: "Plugin", name: str, agent: str) -> dict[str, Any]:
    """A tool of a plugin as the app has it; another may have the name."""
    tool = next(each for each in plugin.tools if each.name == name)
    entry = app.registry.find(name)
    if entry is None or entry.tool.origin != plugin.name:
        whose = "no tool" if entry is None else f"a tool from {entry.tool.origin or 'code'}"
        is_on, why = False, f"left out: the name is that of {whose}."
    else:
        decision = app.policy.decide(entry.tool.definition, agent=agent, origin=entry.tool.origin)
        is_on, why = decision.allowed, decision.reason
    definition = tool.definition
    return {
        "name": name,
        "on": is_on,
        "why_off": "" if is_on else why,
        "needs": list(definition.needs),
        "secrets": list(definition.secrets),
        "effect": definition.effect,
        "version": definition.version,
        "description": definition.description,
    }


def _visible(text: str) -> str:
    from oneclaw.core.text.display import visible

    return visible(text)
