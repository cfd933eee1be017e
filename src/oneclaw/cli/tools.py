"""`oneclaw tools`: what there is, what is on, what each tool takes; switching them, and tools from files."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oneclaw.app import App
    from oneclaw.core.tool import Tool, ToolDefinition

EPILOG = """\
Examples:
  oneclaw tools                    a table: name, on or off, needs, description
  oneclaw tools show read_file     one tool with its schema and limits
  oneclaw tools off http_request   switch a tool off (on: switch it on again)
  oneclaw tools on group:text      switch all tools of a group
  oneclaw tools on shell           switch a feature on with its tools, as `oneclaw features on shell` does
  oneclaw tools reset http_request take your word back: the settings decide again
  oneclaw tools sources            where tools come from, and how each source is
  oneclaw tools portability        what each provider is sent: kept, rewritten, dropped, and why
  oneclaw tools new weather        write a JavaScript tool (--group: several; --python: a plugin)
  oneclaw tools check [PATH]       what is wrong with tool files, and whether each function is there
  oneclaw tools test weather       run the examples of its manifest
  oneclaw tools reload             have running programs take up changed files now
  oneclaw tools trust [FOLDER]     load the tools in .oneclaw/tools of a project (untrust: no longer)

Exit codes: 0 done, 1 check or test found something wrong, 2 wrong use or settings, 3 no such tool.
"""

ACTIONS = (
    *("list", "show", "on", "off", "reset", "sources", "portability"),
    *("check", "new", "test", "reload", "trust", "untrust"),
)
SWITCHES = ("on", "off", "reset")
NEED_A_TOOL = ("show", *SWITCHES)


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import tools_words
    from oneclaw.providers.dialect.rules import RULES

    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--agent", default="default", metavar="NAME", help="for this agent")
    parser.add_argument("--provider", choices=tuple(RULES), help="portability for this provider alone")
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    name = parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="the tool; check: a file or folder; trust, untrust: a project (default: the workspace)",
    )
    name.completer = tools_words  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("--group", action="store_true", help="new: a group of tools in one file")
    parser.add_argument("--python", action="store_true", help="new: a Python plugin")
    parser.add_argument("--folder", metavar="FOLDER", help="new: write it here (default: your tools folder)")


async def run(arguments: argparse.Namespace) -> int:

    from oneclaw.cli.opened import open_app
    from oneclaw.cli.tool_lookup import named_tool

    wrong = wrong_use(arguments)
    if wrong:
        print(f"oneclaw: {wrong}", file=sys.stderr)
        return 2
    if arguments.action in ("check", "new", "test", "reload", "trust", "untrust"):
        return await run_outside(arguments)
    if arguments.action in SWITCHES:
        return await switch_tools(arguments)
    if arguments.action == "portability":
        return await show_portability(arguments)
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        if arguments.action == "sources":
            return show_sources(app, arguments.json)
        if arguments.action == "list":
            return await list_tools(app, arguments.agent, arguments.json)
        tool = named_tool(app, arguments.name)
        return 3 if tool is None else await show_tool(app, tool, arguments.agent, arguments.json)


def wrong_use(arguments: argparse.Namespace) -> str:
    action = arguments.action
    if action in NEED_A_TOOL and not arguments.name:
        return f"name a tool: oneclaw tools {action} TOOL"
    if action == "new" and not arguments.name:
        return "name the new tool: oneclaw tools new NAME"
    if action != "new" and (arguments.group or arguments.python or arguments.folder):
        return "--group, --python and --folder are for: oneclaw tools new NAME"
    if arguments.group and arguments.python:
        return "give --group or --python, not both: a plugin has as many tools as it likes."
    return ""


async def run_outside(arguments: argparse.Namespace) -> int:
    """The actions that are about files of tools."""

    from oneclaw.cli import tool_check, tool_files

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
    from oneclaw.cli import portability
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.tool_lookup import named_tool

    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        definitions = app.registry.definitions()
        if arguments.name:
            tool = named_tool(app, arguments.name)
            if tool is None:
                return 3
            definitions = [tool.definition]
    return portability.show_portability(definitions, arguments.provider, arguments.json)


async def switch_tools(arguments: argparse.Namespace) -> int:
    """Switch a tool, the tools of a group, or a feature where no tool has the name."""
    from oneclaw.cli import features
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.cli.tool_lookup import named_tool
    from oneclaw.core.permit.policy import GROUP

    async with open_app(arguments) as app:
        await app.sources.wait()
        name, action = arguments.name, arguments.action
        if name not in app.registry and name in features.features_of(app):
            return await features.switch(app, arguments)
        tools = of_group(app, name)
        if not tools:
            tool = named_tool(app, name)
            if tool is None:
                return 3
            tools = [tool]
        for tool in tools:
            await app.switch(tool.name, features.SWITCHED[action])
        if arguments.json:
            rows = [await as_row(app, tool, arguments.agent) for tool in tools]
            print_json(rows if name.startswith(GROUP) else rows[0])
        else:
            print("\n".join(switched(app, tool, arguments) for tool in tools))
        return 0


def of_group(app: "App", name: str) -> "list[Tool]":
    """The tools that `group:NAME` stands for and that have a switch of their own."""
    from oneclaw.core.permit.policy import GROUP

    group = name.removeprefix(GROUP) if name.startswith(GROUP) else None
    return [tool for tool in app.registry if tool.definition.group == group and tool.definition.switchable]


def switched(app: "App", tool: "Tool", arguments: argparse.Namespace) -> str:
    """What came of switching a tool."""
    decision = app.policy.decide(tool.definition, agent=arguments.agent, origin=tool.origin)
    state = "on" if decision.allowed else "off"
    if arguments.action == "reset":
        return f"{tool.name} is {state} again" + ("." if decision.allowed else f": {decision.reason}")
    is_as_asked = state == arguments.action
    return f"{tool.name} is switched {arguments.action}" + (
        "." if is_as_asked else f", but {decision.reason}"
    )


async def list_tools(app: "App", agent: str, as_json: bool) -> int:
    from oneclaw.cli.terminal import STATE, is_terminal, print_json, print_line, print_table
    from oneclaw.cli.tool_files import tell_problems

    rows = [await as_row(app, tool, agent) for tool in app.registry]
    if as_json:
        print_json(rows)
        tell_problems(app)
        return 0
    print_table(
        ("", "TOOL", "NEEDS", "DESCRIPTION"),
        [
            ("on" if row["on"] else "off", row["name"], _needs_text(row), row["description"].split("\n")[0])
            for row in rows
        ],
        (STATE, "bold", "yellow"),
    )
    if is_terminal(sys.stdout) and not all(row["on"] for row in rows):
        print_line("\n`oneclaw why TOOL` says why a tool is off.", "dim")
    for health in app.sources.health:
        if health.state != "ready":
            print_line(f"{health.source}: {health.state} {health.reason}".rstrip(), "yellow", sys.stderr)
    tell_problems(app)
    return 0


def show_sources(app: "App", as_json: bool) -> int:
    from dataclasses import asdict

    from oneclaw.cli.terminal import print_json, print_table, printable

    if as_json:
        print_json([asdict(health) for health in app.sources.health])
        return 0
    rows = [
        (health.state, printable(health.source), str(health.tools), printable(health.reason))
        for health in app.sources.health
    ]
    print_table(("STATE", "SOURCE", "TOOLS", "WRONG"), rows, ("", "bold"))
    return 0


async def as_row(app: "App", tool: "Tool", agent: str) -> dict[str, Any]:
    from oneclaw.core.permit.need import State
    from oneclaw.core.session import Session

    definition = tool.definition
    decision = app.policy.decide(definition, agent=agent, origin=tool.origin)
    asker = Session(agent=agent)
    states = {
        need: (await app.permissions.standing(definition, need, asker)).state
        for need in needs_shown(app, definition)
    }
    return {
        "name": definition.name,
        "on": decision.allowed,
        "why_off": decision.reason,
        "needs": list(states),
        "asks": [need for need, state in states.items() if state is State.ASK],
        "denied": [need for need, state in states.items() if state not in (State.ASK, State.GRANTED)],
        "group": definition.group,
        "feature": definition.feature or "",
        "switchable": definition.switchable,
        "effect": definition.effect,
        "origin": tool.origin,
        "place": str(getattr(tool.execute, "place", "")),
        "description": definition.description,
    }


def _needs_text(row: dict[str, Any]) -> str:
    """The needs of a tool, each marked when a person is asked or it is denied."""
    marks = dict.fromkeys(row["asks"], " (asks)") | dict.fromkeys(row["denied"], " (denied)")
    return ", ".join(need + marks.get(need, "") for need in row["needs"])


def needs_shown(app: "App", definition: "ToolDefinition") -> list[str]:
    """What a tool declares, and what the mode has it asked for besides."""
    from oneclaw.core.permit.need import State, needs_of

    return [
        need
        for need in needs_of(definition)
        if need in definition.needs or app.permissions.state_of(need) is not State.GRANTED
    ]


async def show_tool(app: "App", tool: "Tool", agent: str, as_json: bool) -> int:
    import json

    from oneclaw.cli.terminal import is_terminal, print_json, print_line
    from oneclaw.core.make.lint import lint
    from oneclaw.core.text.display import visible

    definition = tool.definition
    row = await as_row(app, tool, agent) | {
        "label": definition.label,
        "version": definition.version,
        "seconds": definition.seconds,
        "chars": definition.chars,
        "isolation": definition.isolation,
        "parameters": definition.parameters,
    }
    if as_json:
        print_json(row)
        return 0
    entry = app.registry.find(tool.name)
    assert entry is not None
    print_line(visible(entry.arguments.signature), "bold")
    for line in definition.description.splitlines():
        print_line(f"  {visible(line)}")
    print()
    for label, text in (
        ("state", "on" if row["on"] else f"off: {row['why_off']}"),
        ("needs", _needs_text(row) or "nothing"),
        ("effect", definition.effect),
        ("limit", f"{definition.seconds:g} seconds, {definition.chars:,} characters"),
        ("runs", runs_where(tool)),
        ("from", (tool.origin or "code") + (f", {row['place']}" if row["place"] else "")),
    ):
        print_line(f"  {label:<8}{visible(text)}", indent=8)
    if is_terminal(sys.stdout):
        show_parameters(definition.parameters)
    else:
        print("\nParameters (JSON Schema):")
        print(json.dumps(definition.parameters, indent=2, ensure_ascii=True))
    findings = lint(definition.parameters, definition.name)
    if findings:
        print_line("\nWhat some providers refuse:", "bold")
        for finding in findings:
            providers = ", ".join(finding.providers)
            print_line(visible(f"  {finding.path} {finding.keyword}: {providers}; {finding.instead}"))
    return 0


def runs_where(tool: "Tool") -> str:
    from oneclaw.js.work import Work

    if isinstance(tool.execute, Work):
        return "in a JavaScript worker"
    places = {"thread": "in a thread", "process": "in a process"}
    return places.get(tool.definition.isolation or "", "in the event loop")


def show_parameters(parameters: "Mapping[str, Any]") -> None:
    """A table of the parameters; a star stands where one is required."""
    import json

    from oneclaw.cli.terminal import print_line, print_table
    from oneclaw.core.check.signature import describe_type
    from oneclaw.core.subschema import is_object

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
