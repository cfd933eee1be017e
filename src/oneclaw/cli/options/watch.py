"""Options of `oneclaw watch`."""

from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import run_ids

EPILOG = """\
Examples:
  oneclaw runs --state running         the runs that are going on
  oneclaw watch 7c1f                   watch one, wherever it was started; Ctrl-C leaves it alone
  oneclaw watch 7c1f --json            its events as JSON, one a line
"""


def configure(parser: Parser) -> None:
    parser.add("name", metavar="RUN", help="a run's id, or the beginning of one", complete=run_ids)
    parser.add("--after", type=int, default=0, metavar="N", help="the events after number N")
    parser.add("--json", action="store_true", help="print each event as JSON, one a line")
