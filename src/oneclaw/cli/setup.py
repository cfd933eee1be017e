"""`oneclaw setup`: a guided start that asks for the model, the workspace and the features."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.command_name import command_name
from oneclaw.cli.keys import read_key
from oneclaw.cli.open_here import shown
from oneclaw.cli.opened import open_app, read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import is_terminal, print_line, printable
from oneclaw.core.errors import OneClawError
from oneclaw.operations.features import list_features, switch_feature
from oneclaw.operations.keys import find_key, keep_key
from oneclaw.operations.models import set_default
from oneclaw.operations.settings_file import set_setting
from oneclaw.operations.setup import OfferedModel, find_models, mark_offered, should_offer

if TYPE_CHECKING:
    from oneclaw.app import App

WITHOUT_TERMINAL = (
    "setup asks questions and needs a terminal. Without one: `oneclaw keys set PROVIDER` keeps a key,"
    " `oneclaw models default NAME` chooses the model, `oneclaw config set workspace.folder FOLDER` the"
    " workspace, `oneclaw features on shell` lets agents run commands."
)
OTHER = "another provider, with a key of yours"
FEATURES = {
    "shell": "Let agents run commands? In a sandbox, and they ask first.",
    "memory": "Let agents remember things from one conversation to the next?",
}


def run(arguments: argparse.Namespace) -> int:
    """Not in a loop: Ctrl-C must reach the questions."""
    if not can_ask():
        raise WrongUse(WITHOUT_TERMINAL)
    ask_all(arguments)
    print_line(f"\nDone. Talk with it: {command_name()} chat", "bold green")
    return 0


def offer(arguments: argparse.Namespace) -> None:
    """Offer the guided start once, where no model is set; Enter skips it."""
    config = read_config(arguments)
    if not can_ask() or not should_offer(config):
        return
    mark_offered(config)
    again = f"`{command_name()} setup` does it at any time"
    print_line(f"No model is chosen yet. A guided start takes a minute; {again}.")
    if is_yes("Set it up now?", is_default=False):
        ask_all(arguments)
    print()


def can_ask() -> bool:
    return sys.stdin.isatty() and is_terminal(sys.stdout)


def ask_all(arguments: argparse.Namespace) -> None:
    """Ask the three questions; each answer is kept at once."""
    print_line("Enter keeps what is in brackets, Ctrl-C leaves the rest as it is.\n", "dim")
    mark_offered(read_config(arguments))
    with asyncio.Runner() as runner:
        app = open_app(arguments)
        runner.run(app.__aenter__())
        try:
            ask_model(runner, app, arguments)
            ask_workspace(app, arguments)
            ask_features(runner, app)
        finally:
            runner.run(app.__aexit__(None, None, None))


# ------------------------------------------------------------------ the model


def ask_model(runner: asyncio.Runner, app: "App", arguments: argparse.Namespace) -> None:
    print_line("1. Which model answers?", "bold")
    print_line("Looking for keys and for servers on this machine …", "dim")
    found = runner.run(find_models(app))
    current = app.catalog.default
    show_models(found, current)
    first = current or (found[0].name if found else "none yet")
    while True:
        said = ask("Number, or provider/model", first)
        if not said and not (found and not current):
            return
        try:
            chosen = take_model(app, found, said or "1")
            if chosen:
                set_default(app, settings_file_of(arguments), chosen)
                print_line(f"✓ {chosen} answers.", "green")
            return
        except OneClawError as error:
            print_line(printable(str(error)), "red")


def show_models(found: Sequence[OfferedModel], current: str | None) -> None:
    if current:
        print_line(printable(f"  now  {current}"))
    width = max((len(model.name) for model in found), default=0)
    for number, model in enumerate(found, 1):
        name = model.name if model.is_named else f"{model.name}…"
        print_line(printable(f"  {number}    {name:<{width}}  {model.reason}"), indent=7 + width)
    print_line(f"  {len(found) + 1}    {OTHER}")
    if not any(model.origin == "tiny" for model in found):
        print_line(
            "       For a tiny model without a key: pip install oneclaw-smollm2 'oneclaw[local]'", "dim"
        )


def take_model(app: "App", found: Sequence[OfferedModel], said: str) -> str:
    """The model that an answer means; empty where the person gave none in the end."""
    if not said.isascii() or not said.isdigit():
        return app.catalog.full_name(said)
    number = int(said)
    if 1 <= number <= len(found):
        model = found[number - 1]
        return model.name if model.is_named else ask_name(model.name)
    if number == len(found) + 1:
        return ask_key(app)
    raise WrongUse(f"There is no number {said[:20]}; type one of 1 to {len(found) + 1}.")


def ask_name(provider: str) -> str:
    name = ask(f"Name of the model: {provider}", "")
    return f"{provider}{name}" if name else ""


def ask_key(app: "App") -> str:
    """Keep the key of a provider, and ask for its model."""
    from oneclaw.operations.setup import SUGGESTED

    provider = ask("Provider", "skip")
    if not provider:
        return ""
    keep_key(app, provider, read_key(find_key(app, provider)))
    print_line("✓ The key is kept.", "green")
    suggested = SUGGESTED.get(provider, "")
    said = ask("Model", suggested or "skip")
    if not said:
        return suggested
    return said if "/" in said else f"{provider}/{said}"


# ------------------------------------------------------------------ the workspace and the features


def ask_workspace(app: "App", arguments: argparse.Namespace) -> None:
    config = app.config
    print_line("\n2. Where do agents work?", "bold")
    print_line(
        "In a project it is the current folder, elsewhere a private one. Name a folder only if they are to"
        " work there wherever you start them.",
        "dim",
    )
    while True:
        said = ask("Folder", shown(config.workspace_folder))
        if not said:
            return
        folder = Path(said).expanduser().absolute()
        if folder.is_dir() or not folder.exists():
            set_setting(settings_file_of(arguments), "workspace.folder", [str(folder)])
            print_line(printable(f"✓ Agents work in {shown(folder)}, wherever you start them."), "green")
            return
        print_line(f"{said} is no folder.", "red")


def ask_features(runner: asyncio.Runner, app: "App") -> None:
    print_line("\n3. What may they do?", "bold")
    known = {feature.name: feature.on for feature in list_features(app)}
    for name, question in FEATURES.items():
        is_on = known.get(name, False)
        answer = is_yes(question, is_default=is_on)
        if answer != is_on:
            runner.run(switch_feature(app, name, answer))
            print_line(f"✓ {name} is {'on' if answer else 'off'}.", "green")


# ------------------------------------------------------------------ questions


def settings_file_of(arguments: argparse.Namespace) -> Path:
    from oneclaw.config import settings_file

    return settings_file(Path(arguments.config) if arguments.config else None)


def ask(text: str, default: str) -> str:
    """A line from the person; empty for Enter and Ctrl-D, which keep the default."""
    try:
        return input(printable(f"{text} [{default}] " if default else f"{text} ")).strip()
    except EOFError:
        print()
        return ""


def is_yes(text: str, *, is_default: bool) -> bool:
    said = ask(text, "Y/n" if is_default else "y/N").lower()
    return is_default if not said else said in ("y", "yes")
