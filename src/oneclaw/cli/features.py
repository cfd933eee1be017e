"""`oneclaw features`: lists and switches features."""

import argparse
from dataclasses import asdict

from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, print_json, print_table
from oneclaw.operations.features import FeatureState, list_features, switch_feature

SWITCHED = {"on": True, "off": False, "reset": None}


async def run(arguments: argparse.Namespace) -> int:
    action = arguments.action
    if action == "list":
        async with open_app(arguments).looking() as app:
            await app.sources.wait()
            return show_all(list_features(app, arguments.agent), arguments.json)
    if not arguments.name:
        raise WrongUse(f"name a feature: oneclaw features {action} FEATURE")
    async with open_app(arguments) as app:
        state = await switch_feature(app, arguments.name, SWITCHED[action], arguments.agent)
    return show_switched(state, action, arguments.json)


def show_all(states: list[FeatureState], is_json: bool) -> int:
    if is_json:
        return print_json([asdict(state) for state in states])
    return print_table(
        ("", "FEATURE", "WHAT", "TOOLS"),
        [("on" if one.on else "off", one.name, one.meaning, ", ".join(one.tools)) for one in states],
        (STATE, "bold"),
        wrapped=2,
    )


def show_switched(state: FeatureState, action: str, is_json: bool) -> int:
    """Describes the outcome of switching a feature."""
    if is_json:
        return print_json(asdict(state))
    print(told(state, action == "reset"))
    return 0


def told(feature: FeatureState, is_reset: bool) -> str:
    name, state = feature.name, "on" if feature.on else "off"
    lines = [
        f"{name} is {state}, by {feature.by or 'default'}." if is_reset else f"{name} is switched {state}."
    ]
    if not feature.on:
        lines.append(f"Off with it: {', '.join(feature.tools)}.")
    else:
        there = [tool for tool in feature.tools if tool not in feature.off]
        lines += [f"On with it: {', '.join(there)}."] if there else []
        lines += [f"{tool} is off all the same: {reason}" for tool, reason in feature.off.items()]
    return "\n".join(lines)
