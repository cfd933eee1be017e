"""Options of `oneclaw memory`."""

from oneclaw.cli.parser import Parser, count
from oneclaw.cli.stored_names import agent_names, memory_words

EPILOG = """\
Examples:
  oneclaw memory                         what is remembered, last changed first
  oneclaw memory show user_name          one memory, with the values it had before
  oneclaw memory search ferry times      what fits best
  oneclaw memory forget user_name
  oneclaw memory digest                  what a new conversation is told of it
  oneclaw memory export memories.json    all of it as JSON; without a file, or with -, it is printed
  oneclaw memory import memories.json    of two with the same key, the later one is kept
  oneclaw memory off                     remember nothing, and tell nothing (on: again)
"""
ACTIONS = ("list", "show", "search", "forget", "digest", "export", "import", "on", "off")


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add(
        "--agent", metavar="NAME", default="", help="what this agent sees, and its own", complete=agent_names
    )
    parser.add("--limit", type=count, default=30, metavar="N", help="at most N (default 30)")
    parser.add("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    parser.add(
        "words",
        nargs="*",
        metavar="WORD",
        help="a key, words to search for, or a file",
        complete=memory_words,
    )
