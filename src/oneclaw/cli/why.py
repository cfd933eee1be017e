"""`oneclaw why`: whether an agent may call a tool, be it with these arguments, and the rules that say so."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.permit.policy import Why
    from oneclaw.core.permit.standing import Standing
    from oneclaw.core.tool import ToolDefinition


EPILOG = """\
Examples:
  oneclaw why write_file
  oneclaw why execute_shell_command command='git log -5 | head'    which rule allows it, or why none does
  oneclaw why fetch_url url=http://192.168.1.1/                    whether the host is public
"""


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import call_words, tool_names

    name = parser.add_argument("name", metavar="TOOL", help="the tool")
    name.completer = tool_names  # pyright: ignore[reportAttributeAccessIssue]
    words = parser.add_argument(
        "words", nargs="*", default=[], metavar="KEY=VALUE", help="arguments: what becomes of such a call"
    )
    words.completer = call_words  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("--agent", default="default", metavar="NAME", help="for this agent")
    parser.add_argument("--json", action="store_true", help="print JSON")


async def run(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from oneclaw.cli.call import read_arguments
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.cli.tool_lookup import named_tool
    from oneclaw.core.errors import ToolError

    async with open_app(arguments).looking() as app:
        tool = named_tool(app, arguments.name)
        if tool is None:
            return 3
        why = app.policy.why(tool.definition, agent=arguments.agent, origin=tool.origin)
        try:
            given = read_arguments(arguments.words, None)
            standings, notes = await foresee(app, tool.definition, arguments.agent, given)
        except (ValueError, ToolError) as error:
            print(f"oneclaw: {error}", file=sys.stderr)
            return 4 if isinstance(error, ToolError) else 2
        if arguments.json:
            needs = {one.need: one.state for one in standings}
            said = {"needs": needs, "mode": app.permissions.mode} | ({"notes": notes} if given else {})
            print_json(asdict(why) | said)
            return 0
        show(app, why, standings, notes)
        return 0


async def foresee(
    app: "App", definition: "ToolDefinition", agent: str, given: Mapping[str, Any] | str
) -> tuple[list["Standing"], list[str]]:
    """How the needs of such a call stand, and what is said of it. Raises `ToolError` for wrong arguments."""
    from oneclaw.core.check.arguments import ArgumentCheck
    from oneclaw.core.session import Session
    from oneclaw.guard.network.gate import NEED

    if not given:
        return await standings_of(app, definition, agent), []
    arguments = ArgumentCheck(definition).check(given).arguments
    asker = Session(agent=agent)
    standings, notes = await app.permissions.foresee(definition, arguments, asker)
    url = arguments.get("url")
    if "network" in definition.needs and isinstance(url, str):
        for reason in await private_hosts_of(app, url):
            standings.append(await app.permissions.standing(definition, NEED, asker, arguments, reason))
            notes.append(reason)
    return _worth_saying(definition, standings), notes


async def private_hosts_of(app: "App", url: str) -> list[str]:
    """Why the host of an address is not public, if its text tells; nothing is looked up or connected to."""
    from oneclaw.core.errors import ToolError
    from oneclaw.core.session import Network
    from oneclaw.guard.network.gate import Gate
    from oneclaw.guard.network.url import parse

    reasons: list[str] = []

    async def note(host: str, why: str) -> None:
        reasons.append(f"{host} is not public: it is {why}.")

    async def resolve(host: str, port: int) -> list[str]:
        return []

    async def ask() -> None:
        target = parse(url)
        listed = app.config.settings.network.private_hosts
        await Gate(Network(private_hosts=listed), note, resolve).admit(
            target.host, target.port, target.is_odd
        )

    with suppress(ToolError):  # a name that is looked up when it is called, or what the tool itself refuses
        await ask()
    return reasons


async def standings_of(app: "App", definition: "ToolDefinition", agent: str) -> list["Standing"]:
    """How each need stands for the agent: what the tool declares, and what the mode or an answer adds."""
    from oneclaw.core.permit.need import needs_of
    from oneclaw.core.session import Session

    asker = Session(agent=agent)
    standings = [await app.permissions.standing(definition, need, asker) for need in needs_of(definition)]
    return _worth_saying(definition, standings)


def _worth_saying(definition: "ToolDefinition", standings: list["Standing"]) -> list["Standing"]:
    from oneclaw.core.permit.need import State

    return [
        one
        for one in standings
        if one.need in definition.needs or one.grant is not None or one.state is not State.GRANTED
    ]


def show(app: "App", why: "Why", standings: list["Standing"], notes: Iterable[str] = ()) -> None:
    from oneclaw.cli.terminal import print_line
    from oneclaw.core.text.display import visible

    denied = ", ".join(one.need for one in standings if one.is_denied)
    text = why.text
    if why.allowed and denied:  # offered to the agent, and of no use to it
        text = f"{why.tool} is there for agent {why.agent}, but its calls are refused: {denied} denied."
    print_line(visible(text), "green" if why.allowed and not denied else "red")
    for step in why.steps:
        mark = {"passes": "✓", "refuses": "✗", "replaced": "·"}[step.verdict]
        print_line(f"  {mark} {visible(step.text)}", "red" if step.verdict == "refuses" else "", indent=2)
    if not why.allowed and why.decided.setting == f"switches.{why.tool}":
        print_line(f"  → `oneclaw tools on {why.tool}` switches it on.")
    if not why.allowed and why.decided.setting == f"features.{why.decided.entry}":
        print_line(f"  → {remedy(app, why.decided.entry)}")
    for one in standings:
        print_line(f"  needs {visible(one.need)}: {said(one)}", "red" if one.is_denied else "", indent=2)
    for note in notes:
        print_line(f"    {visible(note)}", indent=4)


def remedy(app: "App", feature: str) -> str:
    """How to switch a feature on; one that follows another, as long as nobody has said, comes with that."""
    from oneclaw.agent.features import FEATURES

    along = next((one.along for one in FEATURES if one.name == feature), "")
    if along and f"features.{feature}" not in app.policy.sources:
        feature = along
    command = "tools" if feature in app.registry else "features"
    return f"`oneclaw {command} on {feature}` switches it on."


def said(standing: "Standing") -> str:
    """How a need stands, and by whose word."""
    from oneclaw.core.permit.need import State

    if standing.is_denied:
        return f"denied. {standing.reason}"
    if standing.state is State.ASK:
        return "a person is asked"
    return f"granted by the answer {standing.grant.id}" if standing.grant else "granted"
