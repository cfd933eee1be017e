"""`oneclaw tools new`, `reload`, `trust` and `untrust`: manages files of external tools."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.lines import count_text
from oneclaw.cli.open_here import open_here, workspace_line
from oneclaw.cli.opened import open_app
from oneclaw.cli.terminal import print_json, print_line, print_table, printable
from oneclaw.core.load import LoadProblem
from oneclaw.operations import tool_files

if TYPE_CHECKING:
    from oneclaw.app import App


def new_tool(arguments: argparse.Namespace) -> int:
    """Write the files of a new tool or group, which works as it is."""
    app = open_app(arguments)  # not entered: nothing is read from the store or written to it
    folder = Path(arguments.folder).expanduser().absolute() if arguments.folder else None
    made = tool_files.new_tool(
        app, arguments.name, folder=folder, is_group=arguments.group, is_python=arguments.python
    )
    if arguments.json:
        return print_json({"files": [str(file) for file in made.files], "tools": made.tools})
    for file in made.files:
        print(file)
    if not made.is_loaded:
        print_line(f"This folder is not loaded. Check it with: oneclaw tools check {folder}", "dim")
    elif arguments.python:
        print_line(f"Look at it with: oneclaw tools show {made.tools[0]}", "dim")
    else:
        print_line(f"It works as it is: oneclaw tools test {arguments.name}", "dim")
        print_line("Change the files, then: oneclaw tools check", "dim")
    return 0


async def reload_tools(arguments: argparse.Namespace) -> int:
    """Have every program that uses the store load its tools anew, and show what there is now."""
    async with open_app(arguments) as app:
        found = await tool_files.reload_tools(app)
    if arguments.json:
        return print_json(asdict(found))
    if found.tools:
        rows = [(tool.name, tool.origin, tool.place) for tool in found.tools]
        print_table(("TOOL", "FROM", "FILE"), rows, ("bold",))
    else:
        print_line("There are no tools from outside. `oneclaw tools new NAME` writes one.")
    if found.problems:
        print_line(f"{count_text(len(found.problems), 'problem')}: oneclaw tools check", "yellow", sys.stderr)
    return 0


async def open_named(arguments: argparse.Namespace) -> "App":
    """The app for a folder that is named; without one, in the workspace of a chat here, which is told."""
    if arguments.name:
        return open_app(arguments)
    app, choice = await open_here(arguments)
    if choice.reason != "named":
        said = f"No folder is named, so this is about the {workspace_line(choice)}."
        print_line(
            f"{said} Another one: oneclaw {arguments.command} {arguments.action} FOLDER", "dim", sys.stderr
        )
    return app


async def trust_project(arguments: argparse.Namespace) -> int:
    """Have the tools of a project loaded, or no longer."""
    folder = Path(arguments.name) if arguments.name else None
    async with await open_named(arguments) as app:
        made = await tool_files.trust_project(app, folder, arguments.action == "trust")
    shown = printable(str(made.folder))
    if arguments.json:
        told = asdict(made)
        del told["is_workspace"]
        print_json(told)
    elif not made.trusted:
        said = "is no longer trusted: its tools are not loaded." if made.changed else "was not trusted."
        print_line(f"{shown} {said}")
    else:
        again = "" if made.changed else "already "
        print_line(f"{shown} is {again}trusted: the tools in its .oneclaw/tools are loaded.")
        if made.tools:
            print_line(f"Loaded: {', '.join(made.tools)}")
        elif not made.is_workspace:
            print_line(f"Work in it with: oneclaw --workspace {shown} …", "dim")
    return 0


def tell_problems(problems: Sequence[LoadProblem]) -> None:
    """Print one line on stderr if something is wrong with the tools from outside."""
    if problems:
        print_line(f"{count_text(len(problems), 'problem')}: oneclaw tools check", "yellow", sys.stderr)
