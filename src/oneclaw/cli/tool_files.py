"""`oneclaw tools new`, `reload`, `trust` and `untrust`: the files that tools from outside come from."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App


def new_tool(arguments: argparse.Namespace) -> int:
    """Write the files of a new tool or group, which works as it is."""
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json, print_line

    app = open_app(arguments)  # not entered: nothing is read from the store or written to it
    folder = Path(arguments.folder).expanduser().absolute() if arguments.folder else app.config.tools_folder
    name: str = arguments.name
    tools = [f"{name}_count", f"{name}_longest"] if arguments.group else [name]
    wrong = ""
    for tool in tools:
        taken = app.registry.find(tool)
        if taken is not None:
            whose = taken.tool.origin or "code"
            wrong = f"there is a tool {tool} already, from {whose}; choose another name."
    files: Sequence[Path] = ()
    try:
        files = files if wrong else _write(arguments, folder)
    except FileExistsError as error:
        wrong = str(error)
    except OSError as error:
        wrong = f"{folder} cannot be written ({error.strerror})."
    if wrong:
        print(f"oneclaw: {wrong}", file=sys.stderr)
        return 2
    if arguments.json:
        print_json({"files": [str(file) for file in files], "tools": tools})
        return 0
    for file in files:
        print(file)
    if folder not in (*app.config.tool_folders, app.config.project_folder / "tools"):
        print_line(f"This folder is not loaded. Check it with: oneclaw tools check {folder}", "dim")
    elif arguments.python:
        print_line(f"Look at it with: oneclaw tools show {tools[0]}", "dim")
    else:
        print_line(f"It works as it is: oneclaw tools test {name}", "dim")
        print_line("Change the files, then: oneclaw tools check", "dim")
    return 0


def _write(arguments: argparse.Namespace, folder: Path) -> Sequence[Path]:
    if arguments.python:
        from oneclaw.plugins.template import write_template as write_plugin

        return write_plugin(folder, arguments.name)
    from oneclaw.js.template import write_template

    return write_template(folder, arguments.name, is_group=arguments.group)


async def reload_tools(arguments: argparse.Namespace) -> int:
    """Have every program that uses the store load its tools anew, and show what there is now."""
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json, print_line, print_table

    async with open_app(arguments) as app:
        problems = await app.reload()
        tools = [tool for tool in app.sources.outside if tool.origin != "built-in"]
        rows = [(tool.name, tool.origin, place_of(tool.execute)) for tool in tools]
    if arguments.json:
        found = [dict(zip(("name", "origin", "place"), row, strict=True)) for row in rows]
        print_json({"tools": found, "problems": [asdict(problem) for problem in problems]})
        return 0
    if rows:
        print_table(("TOOL", "FROM", "FILE"), rows, ("bold",))
    else:
        print_line("There are no tools from outside. `oneclaw tools new NAME` writes one.")
    if problems:
        print_line(f"{count_of(problems)}: oneclaw tools check", "yellow", sys.stderr)
    return 0


async def trust_project(arguments: argparse.Namespace) -> int:
    """Have the tools of a project loaded, or no longer."""
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json, print_line, printable

    is_trusted = arguments.action == "trust"
    async with open_app(arguments) as app:
        here = real_folder(app.config.workspace_folder)
        folder = real_folder(Path(arguments.name)) if arguments.name else here
        shown = printable(str(folder))
        if is_trusted and not is_folder(folder):
            print(f"oneclaw: {shown} is no folder; name the folder of a project.", file=sys.stderr)
            return 2
        is_new = await app.trust(folder, is_trusted)
        tools = [tool.name for tool in app.sources.outside if tool.origin == "project" and folder == here]
    if arguments.json:
        print_json({"folder": str(folder), "trusted": is_trusted, "changed": is_new, "tools": tools})
    elif not is_trusted:
        said = "is no longer trusted: its tools are not loaded." if is_new else "was not trusted."
        print_line(f"{shown} {said}")
    else:
        again = "" if is_new else "already "
        print_line(f"{shown} is {again}trusted: the tools in its .oneclaw/tools are loaded.")
        if tools:
            print_line(f"Loaded: {', '.join(tools)}")
        elif folder != here:
            print_line(f"Work in it with: oneclaw --workspace {shown} …", "dim")
    return 0


def real_folder(folder: Path) -> Path:
    return Path(os.path.realpath(folder.expanduser()))


def is_folder(path: Path) -> bool:
    return path.is_dir()


def tell_problems(app: "App") -> None:
    """One line on stderr when something is wrong with the tools from outside."""
    from oneclaw.cli.terminal import print_line

    if app.problems:
        print_line(f"{count_of(app.problems)}: oneclaw tools check", "yellow", sys.stderr)


def count_of(problems: Sequence[object]) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"


def place_of(work: object) -> str:
    """The file a tool from outside comes from, where it is known."""
    return str(getattr(work, "place", ""))
