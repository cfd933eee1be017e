"""Options of `oneclaw grants`."""

from oneclaw.cli.completion import grant_ids
from oneclaw.cli.parser import Parser


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("action", nargs="?", choices=("list", "revoke"), default="list", help="default: list")
    parser.add("ids", nargs="*", metavar="ID", help="the grants to revoke", complete=grant_ids)
