"""`oneclaw workspace`: shows the workspace of the current folder; confirms a folder or forgets it."""

import argparse
import sys
from pathlib import Path

from oneclaw.cli.open_here import WORDS, shown
from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, print_json, print_line, print_table, printable
from oneclaw.operations.workspace import (
    choose_workspace,
    confirm_folder,
    confirmed_folders,
)

ANSWERS = {"confirm": True, "deny": False, "forget": None}


async def run(arguments: argparse.Namespace) -> int:
    if arguments.action in ANSWERS:
        return await answer(arguments)
    if arguments.folder:
        raise WrongUse(
            f"a folder goes with confirm, deny or forget: oneclaw workspace confirm {arguments.folder}"
        )
    return await (show if arguments.action == "show" else show_all)(arguments)


async def show(arguments: argparse.Namespace) -> int:
    choice = await choose_workspace(read_config(arguments))
    if arguments.json:
        return print_json({"workspace": str(choice.folder), "reason": choice.reason})
    reason = WORDS[choice.reason]
    print_line(printable(f"{choice.folder}" + (f" ({reason})" if reason else "")))
    if choice.current is not None:
        print_line("To work in the current folder: oneclaw workspace confirm", "dim", sys.stderr)
    elif choice.too_wide is not None:
        print_line("The current folder is taken only if you name it: --workspace .", "dim", sys.stderr)
    return 0


async def show_all(arguments: argparse.Namespace) -> int:
    said = await confirmed_folders(read_config(arguments))
    if arguments.json:
        print_json([{"folder": str(folder), "confirmed": is_yes} for folder, is_yes in said.items()])
    elif said:
        rows = [("✓" if is_yes else "✗", str(folder)) for folder, is_yes in said.items()]
        print_table(("", "FOLDER"), rows, (STATE, "bold"))
    else:
        print_line("No folder was confirmed yet. `oneclaw chat` asks in a folder that is no repository.")
    return 0


async def answer(arguments: argparse.Namespace) -> int:
    """Keep or forget that agents may work in a folder."""
    config, is_confirmed = read_config(arguments), ANSWERS[arguments.action]
    folder = await confirm_folder(config, Path(arguments.folder or "."), is_confirmed)
    said = {
        True: "is confirmed: `oneclaw chat` and `run` work there when they are started in it.",
        False: "is declined: agents do not work there unless you name it with --workspace.",
        None: "is forgotten: `oneclaw chat` asks about it again.",
    }
    if arguments.json:
        print_json({"folder": str(folder), "confirmed": is_confirmed})
    else:
        print_line(printable(f"{shown(folder)} {said[is_confirmed]}"))
    return 0
