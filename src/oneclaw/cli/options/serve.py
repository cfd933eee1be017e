"""Options of `oneclaw serve`."""

from oneclaw.cli.parser import Parser, count

EPILOG = """\
Examples:
  oneclaw serve                  serve the page, and open it in the browser
  oneclaw serve --no-open        print the link only
  oneclaw serve --port 8080      on another port
"""
PORT = 7468


def configure(parser: Parser) -> None:
    parser.add("--port", type=count, default=PORT, metavar="N", help=f"the port of the page ({PORT})")
    parser.add("--no-open", action="store_true", help="print the link, and open no browser")
