"""`oneclaw tools check` and `test`: whether tool files are right, and whether tools do what they promise."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oneclaw.app import App
    from oneclaw.core.load import Loaded
    from oneclaw.core.tool import Tool
    from oneclaw.js.runtime import Runtime

EXAMPLE = '{"arguments": {…}, "result": …}'


async def check_tools(arguments: argparse.Namespace) -> int:
    """Say what is wrong with tool files: 0 nothing, 1 something, 2 there are no such files."""
    from oneclaw.cli.terminal import print_json
    from oneclaw.js.check import check_functions
    from oneclaw.js.runtime import Runtime
    from oneclaw.js.work import Work

    runtime = Runtime(size=1)
    try:
        loaded = await _load(arguments, runtime)
        if loaded is None:
            return 2
        works = [tool.execute for tool in loaded.tools if isinstance(tool.execute, Work)]
        found = [*loaded.problems, *await check_functions(works, runtime)]
    finally:
        await runtime.close()
    problems = sorted(found, key=lambda problem: (problem.place, problem.index or 0))
    bad = {(problem.place, problem.index) for problem in problems if not problem.is_warning}
    if arguments.json:
        tools = [_row(tool) for tool in loaded.tools]
        print_json({"ok": not bad, "tools": tools, "problems": [asdict(each) for each in problems]})
    else:
        _show(loaded.tools, problems)
    return 1 if bad else 0


async def _load(arguments: argparse.Namespace, runtime: "Runtime") -> "Loaded | None":
    """The tools to check: those of the path, or all from outside; None, and said why, if there is no path."""
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import printable
    from oneclaw.core.load import Loaded
    from oneclaw.js.loader import MANIFEST, SOURCE, load_folder, load_pair

    if not arguments.name:
        async with open_app(arguments).looking() as app:
            await app.sources.wait()
            return Loaded(_brought(app), list(app.problems))
    path = Path(arguments.name).expanduser()
    if path.is_dir():
        return load_folder(path, runtime, "checked")
    wrong = ""
    if path.suffix not in (MANIFEST, SOURCE):
        wrong = "is no folder and no .json or .js file; name one of these."
    elif not path.exists():
        wrong = "is not there."
    if wrong:
        print(f"oneclaw: {printable(arguments.name)} {wrong}", file=sys.stderr)
        return None
    return load_pair(path.parent, path.stem, runtime, "checked")


def _row(tool: "Tool") -> dict[str, Any]:
    from oneclaw.cli.tool_files import place_of

    function = getattr(tool.execute, "function", "")
    return {"name": tool.name, "place": place_of(tool.execute), "function": function, "origin": tool.origin}


def _show(tools: "Sequence[Tool]", problems: "Sequence[Any]") -> None:
    from oneclaw.cli.terminal import print_line, printable
    from oneclaw.cli.tool_files import count_of, place_of

    bad = {(problem.place, problem.index) for problem in problems if not problem.is_warning}
    files = {problem.place.removesuffix(".js") for problem in problems if problem.place.endswith(".js")}
    for tool in tools:
        place, index = place_of(tool.execute), getattr(tool.execute, "index", None)
        if (place, index) not in bad and place.removesuffix(".json") not in files:
            print_line(f"✓ {tool.name}" + (f"  {printable(place)}" if place else ""), "green")
    for problem in problems:
        mark, style = ("!", "yellow") if problem.is_warning else ("✗", "red")
        print_line(f"{mark} {printable(str(problem))}", style, indent=2)
    wrong = [problem for problem in problems if not problem.is_warning]
    warnings = len(problems) - len(wrong)
    more = "" if not warnings else ", 1 warning" if warnings == 1 else f", {warnings} warnings"
    print_line(f"{'1 tool' if len(tools) == 1 else f'{len(tools)} tools'}, {count_of(wrong)}{more}.")


async def try_tools(arguments: argparse.Namespace) -> int:
    """Run the examples of a tool, a group or all tools: 0 all hold, 1 one does not, 3 no such tool."""
    from oneclaw.cli.front import TerminalFront
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json, print_line

    async with open_app(arguments) as app:
        await app.sources.wait()
        tools = _named(app, arguments.name)
        if tools is None:
            return 3
        with TerminalFront(app.engine, app.broker):
            rows = [row for tool in tools for row in await _try(app, tool, arguments)]
    if arguments.json:
        print_json(rows)
    elif not rows:
        whose = f"{arguments.name} has" if arguments.name else "No tool from outside has"
        none = "no examples" if arguments.name else "examples"
        print_line(f"{whose} {none}: add `examples` to its manifest, each {EXAMPLE}.")
    else:
        good = sum(row["ok"] for row in rows)
        print_line(f"{good} of {len(rows)} examples hold.", "green" if good == len(rows) else "red")
    return 0 if all(row["ok"] for row in rows) else 1


def _brought(app: "App") -> "list[Tool]":
    """The tools from outside that did not come with us."""
    return [tool for tool in app.sources.outside if tool.origin != "built-in"]


def _named(app: "App", name: str | None) -> "Sequence[Tool] | None":
    from oneclaw.cli.tool_lookup import named_tool

    if not name:
        return _brought(app)
    group = [tool for tool in app.registry.group(name) if tool in app.sources.outside]
    if group and name not in app.registry:
        return group
    tool = named_tool(app, name)
    return None if tool is None else [tool]


async def _try(app: "App", tool: "Tool", arguments: argparse.Namespace) -> list[dict[str, Any]]:
    from oneclaw.cli.terminal import print_line, printable, seconds_text
    from oneclaw.core.call import ToolCall
    from oneclaw.js.work import Work

    work = tool.execute
    if not isinstance(work, Work):
        return []
    session = app.new_session(arguments.agent)
    rows: list[dict[str, Any]] = []
    for number, example in enumerate(work.examples):
        result = await app.engine.call(ToolCall(tool.name, example.arguments), session)
        wrong = example.judge(result)
        row = {"tool": tool.name, "example": number, "ok": not wrong, "why": wrong, "result": result.text}
        rows.append(row)
        if arguments.json:
            continue
        mark, style = ("✗", "red") if wrong else ("✓", "green")
        ended = f": {printable(wrong)}" if wrong else ""
        print_line(f"{mark} {tool.name}, example {number}, {seconds_text(result.seconds)}{ended}", style)
        log = (result.details or {}).get("log") if wrong else None
        if log:
            print_line(f"  log: {printable(str(log))}", "dim", indent=2)
    return rows
