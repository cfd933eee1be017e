"""Options of `oneclaw resume`."""

from oneclaw.cli.completion import model_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import interrupted_run_ids

EPILOG = """\
Examples:
  oneclaw runs --state interrupted     which there are
  oneclaw resume 7c1f                  go on with the budget that was left

The exit codes are those of `oneclaw run`.
"""


def configure(parser: Parser) -> None:
    parser.add(
        "name", metavar="RUN", help="a run's id, or the beginning of one", complete=interrupted_run_ids
    )
    parser.add("--model", metavar="NAME", default="", help="let this model answer", complete=model_names)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print each event as JSON, one a line")
    form.add_argument("--quiet", action="store_true", help="print the answer and nothing else")
