"""`oneclaw keys`: keeps, lists, removes and tests the keys of providers."""

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import (
    STATE,
    is_terminal,
    print_json,
    print_line,
    print_table,
    printable,
    seconds_text,
)
from oneclaw.operations.keys import MOST_CHARS, KeyState, find_key, keep_key, list_keys, remove_key

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.operations.model_trial import RequestCheck

MARKS = {True: "✓", False: "✗", None: "…"}


def run(arguments: argparse.Namespace) -> int:
    """Not in a loop: Ctrl-C must reach the prompt."""
    import asyncio

    action = arguments.action
    if arguments.words:
        raise WrongUse(
            "a key does not go into the command, where your shell and other programs would keep and see it."
            f" Type `oneclaw keys {action} {arguments.name}` and give it when you are asked, or pipe it in."
        )
    if arguments.model and action != "test":
        raise WrongUse("--model goes with test: oneclaw keys test PROVIDER --model NAME")
    if action == "list":
        return asyncio.run(show_keys(arguments))
    if not arguments.name:
        raise WrongUse(f"say whose: oneclaw keys {action} PROVIDER")
    if action == "set":
        return set_key(arguments)
    return asyncio.run((remove if action == "remove" else test)(arguments))


async def show_keys(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        listed = list_keys(app)
    if arguments.name:
        raise WrongUse(f"list takes no name; to look at one: oneclaw models {arguments.name}")
    if arguments.json:
        return print_json([{**asdict(state), "is_set": state.is_set} for state in listed])
    rows = [
        (MARKS[state.is_set], state.provider or "a tool", state.name, state.place or "not set")
        for state in listed
    ]
    print_table(("", "PROVIDER", "NAME", "WHERE"), rows, (STATE, "bold", "", "dim"), wrapped=0)
    if not any(state.is_set for state in listed):
        print_line("\nNo key yet. Give one with: oneclaw keys set PROVIDER", "dim", sys.stderr)
    return 0


def set_key(arguments: argparse.Namespace) -> int:
    app = open_app(arguments)  # not entered: nothing is read from the store or written to it
    state = find_key(app, arguments.name)
    kept = keep_key(app, arguments.name, read_key(state))
    if arguments.json:
        return print_json(asdict(kept))
    tell_kept(kept, arguments.name)
    return 0


def tell_kept(kept: KeyState, named: str) -> None:
    print_line(printable(f"{kept.name} is kept in {kept.file}; only you may read it."))
    if kept.place == "environment":
        print_line(
            f"The variable {kept.name} is set in this shell and wins over the file.", "yellow", sys.stderr
        )
    if kept.provider:
        print_line(f"Test it: oneclaw keys test {kept.provider}", "dim", sys.stderr)


def read_key(state: KeyState) -> str:
    """The key, typed without being shown, or the first line of the pipe."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(MOST_CHARS + 2)
    from getpass import getpass

    whose = f" of {state.provider}" if state.provider else ""
    try:
        return getpass(f"Key{whose} ({state.name}, not shown): ")
    except EOFError:
        print()
        return ""


async def remove(arguments: argparse.Namespace) -> int:
    async with open_app(arguments).looking() as app:
        state, is_gone = remove_key(app, arguments.name)
    if arguments.json:
        return print_json(asdict(state) | {"removed": is_gone})
    print_line(f"{state.name} is removed." if is_gone else f"{state.name} was not in {state.file}.")
    if state.is_set:
        print_line(f"It is still found in the {state.place}.", "yellow", sys.stderr)
    return 0


async def test(arguments: argparse.Namespace) -> int:
    from oneclaw.operations.model_trial import choose_model

    async with open_app(arguments) as app:
        named = arguments.name
        if app.catalog.provider(named).key and not find_key(app, named).is_set:
            print_line(f"{named} has no key. Give it one: oneclaw keys set {named}", "red", sys.stderr)
            return 1
        model = app.catalog.full_name(arguments.model) if arguments.model else await choose_model(app, named)
        if not model.startswith(f"{named}/"):
            raise WrongUse(f"{model} is no model of {named}.")
        checks = await try_all(app, model, is_shown=not arguments.json)
    if arguments.json:
        print_json({"model": model, "checks": [asdict(check) for check in checks]})
    return 0 if all(check.is_good for check in checks) else 1


async def try_all(app: "App", model: str, *, is_shown: bool = True) -> "list[RequestCheck]":
    """Make the six requests and show them in a table; on a terminal one sees how far it is."""
    from oneclaw.cli.terminal import console
    from oneclaw.operations.model_trial import try_model

    if is_shown:
        print_line(printable(f"Six requests to {model}:"), "bold")
    checks: list[RequestCheck] = []
    if is_shown and is_terminal(sys.stderr):
        with console(sys.stderr).status("1 of 6 …") as status:
            async for check in try_model(app, model):
                checks.append(check)
                status.update(f"{min(len(checks) + 1, 6)} of 6 …")
    else:
        checks = [check async for check in try_model(app, model)]
    if is_shown:
        rows = [
            (
                MARKS[check.is_good],
                check.name,
                "" if check.is_good is None else seconds_text(check.seconds),
                printable(check.said),
            )
            for check in checks
        ]
        print_table(("", "REQUEST", "TIME", "RESULT"), rows, (STATE, "bold", "", ""))
    return checks
