"""`oneclaw models add` and `remove`: registers GGUF files by name."""

import argparse
import sys
from pathlib import Path

from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import print_line

ACTIONS = ("list", "add", "remove")


async def change_models(arguments: argparse.Namespace) -> int:
    """Add a file to the models of this machine, or take one off."""
    action, named = arguments.provider, arguments.file
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
