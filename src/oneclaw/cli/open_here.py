"""Opens the app of a chat or a run in its workspace: chosen, asked for once, and shown."""

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.opened import read_config
from oneclaw.cli.terminal import is_terminal, print_line, printable
from oneclaw.core.text.display import visible
from oneclaw.operations.workspace import (
    Reason,
    WorkspaceChoice,
    choose_workspace,
    confirm_folder,
    in_workspace,
)

if TYPE_CHECKING:
    from oneclaw.app import App

WORDS: dict[Reason, str] = {
    "named": "",
    "repository": "git repository",
    "confirmed": "confirmed folder",
    "private": "private folder",
}


async def open_here(arguments: argparse.Namespace) -> "tuple[App, WorkspaceChoice]":
    """The app in the workspace that the current folder leads to."""
    from oneclaw.app import App

    config = read_config(arguments)
    choice = await choose_workspace(config)
    return App(in_workspace(config, choice)), choice


def open_asking(runner: asyncio.Runner, arguments: argparse.Namespace) -> "tuple[App, WorkspaceChoice]":
    """As `open_here`; a person at a terminal is asked once whether a folder is a project.

    The question is asked outside of the loop, where Ctrl-C reaches it.
    """
    config = read_config(arguments)
    folder = runner.run(choose_workspace(config)).current
    if folder is not None and sys.stdin.isatty() and is_terminal(sys.stdout):
        is_confirmed = ask_for(folder)
        if is_confirmed is not None:
            runner.run(confirm_folder(config, folder, is_confirmed))
    return runner.run(open_here(arguments))


def ask_for(folder: Path) -> bool | None:
    """Ask whether tools may work in a folder; None without an answer."""
    print_line(printable(f"This folder is no git repository: {shown(folder)}"))
    print_line("Yes: the agent may read and change the files in it. No: it works in a private folder.", "dim")
    try:
        said = input("Work in this folder? [y/N] ").strip().lower()
    except EOFError:
        print()
        return None
    print()
    return said in ("y", "yes")


def workspace_line(choice: WorkspaceChoice) -> str:
    """One line for the header: the folder, and why it is this one."""
    reason = WORDS[choice.reason]
    return f"workspace {visible(shown(choice.folder))}" + (f" ({reason})" if reason else "")


def workspace_hint(choice: WorkspaceChoice) -> str:
    """How to work in the current folder, where that is not the workspace."""
    return "--workspace . works in the current folder" if choice.current or choice.too_wide else ""


def shown(folder: Path) -> str:
    """A folder as people write it: `~` is the home."""
    home, path = os.path.expanduser("~"), str(folder)
    if path == home or path.startswith(home.rstrip("/") + "/"):
        return "~" + path[len(home.rstrip("/")) :]
    return path
