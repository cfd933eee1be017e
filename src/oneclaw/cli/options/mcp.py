"""Options of `oneclaw mcp`."""

from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names

EPILOG = """\
Examples:
  oneclaw mcp serve                   serve the tools of the agent default on stdin and stdout
  oneclaw mcp serve --agent writer    those of another agent
"""
ACTIONS = ("serve",)


def configure(parser: Parser) -> None:
    parser.add("action", choices=ACTIONS, metavar="ACTION", help=", ".join(ACTIONS))
    parser.add(
        "--agent", default="default", metavar="NAME", help="whose tools are served", complete=agent_names
    )
    parser.add("--agents", action="store_true", help="offer the other agents as tools, ask_NAME")
