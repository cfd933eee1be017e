"""Options of `oneclaw config`."""

from oneclaw.cli.completion import setting_names, setting_values
from oneclaw.cli.parser import Parser

EPILOG = """\
  oneclaw config                          the files and folders, and what is set
  oneclaw config list                     every setting, its default and meaning
  oneclaw config get permissions.mode     what holds now
  oneclaw config explain runs.cost        type, bounds, default and meaning of one
  oneclaw config set permissions.mode ask       set one, checked first; comments in the file stay
  oneclaw config set tools.deny "http_*" open_url
  oneclaw config unset tools.deny         let its default hold
  oneclaw config edit                     open the file in your editor, and check it
"""
ACTIONS = ("show", "list", "get", "explain", "set", "unset", "edit")


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", default="show", choices=ACTIONS, metavar="ACTION")
    parser.add(
        "name",
        nargs="?",
        metavar="SETTING",
        help="get, explain, set, unset: a setting's full name",
        complete=setting_names,
    )
    parser.add(
        "value",
        nargs="*",
        default=[],
        metavar="VALUE",
        help="set: the new value; several for a list",
        complete=setting_values,
    )
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("--all", action="store_true", help="as list: every setting with its meaning")
