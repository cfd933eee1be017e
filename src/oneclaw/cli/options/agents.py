"""Options of `oneclaw agents`."""

from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agents_words

EPILOG = """\
Examples:
  oneclaw agents                    a table: name, model, tools, where it is written
  oneclaw agents show writer        one agent: instructions, tools, limits
  oneclaw agents add writer.toml    keep an agent in the store (in place of one of its name)
  oneclaw agents remove writer      forget it again

An agent may also be a file: NAME.toml in the folder `agents` beside your settings.
"""
ACTIONS = ("list", "show", "add", "remove")


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    parser.add("name", nargs="?", metavar="NAME", help="the agent; for add, the file", complete=agents_words)
