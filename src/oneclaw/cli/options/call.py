"""Options of `oneclaw call`."""

from oneclaw.cli.completion import call_words, tool_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names, session_ids

EPILOG = """\
Examples:
  oneclaw call get_current_time timezone=Asia/Tokyo
  oneclaw call write_file path=notes.txt content='hello'
  oneclaw call add a:=1 b:=2                 := takes JSON: numbers, lists, objects
  oneclaw call read_file --json '{"path": "notes.txt"}'
  echo '{"path": "notes.txt"}' | oneclaw call read_file -

Exit codes: 0 done, 1 failed, 2 wrong use or settings, 3 no such tool, 4 wrong arguments,
5 not allowed, 6 out of time, 130 stopped.
"""


def configure(parser: Parser) -> None:
    parser.add("name", metavar="TOOL", help="the tool", complete=tool_names)
    parser.add(
        "words",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="arguments; `-` reads JSON from the pipe",
        complete=call_words,
    )
    parser.add(
        "--json",
        metavar="TEXT",
        dest="text",
        help="the arguments as JSON; --format json prints the result so",
    )
    parser.add("--agent", default="default", metavar="NAME", help="call as this agent", complete=agent_names)
    parser.add(
        "--session", metavar="ID", help="go on in this session, and as its agent", complete=session_ids
    )
    parser.add("--format", choices=("text", "json"), default="text", help="how the result is printed")
