"""`oneclaw mcp install CLIENT`: shows how the settings of an MCP client change, and writes them."""

import argparse
import json
import shutil
import sys
from pathlib import Path

from oneclaw.cli.diff import ASKED_LINES, diff_lines
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import print_line, printable
from oneclaw.operations.mcp_installing import CLIENTS, InstallPlan, entry_of, install, plan_install


async def run(arguments: argparse.Namespace) -> int:
    name: str = arguments.name or ""
    if name not in CLIENTS:
        raise WrongUse(f"say which client: oneclaw mcp install {'|'.join(CLIENTS)}")
    command, words = own_command(), _words(arguments)
    plan = plan_install(name, command, words, None if arguments.file is None else Path(arguments.file))
    if plan.before == plan.after:
        print_line(f"{plan.client.label} has OneClaw already: {plan.file}")
        return 0
    print_line(f"{plan.client.label}, {plan.file}:")
    for line, style in diff_lines(plan.diff.to_json(), ASKED_LINES):
        print_line(f"  {line}", style)
    if not arguments.yes and not _agrees():
        snippet = {plan.client.table: {"oneclaw": entry_of(plan.client, command, words)}}
        print_line("Nothing was written. To write it yourself, add:")
        print(json.dumps(snippet, indent=2))
        return 1
    return _write(plan)


def own_command() -> str:
    """The path of `oneclaw`: a program with windows does not have the PATH of a shell."""
    beside = Path(sys.executable).with_name("oneclaw")
    return str(beside) if beside.exists() else shutil.which("oneclaw") or "oneclaw"


def _words(arguments: argparse.Namespace) -> list[str]:
    words = [] if arguments.agent == "default" else ["--agent", arguments.agent]
    words += ["--agents"] if arguments.agents else []
    for name in ("config", "home", "workspace", "mode"):
        said = getattr(arguments, name, None)
        if said:
            is_path = name != "mode"
            words += [f"--{name}", str(Path(said).absolute()) if is_path else said]
    return words


def _agrees() -> bool:
    if not sys.stdin.isatty():
        print_line("Nobody is here to say yes; --yes says it.", "yellow", sys.stderr)
        return False
    try:
        return input("Write it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _write(plan: InstallPlan) -> int:
    install(plan)
    print_line(printable(f"Written. Start {plan.client.label} again, and it has the tools of OneClaw."))
    return 0
