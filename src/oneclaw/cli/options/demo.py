"""Options of `oneclaw demo`."""

from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw demo            on a terminal: a chat with a tiny model that runs on this machine
  oneclaw demo --page     on a terminal: the page, with your own settings, as `make run` opens it
  oneclaw demo | cat      anywhere else: five messages, the calls they lead to, and the answers

It needs no key and no settings. Where the tiny model cannot run, a script plays it. All is kept in a
temporary folder and gone at the end.
"""


def configure(parser: Parser) -> None:
    parser.add("--page", action="store_true", help="on a terminal, open the page instead of a chat")
