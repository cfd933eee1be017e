"""`oneclaw tools check` and `test`: validates tool files and runs their examples."""

import argparse
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path

from oneclaw.cli.lines import count_text
from oneclaw.cli.opened import open_app
from oneclaw.cli.prompts import Prompts
from oneclaw.cli.spinner import Spinner
from oneclaw.cli.terminal import print_json, print_line, printable, seconds_text
from oneclaw.operations.tool_check import TriedExample, check_files, try_examples
from oneclaw.operations.tool_files import ToolFiles

EXAMPLE = '{"arguments": {…}, "result": …}'


async def check_tools(arguments: argparse.Namespace) -> int:
    """Say what is wrong with tool files: 0 nothing, 1 something, 2 there are no such files."""
    path = Path(arguments.name).expanduser() if arguments.name else None
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        found = await check_files(app, path)
    if arguments.json:
        print_json({"ok": found.ok, **asdict(found)})
    else:
        _show(found)
    return 0 if found.ok else 1


def _show(found: ToolFiles) -> None:
    for tool in found.tools:
        if tool.is_right:
            print_line(f"✓ {tool.name}" + (f"  {printable(tool.place)}" if tool.place else ""), "green")
    for problem in found.problems:
        mark, style = ("!", "yellow") if problem.is_warning else ("✗", "red")
        print_line(f"{mark} {printable(str(problem))}", style, indent=2)
    warnings = sum(problem.is_warning for problem in found.problems)
    more = f", {count_text(warnings, 'warning')}" if warnings else ""
    wrong = count_text(len(found.problems) - warnings, "problem")
    print_line(f"{count_text(len(found.tools), 'tool')}, {wrong}{more}.")


async def try_tools(arguments: argparse.Namespace) -> int:
    """Run the examples of a tool, a group or all tools: 0 all hold, 1 one does not, 3 no such tool."""
    tried: list[TriedExample] = []
    async with open_app(arguments) as app:
        await app.sources.wait()
        with Spinner() as spinner, Prompts(app.broker, spinner):
            app.engine.subscribe(spinner.hear)
            async with aclosing(try_examples(app, arguments.name, arguments.agent)) as examples:
                async for each in examples:
                    tried.append(each)
                    if not arguments.json:
                        _show_tried(each)
    good = sum(each.ok for each in tried)
    if arguments.json:
        shown = ("tool", "example", "ok", "why", "result")
        print_json([{name: getattr(each, name) for name in shown} for each in tried])
    elif not tried:
        whose = f"{arguments.name} has" if arguments.name else "No tool from outside has"
        none = "no examples" if arguments.name else "examples"
        print_line(f"{whose} {none}: add `examples` to its manifest, each {EXAMPLE}.")
    else:
        print_line(f"{good} of {len(tried)} examples hold.", "green" if good == len(tried) else "red")
    return 0 if good == len(tried) else 1


def _show_tried(tried: TriedExample) -> None:
    mark, style = ("✓", "green") if tried.ok else ("✗", "red")
    ended = f": {printable(tried.why)}" if tried.why else ""
    print_line(f"{mark} {tried.tool}, example {tried.example}, {seconds_text(tried.seconds)}{ended}", style)
    if tried.log:
        print_line(f"  log: {printable(tried.log)}", "dim", indent=2)
