"""Options of `oneclaw features`."""

from oneclaw.cli.completion import feature_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names

EPILOG = """\
Examples:
  oneclaw features                 what there is, what is on, and the tools of each
  oneclaw features on shell        switch a feature on, with its tools (off: switch it off)
  oneclaw features reset shell     remove your switch: the settings decide again

Running programs notice it within half a second. Exit codes: 0 done, 2 wrong use, 3 no such feature.
"""
ACTIONS = ("list", "on", "off", "reset")


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("--agent", default="default", metavar="NAME", help="for this agent", complete=agent_names)
    parser.add("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    parser.add("name", nargs="?", metavar="FEATURE", help="the feature", complete=feature_names)
