"""`oneclaw why`: whether an agent may call a tool, and the chain of rules that says so."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.permit.policy import Why
    from oneclaw.core.permit.standing import Standing
    from oneclaw.core.tool import ToolDefinition


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import tool_names

    name = parser.add_argument("name", metavar="TOOL", help="the tool")
    name.completer = tool_names  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("--agent", default="default", metavar="NAME", help="for this agent")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.cli.tools import named_tool

    with open_app(arguments) as app:
        tool = named_tool(app, arguments.name)
        if tool is None:
            return 3
        why = app.policy.why(tool.definition, agent=arguments.agent, origin=tool.origin)
        standings = standings_of(app, tool.definition, arguments.agent)
        if arguments.json:
            needs = {one.need: one.state for one in standings}
            print_json(asdict(why) | {"needs": needs, "mode": app.permissions.mode})
            return 0
        show(why, standings)
        return 0


def standings_of(app: "App", definition: "ToolDefinition", agent: str) -> list["Standing"]:
    """How each need stands for the agent: what the tool declares, and what the mode or an answer adds."""
    from oneclaw.core.permit.need import State, needs_of
    from oneclaw.core.session import Session

    asker = Session(agent=agent)
    standings = [app.permissions.standing(definition, need, asker) for need in needs_of(definition)]
    return [
        one
        for one in standings
        if one.need in definition.needs or one.grant is not None or one.state is not State.GRANTED
    ]


def show(why: "Why", standings: list["Standing"]) -> None:
    from oneclaw.cli.terminal import print_line
    from oneclaw.core.text.display import visible

    print_line(visible(why.text), "green" if why.allowed else "red")
    for step in why.steps:
        mark = {"passes": "✓", "refuses": "✗", "replaced": "·"}[step.verdict]
        print_line(f"  {mark} {visible(step.text)}", "red" if step.verdict == "refuses" else "", indent=2)
    if not why.allowed and why.decided.setting == f"switches.{why.tool}":
        print_line(f"  → `oneclaw tools on {why.tool}` switches it on.")
    if not why.allowed and why.decided.setting == f"features.{why.decided.entry}":
        print_line(f"  → {remedy(why.decided.entry)}")
    for one in standings:
        print_line(f"  needs {visible(one.need)}: {said(one)}", "red" if one.is_denied else "", indent=2)


def remedy(feature: str) -> str:
    """How to switch a feature on."""
    from oneclaw.agent.features import FEATURES

    lead = next((one.lead for one in FEATURES if one.name == feature), "")
    if lead:
        return f"`oneclaw tools on {lead}` switches it on."
    return f"Set features.{feature} to true to switch it on."


def said(standing: "Standing") -> str:
    """How a need stands, and by whose word."""
    from oneclaw.core.permit.need import State

    if standing.is_denied:
        return f"denied. {standing.reason}"
    if standing.state is State.ASK:
        return "a person is asked"
    return f"granted by the answer {standing.grant.id}" if standing.grant else "granted"
