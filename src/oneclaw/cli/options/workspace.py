"""Options of `oneclaw workspace`."""

from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw workspace                    where `chat` and `run` work when they are started here
  oneclaw workspace list               the folders you were asked about
  oneclaw workspace confirm [FOLDER]   let agents work in this folder, and in those below it
  oneclaw workspace deny [FOLDER]      keep agents out of it, and do not ask again
  oneclaw workspace forget [FOLDER]    take your answer back

A git repository of yours needs no confirming. Your home, the root of the disk and folders of the system are
never taken unless you name them when you start a chat.
"""
ACTIONS = ("show", "list", "confirm", "deny", "forget")


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", choices=ACTIONS, default="show", metavar="ACTION")
    parser.add(
        "folder", nargs="?", metavar="FOLDER", help="confirm, deny, forget: default is the current one"
    )
    parser.add("--json", action="store_true", help="print JSON")
