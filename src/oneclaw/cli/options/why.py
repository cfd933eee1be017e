"""Options of `oneclaw why`."""

from oneclaw.cli.completion import call_words, tool_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names

EPILOG = """\
Examples:
  oneclaw why write_file
  oneclaw why execute_shell_command command='git log -5 | head'    which rule allows it, or why none does
  oneclaw why fetch_url url=http://192.168.1.1/                    whether the host is public
"""


def configure(parser: Parser) -> None:
    parser.add("name", metavar="TOOL", help="the tool", complete=tool_names)
    parser.add(
        "words",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="arguments: explain a call with these",
        complete=call_words,
    )
    parser.add("--agent", default="default", metavar="NAME", help="for this agent", complete=agent_names)
    parser.add("--json", action="store_true", help="print JSON")
