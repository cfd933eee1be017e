"""Options of `oneclaw tokens`."""

from oneclaw.cli.completion import token_names
from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw tokens                 the tokens there are
  oneclaw tokens make laptop     make one; its text is shown once
  oneclaw tokens revoke laptop   refuse it from now on
"""


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", default="list", choices=("list", "make", "revoke"), metavar="ACTION")
    parser.add("name", nargs="?", metavar="NAME", help="the name of a token", complete=token_names)
    parser.add("--json", action="store_true", help="print JSON")
