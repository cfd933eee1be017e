"""`oneclaw undo`: restores the files that a call or a run changed."""

import argparse
import sys
from typing import TYPE_CHECKING

from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import undo_words
from oneclaw.cli.terminal import print_json, print_line, printable
from oneclaw.core.errors import UndoRefused
from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from oneclaw.operations.undo import UndoResult

EPILOG = """\
Examples:
  oneclaw undo            undo the last run or call that changed files in this workspace
  oneclaw undo 42         undo the call with this number; `oneclaw log` lists them
  oneclaw undo 7c1f       undo a whole run; `oneclaw runs` lists them
  oneclaw undo --force    also where a file was changed since; what it holds now is kept

Files that tools wrote, edited, moved, copied or deleted are restored. What commands changed is not kept.
Exit codes: 0 undone, 1 refused or not found, 2 wrong use or settings.
"""
WORDS = {
    "restored": "restored",
    "removed": "removed",
    "moved": "moved back",
    "made": "made again",
    "left": "left, not empty",
}


def configure(parser: Parser) -> None:
    parser.add(
        "name",
        nargs="?",
        default="",
        metavar="CALL|RUN",
        help="a call's number, a run's id or its beginning, or the id of an undo; default: the last",
        complete=undo_words,
    )
    parser.add("--force", action="store_true", help="also where a file was changed since")
    parser.add("--json", action="store_true", help="print JSON")


async def run(arguments: argparse.Namespace) -> int:
    from oneclaw.operations.undo import undo_here

    try:
        done = await undo_here(read_config(arguments), arguments.name, force=arguments.force)
    except UndoRefused as refused:
        if arguments.json:
            print_json({"refused": str(refused), "conflicts": refused.conflicts})
        else:
            print_line(f"oneclaw: {printable(str(refused))}", "red", sys.stderr)
        return 1
    if arguments.json:
        print_json(done.to_json())
    else:
        show_undone(done, "oneclaw undo")
    return 0


def show_undone(done: "UndoResult", command: str) -> None:
    """Prints what an undo did to each file, and the command that undoes it."""
    from oneclaw.operations.undo import short_change

    if not done.files:
        print_line(f"Nothing to do: the files are as they were before {printable(done.what)}.")
        return
    print_line(f"Undid {printable(done.what)}:")
    for each in done.files:
        origin = f" (was {visible(each.moved_from)})" if each.moved_from else ""
        print_line(f"  {WORDS[each.did]:<16}{visible(each.path)}{origin}", indent=16)
    print_line(f"Take this back: {command} {short_change(done.id)}", "dim")
