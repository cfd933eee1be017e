"""`oneclaw tools`: lists tools, shows their parameters, switches them on and off."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from oneclaw.cli import features, tool_check, tool_files
from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, is_terminal, print_json, print_line, print_table, printable
from oneclaw.cli.tool_files import tell_problems
from oneclaw.core.check.signature import describe_type
from oneclaw.core.permit.policy import GROUP
from oneclaw.core.subschema import is_object
from oneclaw.core.text.display import visible
from oneclaw.operations import tools
from oneclaw.operations.features import feature_names, switch_feature
from oneclaw.operations.portability import Portability, list_portability
from oneclaw.operations.tools import ToolDetails, ToolState, find_tool, show_tool, switch_tools

if TYPE_CHECKING:
    from oneclaw.app import App


SWITCHES = ("on", "off", "reset")
NEED_A_TOOL = ("show", *SWITCHES)


async def run(arguments: argparse.Namespace) -> int:

    check_use(arguments)
    if arguments.action in ("check", "new", "test", "reload", "trust", "untrust"):
        return await run_outside(arguments)
    if arguments.action in SWITCHES:
        return await switch(arguments)
    if arguments.action == "portability":
        return await show_portability(arguments)
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        if arguments.action == "sources":
            return show_sources(app, arguments.json)
        if arguments.action == "list":
            return await list_tools(app, arguments.agent, arguments.json)
        return show_details(await show_tool(app, arguments.name, arguments.agent), arguments.json)


def check_use(arguments: argparse.Namespace) -> None:
    """Raise `WrongUse` for words that do not go together."""
    action = arguments.action
    if action in NEED_A_TOOL and not arguments.name:
        raise WrongUse(f"name a tool: oneclaw tools {action} TOOL")
    if action == "new" and not arguments.name:
        raise WrongUse("name the new tool: oneclaw tools new NAME")
    if action != "new" and (arguments.group or arguments.python or arguments.folder):
        raise WrongUse("--group, --python and --folder are for: oneclaw tools new NAME")
    if arguments.group and arguments.python:
        raise WrongUse("give --group or --python, not both: a plugin has as many tools as it likes.")


async def run_outside(arguments: argparse.Namespace) -> int:
    """The actions that are about files of tools."""

    action = arguments.action
    if action == "new":
        return tool_files.new_tool(arguments)
    if action == "reload":
        return await tool_files.reload_tools(arguments)
    if action == "check":
        return await tool_check.check_tools(arguments)
    if action == "test":
        return await tool_check.try_tools(arguments)
    return await tool_files.trust_project(arguments)


async def show_portability(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        definitions = app.registry.definitions()
        if arguments.name:
            definitions = [find_tool(app, arguments.name).definition]
    found = list_portability(definitions, arguments.provider)
    if arguments.json:
        return print_json([asdict(each) for each in found])
    return print_table(
        ("TOOL", "PROVIDER", "VERDICT", "WHERE", "WHY"),
        [line for each in found for line in portability_lines(each)],
        ("bold", "", "yellow", "", ""),
        wrapped=2,
    )


def portability_lines(found: Portability) -> Iterator[tuple[str, ...]]:
    head = (found.tool, found.provider)
    if not found.changes:
        yield (*head, "kept", "", "")
    for change in found.changes:
        where = f"{change.path.removeprefix('$').lstrip('.') or 'root'}: {change.keyword}"
        yield (*head, change.verdict, where, change.why)


async def switch(arguments: argparse.Namespace) -> int:
    """Switch a tool, the tools of a group, or a feature where no tool has the name."""
    name, action, agent = arguments.name, arguments.action, arguments.agent
    is_on = features.SWITCHED[action]
    async with open_app(arguments) as app:
        await app.sources.wait()
        if name not in app.registry and name in feature_names(app):
            feature = await switch_feature(app, name, is_on, agent)
            return features.show_switched(feature, action, arguments.json)
        tools = await switch_tools(app, name, is_on, agent)
    if arguments.json:
        rows = [asdict(tool) for tool in tools]
        return print_json(rows if name.startswith(GROUP) else rows[0])
    print("\n".join(switched(tool, action) for tool in tools))
    return 0


def switched(tool: ToolState, action: str) -> str:
    """Describes the outcome of switching a tool."""
    state = "on" if tool.on else "off"
    if action == "reset":
        return f"{tool.name} is {state} again" + ("." if tool.on else f": {tool.why_off}")
    return f"{tool.name} is switched {action}" + ("." if state == action else f", but {tool.why_off}")


async def list_tools(app: "App", agent: str, as_json: bool) -> int:
    found = await tools.list_tools(app, agent)
    if as_json:
        print_json([asdict(tool) for tool in found])
        tell_problems(app.problems)
        return 0
    print_table(
        ("", "TOOL", "NEEDS", "LABEL"),
        [("on" if tool.on else "off", tool.name, _needs_text(tool), tool.label) for tool in found],
        (STATE, "bold", "yellow"),
    )
    if is_terminal(sys.stdout):
        off = "" if all(tool.on for tool in found) else " `oneclaw why TOOL` says why it is off."
        print_line(f"\n`oneclaw tools show TOOL` describes a tool.{off}", "dim")
    for health in app.sources.health:
        if health.state != "ready":
            print_line(f"{health.source}: {health.state} {health.reason}".rstrip(), "yellow", sys.stderr)
    tell_problems(app.problems)
    return 0


def show_sources(app: "App", as_json: bool) -> int:
    if as_json:
        return print_json([asdict(health) for health in app.sources.health])
    rows = [
        (health.state, printable(health.source), str(health.tools), printable(health.reason))
        for health in app.sources.health
    ]
    return print_table(("STATE", "SOURCE", "TOOLS", "WRONG"), rows, ("", "bold"))


def _needs_text(tool: ToolState) -> str:
    """The needs of a tool, each marked when a person is asked or it is denied."""
    marks = dict.fromkeys(tool.asks, " (asks)") | dict.fromkeys(tool.denied, " (denied)")
    return ", ".join(need + marks.get(need, "") for need in tool.needs)


def show_details(details: ToolDetails, as_json: bool) -> int:
    tool, definition = details.state, details.definition
    if as_json:
        more = ("version", "seconds", "chars", "isolation", "parameters")
        return print_json(asdict(tool) | {name: getattr(definition, name) for name in more})
    print_line(visible(details.signature), "bold")
    print_line(f"  {visible(tool.label)}", "cyan")
    for line in tool.description.splitlines():
        print_line(f"  {visible(line)}")
    print()
    for label, text in (
        ("state", "on" if tool.on else f"off: {tool.why_off}"),
        ("needs", _needs_text(tool) or "nothing"),
        ("effect", tool.effect),
        ("limit", f"{definition.seconds:g} seconds, {definition.chars:,} characters"),
        ("runs", details.runs),
        ("from", (tool.origin or "code") + (f", {tool.place}" if tool.place else "")),
    ):
        print_line(f"  {label:<8}{visible(text)}", indent=8)
    if is_terminal(sys.stdout):
        show_parameters(definition.parameters)
    else:
        print("\nParameters (JSON Schema):")
        print(json.dumps(definition.parameters, indent=2, ensure_ascii=True))
    if details.refused:
        print_line("\nWhat some providers refuse:", "bold")
        for finding in details.refused:
            providers = ", ".join(finding.providers)
            print_line(visible(f"  {finding.path} {finding.keyword}: {providers}; {finding.instead}"))
    return 0


def show_parameters(parameters: Mapping[str, Any]) -> None:
    """A table of the parameters; a star stands where one is required."""
    properties: Mapping[str, Any] = parameters.get("properties", {})
    print()
    if not properties:
        print_line("No parameters.", "bold")
        return
    required = parameters.get("required", ())
    rows: list[tuple[str, str, str]] = []
    for name, schema in properties.items():
        meaning, default = "", None
        if is_object(schema):
            meaning, default = str(schema.get("description", "")), schema.get("default")
        if default is not None and "default" not in meaning.lower():
            meaning = f"{meaning} Default: {json.dumps(default, ensure_ascii=False)}.".strip()
        name_shown = f"{name} *" if name in required else name
        rows.append((name_shown, describe_type(schema, parameters), meaning))
    print_table(("PARAMETER", "TYPE", "MEANING"), rows, ("bold", "yellow"), wrapped=2)
    print_line("\n* required. `--json` prints the JSON Schema.", "dim")
