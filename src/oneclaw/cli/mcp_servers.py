"""Actions of `oneclaw mcp` for MCP servers: list, add, import, show, approve, test, switch and remove."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from oneclaw.cli.lines import count_text
from oneclaw.cli.opened import open_app, read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, console, is_terminal, print_json, print_line, print_table
from oneclaw.core.text.display import visible
from oneclaw.operations import mcp
from oneclaw.operations.mcp import McpServerRecord, McpToolRecord

NOT_APPROVED = 5
LABEL_CHARS = 10
MARKS = {"ready": "✓", "known": "✓", "failed": "✗", "off": "off", "not approved": "!"}
LOG_LINES = 20


async def run(arguments: argparse.Namespace) -> int:
    action = arguments.action
    if action != "list" and not arguments.name:
        raise WrongUse(f"say which: oneclaw mcp {action} {'FILE' if action == 'import' else 'NAME'}")
    match action:
        case "list":
            return await show_list(arguments)
        case "add":
            return await add(arguments)
        case "import":
            return await import_servers(arguments)
        case "approve":
            return await approve(arguments, arguments.name, arguments.words)
        case "enable" | "disable" | "remove":
            return await change(arguments)
        case "login" | "logout":
            return await sign(arguments)
        case "resources" | "read" | "prompts" | "prompt":
            return await ask(arguments)
        case _:
            return await show(arguments)


async def show_list(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        records = await mcp.list_servers(app)
    if arguments.json:
        return print_json([asdict(one) for one in records])
    if not records:
        print_line("No MCP servers. Add one: oneclaw mcp add NAME -- COMMAND", stream=sys.stderr)
        return 0
    print_table(
        ("", "SERVER", "STATE", "TOOLS", "COMMAND OR ADDRESS"),
        [
            (MARKS[one.state], one.name, one.state, count_tools(one.tools), visible(one.shown))
            for one in records
        ],
        (STATE, "bold"),
    )
    for one in records:
        tell_problems(one)
    return 0


def count_tools(tools: Sequence[McpToolRecord]) -> str:
    """`3 on, 1 held, 2 quarantined`."""
    states = ("on", "held", "quarantined")
    counts = ((sum(tool.state == state for tool in tools), state) for state in states)
    return ", ".join(f"{count} {state}" for count, state in counts if count)


def tell_problems(record: McpServerRecord) -> None:
    if record.problem:
        print_line(f"✗ {record.name}: {visible(record.problem)}", "yellow", sys.stderr, 2)
    for tool in record.tools:
        if tool.state != "on":
            text = f"! {record.name}: {visible(tool.raw)} is {tool.state}: {visible(tool.reason)}"
            print_line(text, "yellow", sys.stderr, 2)
    if any(tool.state == "held" for tool in record.tools):
        print_line(f"  See and approve: oneclaw mcp approve {record.name}", "dim", sys.stderr, 2)
    for warning in record.warnings:
        print_line(f"! {record.name}: {visible(warning)}", "yellow", sys.stderr, 2)


async def show(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        record = await mcp.show_server(app, arguments.name)
    if arguments.json:
        print_json(asdict(record))
        return 0 if record.state == "ready" else 1
    show_server(record)
    show_tools(record)
    if arguments.action == "show" and record.log.strip():
        print_line("log", "bold")
        for line in record.log.splitlines()[-LOG_LINES:]:
            print_line(f"  {visible(line)}", "dim", indent=2)
    tell_problems(record)
    return 0 if record.state == "ready" else NOT_APPROVED if record.state == "not approved" else 1


def show_server(record: McpServerRecord) -> None:
    """All that a person must see before a server is started."""
    print_line(visible(record.name), "bold")
    runs = "in the sandbox of commands" if record.sandbox else "as you, with all your rights"
    for label, text in (
        ("address" if not record.folder else "command", record.shown),
        ("folder", record.folder),
        ("runs", runs if record.folder else ""),
        ("secrets", ", ".join(record.secrets)),
        ("is", f"{record.about}, protocol {record.protocol}" if record.protocol else ""),
    ):
        if text:
            print_line(f"  {label:<{LABEL_CHARS}}{visible(text)}", indent=LABEL_CHARS + 2)


def show_tools(record: McpServerRecord) -> None:
    if not record.tools:
        return
    print()
    print_table(
        ("", "TOOL", "DESCRIPTION"),
        [
            (
                "on" if tool.state == "on" else "off",
                tool.name or visible(tool.raw),
                visible((tool.description or tool.title).strip().split("\n")[0]),
            )
            for tool in record.tools
        ],
        (STATE, "bold"),
    )
    print()


def show_changes(tools: Sequence[McpToolRecord]) -> None:
    """Differences from what was approved, word by word: `[-old-]{+new+}` in a pipe, else in colour."""
    for tool in tools:
        for each in tool.differences:
            print_line(f"{tool.name}: {each.field}", "bold")
            if is_terminal(sys.stdout):
                from rich.text import Text

                styles = {"same": "", "removed": "red strike", "added": "green bold"}
                text = Text.assemble(*((run.text, styles[run.change]) for run in each.words))
                console().print(text, soft_wrap=True)
            else:
                marks = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
                print(
                    "".join(f"{marks[run.change][0]}{run.text}{marks[run.change][1]}" for run in each.words)
                )


async def add(arguments: argparse.Namespace) -> int:
    if bool(arguments.url) == bool(arguments.words):
        raise WrongUse("give a command or an address: oneclaw mcp add NAME -- COMMAND, or --url URL")
    values: dict[str, Any] = {"url": arguments.url} if arguments.url else {"command": arguments.words[0]}
    if arguments.words[1:]:
        values["args"] = arguments.words[1:]
    lists = {"env": arguments.env, "headers": arguments.header}
    values |= {field: given for field, given in lists.items() if given}
    if arguments.folder:
        values["folder"] = str(Path(arguments.folder).expanduser().absolute())
    values |= {name: True for name in ("sandbox", "network", "required") if getattr(arguments, name)}
    file = Path(arguments.config) if arguments.config else None
    path = mcp.add_server(read_config(arguments), file, arguments.name, values)
    print_line(f"The MCP server {arguments.name} is in {visible(str(path))}.", "dim", sys.stderr)
    return await approve(arguments, arguments.name)


async def approve(arguments: argparse.Namespace, name: str, tools: Sequence[str] = ()) -> int:
    """Show what would be started, and what it offers; a person says yes to each."""
    async with open_app(arguments).looking() as app:
        record = mcp.describe_server(app, name)
        show_server(record)
        begin = "Start this program?" if record.folder else "Connect to it?"
        if record.state == "not approved" and not agrees(arguments, begin):
            return declined(name)
        async with mcp.try_server(app, name) as trial:
            seen = trial.record
            show_tools(seen)
            tell_quarantined(seen)
            show_changes(seen.tools)
            held = [tool for tool in seen.tools if tool.state == "held"]
            if record.state != "not approved" and not held:
                print_line(f"Nothing of {name} waits for an approval.")
                return 0
            if not agrees(arguments, f"Approve {count_text(len(tools or held), 'tool')}?"):
                return declined(name)
            names = trial.approve(tools)
    await mcp.tell_programs(app.config)
    print_line(f"{name} is approved, with {count_text(len(names), 'tool')}.")
    return 0


def tell_quarantined(record: McpServerRecord) -> None:
    for tool in record.tools:
        if tool.state == "quarantined":
            print_line(f"! {visible(tool.raw)} is quarantined: {visible(tool.reason)}", "yellow", indent=2)


def agrees(arguments: argparse.Namespace, question: str) -> bool:
    if arguments.yes:
        return True
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        print_line(f"{question} Nobody is there to say; type the command with --yes.", stream=sys.stderr)
        return False
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def declined(name: str) -> int:
    print_line(f"{name} is not approved, and is not used. To see it again: oneclaw mcp approve {name}")
    return NOT_APPROVED


async def import_servers(arguments: argparse.Namespace) -> int:
    file = Path(arguments.config) if arguments.config else None
    async with open_app(arguments).looking() as app:
        added, left_out = mcp.import_servers(app, file, Path(arguments.name))
    for name, why in left_out.items():
        print_line(f"! {visible(name)} is left out: {visible(why)}", "yellow", sys.stderr, 2)
    for one in added:
        kept = f"; kept as secrets: {', '.join(one.secrets)}" if one.secrets else ""
        print_line(f"{one.name} is added: {visible(one.shown)}{kept}")
    if added:
        print_line("Nothing is started yet. See and approve each: oneclaw mcp approve NAME", "dim")
    return 0 if added or not left_out else 1


async def ask(arguments: argparse.Namespace) -> int:
    action, words, given = arguments.action, arguments.words, dict[str, Any]()
    if action in ("read", "prompt") and not words:
        raise WrongUse(
            f"say which: oneclaw mcp {action} {arguments.name} {'URI' if action == 'read' else 'NAME'}"
        )
    if action == "read":
        given = {"uri": words[0]}
    elif action == "prompt":
        pairs = [word.partition("=") for word in words[1:]]
        given = {"name": words[0], "arguments": {key: value for key, _, value in pairs}}
    async with open_app(arguments).looking() as app:
        said = await mcp.ask_server(app, arguments.name, action, given)
    if arguments.json:
        return print_json(said)
    for line in said.splitlines():
        print_line(visible(line))
    return 0


async def sign(arguments: argparse.Namespace) -> int:
    name = arguments.name
    async with open_app(arguments).looking() as app:
        if arguments.action == "logout":
            was_in = mcp.sign_out(app, name)
            print_line(f"You are signed out of {name}." if was_in else f"You were not signed in at {name}.")
            return 0
        await mcp.sign_in(app, name, lambda url: print_line(f"Open this page to sign in:\n{visible(url)}"))
    print_line(f"You are signed in at {name}.")
    return 0


async def change(arguments: argparse.Namespace) -> int:
    config, name = read_config(arguments), arguments.name
    file = Path(arguments.config) if arguments.config else None
    if arguments.action == "remove":
        mcp.remove_server(config, file, name)
        print_line(f"{name} is removed.")
    else:
        mcp.switch_server(config, file, name, arguments.action == "enable")
        print_line(f"{name} is {'on' if arguments.action == 'enable' else 'off'}.")
    return 0
