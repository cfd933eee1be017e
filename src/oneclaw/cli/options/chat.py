"""Options of `oneclaw chat`."""

from oneclaw.cli.completion import model_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names, session_ids

EPILOG = """\
Examples:
  oneclaw chat --model anthropic/claude-sonnet-4-5
  oneclaw chat --session last                        go on with the last conversation
  printf 'hi\\nand again\\n' | oneclaw chat --model scripted/replies.json

Ctrl-C stops the answer, not the program; twice at the prompt, Ctrl-D or /quit leaves. /help lists the
commands. Through a pipe each line is a message, answers go to stdout, and nobody is asked for permission.
Exit codes: 0 left, 1 through a pipe when an answer failed, 2 wrong use or settings, 130 stopped.
"""


def configure(parser: Parser) -> None:
    parser.add(
        "--agent", metavar="NAME", help="talk with this agent (default: default)", complete=agent_names
    )
    parser.add("--model", metavar="NAME", default="", help="let this model answer", complete=model_names)
    parser.add("--session", metavar="ID", help="go on with this session, or `last`", complete=session_ids)
    parser.add("--thoughts", action="store_true", help="show what the model thinks")
