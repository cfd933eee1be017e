"""`oneclaw features`: the parts of OneClaw that are switched as a whole, and the tools of each."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oneclaw.app import App
    from oneclaw.core.tool import Tool

EPILOG = """\
Examples:
  oneclaw features                 what there is, what is on, and the tools of each
  oneclaw features on shell        switch a feature on, with its tools (off: switch it off)
  oneclaw features reset shell     take your word back: the settings decide again

Running programs take it up within half a second. Exit codes: 0 done, 2 wrong use, 3 no such feature.
"""
ACTIONS = ("list", "on", "off", "reset")
SWITCHED = {"on": True, "off": False, "reset": None}


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import feature_names

    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--agent", default="default", metavar="NAME", help="for this agent")
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    name = parser.add_argument("name", nargs="?", metavar="FEATURE", help="the feature")
    name.completer = feature_names  # pyright: ignore[reportAttributeAccessIssue]


async def run(arguments: argparse.Namespace) -> int:

    from oneclaw.cli.opened import open_app

    if arguments.action != "list":
        if not arguments.name:
            print(f"oneclaw: name a feature: oneclaw features {arguments.action} FEATURE", file=sys.stderr)
            return 2
        return await switch_feature(arguments)
    async with open_app(arguments).looking() as app:
        await app.sources.wait()
        return list_features(app, arguments)


def list_features(app: "App", arguments: argparse.Namespace) -> int:
    from oneclaw.cli.terminal import STATE, print_json, print_table

    rows = [as_row(app, name, arguments.agent) for name in features_of(app)]
    if arguments.json:
        print_json(rows)
        return 0
    print_table(
        ("", "FEATURE", "WHAT", "TOOLS"),
        [
            ("on" if row["on"] else "off", row["name"], row["meaning"], ", ".join(row["tools"]))
            for row in rows
        ],
        (STATE, "bold"),
        wrapped=2,
    )
    return 0


async def switch_feature(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import open_app
    from oneclaw.core.registry import nearest
    from oneclaw.core.text.display import visible

    async with open_app(arguments) as app:
        name, known = arguments.name, features_of(app)
        if name in known:
            return await switch(app, arguments)
    near = nearest(name, known)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}."
    print(f"oneclaw: there is no feature {visible(name[:100])!r}. {hint}", file=sys.stderr)
    return 3


async def switch(app: "App", arguments: argparse.Namespace) -> int:
    """Switch the feature that is named, and say what came of it."""
    from oneclaw.cli.terminal import print_json

    await app.switch_feature(arguments.name, SWITCHED[arguments.action])
    row = as_row(app, arguments.name, arguments.agent, with_followers=True)
    if arguments.json:
        print_json(row)
    else:
        print(told(row, arguments.action == "reset"))
    return 0


def features_of(app: "App") -> list[str]:
    """The features there are: ours, and those that tools name. One with the name of a tool is that tool's."""
    from oneclaw.agent.features import FEATURES

    named = (tool.definition.feature or "" for tool in app.registry)
    known = dict.fromkeys([*(feature.name for feature in FEATURES), *named])
    return [name for name in known if name and name not in app.registry]


def as_row(app: "App", name: str, agent: str, with_followers: bool = False) -> dict[str, Any]:
    """What there is to say of a feature; `with_followers` the tools of those that follow it are its own."""
    from oneclaw.agent.features import FEATURES

    followers = [
        one.name for one in FEATURES if one.along == name and f"features.{one.name}" not in app.policy.sources
    ]
    names = (name, *followers) if with_followers else (name,)
    tools = [tool for tool in app.registry if tool.definition.feature in names]
    return {
        "name": name,
        "on": app.policy.features.get(name, False),
        "by": app.policy.sources.get(f"features.{name}", ""),
        "meaning": next((feature.meaning for feature in FEATURES if feature.name == name), ""),
        "tools": [tool.name for tool in tools],
        "off": why_off(app, tools, agent),
    }


def why_off(app: "App", tools: "Iterable[Tool]", agent: str) -> dict[str, str]:
    """The tools that are off all the same, and why."""
    decided = {
        tool.name: app.policy.decide(tool.definition, agent=agent, origin=tool.origin) for tool in tools
    }
    return {name: decision.reason for name, decision in decided.items() if not decision.allowed}


def told(row: dict[str, Any], is_reset: bool) -> str:
    name, state = row["name"], "on" if row["on"] else "off"
    lines = [
        f"{name} is {state}, by {row['by'] or 'default'}." if is_reset else f"{name} is switched {state}."
    ]
    if not row["tools"]:
        lines.append("No tool belongs to it yet.")
    elif not row["on"]:
        lines.append(f"Off with it: {', '.join(row['tools'])}.")
    else:
        there = [tool for tool in row["tools"] if tool not in row["off"]]
        lines += [f"On with it: {', '.join(there)}."] if there else []
        lines += [f"{tool} is off all the same: {reason}" for tool, reason in row["off"].items()]
    return "\n".join(lines)
