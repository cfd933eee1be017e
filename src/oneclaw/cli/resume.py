"""`oneclaw resume`: continues an interrupted run."""

import argparse
from functools import partial

from oneclaw.agent.talk import follow
from oneclaw.cli.completion import model_names, run_ids
from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import Parser
from oneclaw.cli.run import show_events

EPILOG = """\
Examples:
  oneclaw runs --state interrupted     which there are
  oneclaw resume 7c1f                  go on with the budget that was left

The exit codes are those of `oneclaw run`.
"""


def configure(parser: Parser) -> None:
    parser.add("name", metavar="RUN", help="a run's id, or the beginning of one", complete=run_ids)
    parser.add("--model", metavar="NAME", default="", help="let this model answer", complete=model_names)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print each event as JSON, one a line")
    form.add_argument("--quiet", action="store_true", help="print the answer and nothing else")


async def run(arguments: argparse.Namespace) -> int:
    async with open_app(arguments) as app:
        events = follow(partial(app.runs.resume, arguments.name, model=arguments.model))
        return await show_events(app, arguments, events)
