"""`oneclaw resume`: continues an interrupted run."""

import argparse
from functools import partial

from oneclaw.agent.talk import follow
from oneclaw.cli.open_here import open_here, workspace_line
from oneclaw.cli.run import show_events


async def run(arguments: argparse.Namespace) -> int:
    opened, choice = await open_here(arguments)
    async with opened as app:
        events = follow(partial(app.runs.resume, arguments.name, model=arguments.model))
        return await show_events(app, arguments, events, workspace_line(choice))
