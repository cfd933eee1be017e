"""Options of `oneclaw run`."""

from oneclaw.cli.completion import model_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names, session_ids

EPILOG = """\
Examples:
  oneclaw run "What is in notes.txt?" --model anthropic/claude-sonnet-4-5
  oneclaw run --session last "And in English?"      go on with the last conversation
  oneclaw run --resume last                         go on where it was stopped
  git diff | oneclaw run "Review this:" -           `-` stands for what comes through the pipe
  oneclaw run --quiet "Name three rivers" > rivers.txt
  oneclaw run --model scripted/replies.json "hi"    play a script; needs no key

The answer goes to stdout, what happens on the way to stderr.
Exit codes: 0 answered, also where a limit made it the last word (stderr says so), 1 failed or refused,
2 wrong use or settings, 6 a limit ended the run before an answer, 130 stopped.
"""


def configure(parser: Parser) -> None:
    parser.add(
        "words", nargs="*", default=[], metavar="TEXT", help="what to say; `-` or nothing reads the pipe"
    )
    parser.add("--agent", metavar="NAME", help="ask this agent (default: default)", complete=agent_names)
    parser.add("--model", metavar="NAME", default="", help="let this model answer", complete=model_names)
    parser.add("--session", metavar="ID", help="go on with this session, or `last`", complete=session_ids)
    parser.add(
        "--resume", metavar="ID", help="go on where this session stands, saying nothing", complete=session_ids
    )
    parser.add(
        "--image", action="append", default=[], metavar="FILE", help="show the model a picture (repeatable)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print each event as JSON, one a line")
    form.add_argument("--quiet", action="store_true", help="print the answer and nothing else")
