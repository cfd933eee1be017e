"""Options of `oneclaw questions`."""

from oneclaw.cli.parser import Parser, count
from oneclaw.cli.stored_names import question_ids

EPILOG = """\
Examples:
  oneclaw questions                 those that wait for an answer, oldest first
  oneclaw questions show 3fa2       one of them, whole, with what can be answered
  oneclaw questions --all           those that are over, too, newest first
  oneclaw answer 3fa2 yes           answer one
"""


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", default="list", choices=("list", "show"), metavar="ACTION")
    parser.add(
        "name", nargs="?", metavar="ID", help="a question's id, or its beginning", complete=question_ids
    )
    parser.add("--all", action="store_true", help="list: those that are over, too")
    parser.add("--limit", type=count, default=50, metavar="N", help="list: at most N (50)")
    parser.add("--json", action="store_true", help="print JSON")
