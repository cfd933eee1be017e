"""`oneclaw models add`, `remove` and `default`: registers GGUF files, and says which model answers."""

import argparse
import sys
from pathlib import Path

from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import print_line, printable

ACTIONS = ("list", "add", "remove", "default")


async def change_models(arguments: argparse.Namespace) -> int:
    """Add a file to the models of this machine, take one off, or set the default."""
    action, named = arguments.provider, arguments.file
    if action == "default":
        return await change_default(arguments)
    if not named:
        wanted = "FILE.gguf" if action == "add" else "NAME"
        raise WrongUse(f"say which: oneclaw models {action} {wanted}")
    async with open_app(arguments).looking() as app:
        models = app.catalog.local
        assert models is not None
        if action == "remove":
            gone = models.remove(named.removeprefix("local/"))
            print_line(f"Removed local/{gone.name}. Its file {gone.file} is left where it is.")
            return 0
        model = models.add(Path(named), arguments.name or "")
        window = models.window_of(model)
    size = (
        f"{model.file_bytes / 1e9:.1f} GB" if model.file_bytes >= 1e9 else f"{model.file_bytes / 1e6:.0f} MB"
    )
    print_line(f"Added local/{model.name}: {model.title}, {size}, reads {window:,} tokens.")
    print_line(f"Talk with it: oneclaw chat --model local/{model.name}", "dim", sys.stderr)
    return 0


async def change_default(arguments: argparse.Namespace) -> int:
    """Set the model that answers where none is named; without a name, print it."""
    from oneclaw.config import settings_file
    from oneclaw.operations.models import set_default

    async with open_app(arguments).looking() as app:
        if not arguments.file:
            print_line(printable(app.catalog.default or "none; set one with: oneclaw models default NAME"))
            return 0
        file = settings_file(Path(arguments.config) if arguments.config else None)
        made = set_default(app, file, arguments.file)
    print_line(printable(f"{made.model} answers where no model is named ({made.file})."))
    if made.near:
        print_line(f"It is in no list of ours. Did you mean {made.near}?", "yellow", sys.stderr)
    if made.key:
        provider = made.model.partition("/")[0]
        print_line(f"It has no key yet. Give it one: oneclaw keys set {provider}", "yellow", sys.stderr)
    return 0
