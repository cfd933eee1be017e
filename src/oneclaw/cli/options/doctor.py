"""Options of `oneclaw doctor`."""

from oneclaw.cli.parser import Parser


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
