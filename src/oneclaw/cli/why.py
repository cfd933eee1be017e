"""`oneclaw why`: explains whether an agent may call a tool, and by which rules."""

import argparse
import sys
from dataclasses import asdict

from oneclaw.cli.argument_words import read_arguments
from oneclaw.cli.opened import open_app
from oneclaw.cli.terminal import print_json, print_line
from oneclaw.core.errors import ToolError
from oneclaw.core.permit.need import State
from oneclaw.core.permit.need_status import NeedStatus
from oneclaw.core.text.display import visible
from oneclaw.operations.why import Explanation, explain


async def run(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        try:
            given = read_arguments(arguments.words, None)
            told = await explain(app, arguments.name, arguments.agent, given, is_attended=sys.stdin.isatty())
        except (ValueError, ToolError) as error:
            print(f"oneclaw: {error}", file=sys.stderr)
            return 4 if isinstance(error, ToolError) else 2
    if arguments.json:
        needs = {one.need: one.state for one in told.standings}
        said = {"needs": needs, "mode": told.mode} | ({"notes": told.notes} if given or told.notes else {})
        return print_json(asdict(told.why) | said)
    show(told)
    return 0


def show(told: Explanation) -> None:
    is_possible = told.why.allowed and not told.denied
    print_line(visible(told.text), "red" if not is_possible else "yellow" if told.asks else "green")
    for step in told.why.steps:
        mark = {"passes": "✓", "refuses": "✗", "replaced": "·"}[step.verdict]
        print_line(f"  {mark} {visible(step.text)}", "red" if step.verdict == "refuses" else "", indent=2)
    if told.remedy:
        print_line(f"  → {told.remedy}")
    for one in told.standings:
        style = "red" if one.is_denied else "yellow" if one.state is State.ASK else ""
        print_line(f"  needs {visible(one.need)}: {said(one)}", style, indent=2)
    for note in told.notes:
        print_line(f"    {visible(note)}", indent=4)


def said(standing: NeedStatus) -> str:
    """How a need stands, and by whose word."""
    if standing.is_denied:
        return f"denied. {standing.reason}"
    if standing.state is State.ASK:
        return "a person is asked"
    return f"granted by the answer {standing.grant.id}" if standing.grant else "granted"
