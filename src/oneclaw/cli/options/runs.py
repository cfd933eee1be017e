"""Options of `oneclaw runs`."""

from oneclaw.cli.parser import Parser, count
from oneclaw.cli.stored_names import run_ids, session_ids

EPILOG = """\
Examples:
  oneclaw runs                            the last runs, newest first
  oneclaw runs --state interrupted        those that a crash or a reboot cut short
  oneclaw runs show 7c1f                  one run: what it may spend, what it spent, how it ended
  oneclaw runs events 7c1f --after 12     its events as JSON, one a line
  oneclaw runs prune --days 30            forget runs that ended before that; conversations stay
  oneclaw resume 7c1f                     go on with a run that was cut short
"""
ACTIONS = ("list", "show", "events", "prune")
STATES = ("running", "done", "stopped", "failed", "interrupted")


def configure(parser: Parser) -> None:
    parser.add("action", nargs="?", default="list", choices=ACTIONS, metavar="ACTION")
    parser.add("name", nargs="?", metavar="RUN", help="a run's id, or the beginning of one", complete=run_ids)
    parser.add("--session", metavar="ID", help="list: those of this session, or `last`", complete=session_ids)
    parser.add("--state", choices=STATES, help="list: those that stand so")
    parser.add("--limit", type=count, default=20, metavar="N", help="list: at most N (20)")
    parser.add("--after", type=int, default=0, metavar="N", help="events: those after number N")
    parser.add("--days", type=float, metavar="N", help="prune: keep N days (store.keep_days)")
    parser.add("--json", action="store_true", help="print JSON")
