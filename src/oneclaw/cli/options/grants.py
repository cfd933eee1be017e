"""Options of `oneclaw grants`."""

from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import grant_ids


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("action", nargs="?", choices=("list", "revoke"), default="list", help="default: list")
    parser.add("ids", nargs="*", metavar="ID", help="the grants to revoke", complete=grant_ids)
