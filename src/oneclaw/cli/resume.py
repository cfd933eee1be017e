"""`oneclaw resume`: continues an interrupted run."""

import argparse
from functools import partial

from oneclaw.agent.talk import follow
from oneclaw.cli.opened import open_app
from oneclaw.cli.run import show_events


async def run(arguments: argparse.Namespace) -> int:
    async with open_app(arguments) as app:
        events = follow(partial(app.runs.resume, arguments.name, model=arguments.model))
        return await show_events(app, arguments, events)
