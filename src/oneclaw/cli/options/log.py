"""Options of `oneclaw log`."""

from oneclaw.cli.completion import statuses, tool_names
from oneclaw.cli.parser import Parser, count
from oneclaw.cli.stored_names import session_ids

EPILOG = """\
Examples:
  oneclaw log                         the latest calls
  oneclaw log --tool 'read_*' --since 2h
  oneclaw log --status timeout        open, success, error, or a kind of error
  oneclaw log 42                      one call, whole
  oneclaw log --usage                 the answers of models: tokens and cost of each
  oneclaw log --usage --session last  of one conversation, with its total
"""


def configure(parser: Parser) -> None:
    parser.add("key", nargs="?", type=count, metavar="NUMBER", help="show this call whole")
    parser.add("--tool", metavar="NAME", help="only calls of this tool (a glob is fine)", complete=tool_names)
    parser.add(
        "--status", metavar="STATUS", help="only open, success, error, or a kind of error", complete=statuses
    )
    parser.add("--session", metavar="ID", help="only calls of this session, or `last`", complete=session_ids)
    parser.add("--usage", action="store_true", help="show what each answer of a model took instead")
    parser.add("--since", metavar="TIME", help="only calls since: 30m, 2h, 3d, or 2026-01-31")
    parser.add("--limit", type=count, default=50, metavar="N", help="at most N calls (default 50)")
    parser.add("--json", action="store_true", help="print JSON")
