"""Options of `oneclaw sessions`."""

import argparse

from oneclaw.cli.completion import history_formats
from oneclaw.cli.parser import Parser, count
from oneclaw.cli.stored_names import agent_names, sessions_words

EPILOG = """\
Examples:
  oneclaw sessions                       the last conversations
  oneclaw sessions show last             what was said, with the calls and what it took
  oneclaw sessions remove 69e9688d       forget one; the beginning of an id, or of its second half, is enough
  oneclaw sessions export last > a.json
  oneclaw sessions import a.json         a new session, from our export or from another agent's history
  oneclaw run --session last "Go on."
"""
ACTIONS = ("list", "show", "remove", "export", "import")


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add(
        "--agent", metavar="NAME", help="only of this agent; for import, its agent", complete=agent_names
    )
    parser.add("--limit", type=count, default=30, metavar="N", help="at most N sessions (default 30)")
    parser.add(
        "--format",
        type=history_format,
        metavar="NAME",
        help="what the history to import is written in, as openai_chat; guessed",
        complete=history_formats,
    )
    parser.add("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    parser.add(
        "name", nargs="?", metavar="ID", help="an id, `last`, or the file to import", complete=sessions_words
    )


def history_format(text: str) -> str:
    """The format that a word of the command line means."""
    from oneclaw.agent.foreign.history import FORMATS, name_format

    found = name_format(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(FORMATS)}")
    return found
