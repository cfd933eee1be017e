"""The embedded model on the command line: fetched with a progress bar, and introduced once."""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App

TOLD = "embedded-model-told"
"""The file of the data folder that says that the model was introduced."""


def missing() -> str:
    """What keeps the embedded model from running, in one sentence; empty when nothing does.

    Fetches its file if it is not here.
    """
    import asyncio

    from oneclaw.core.errors import OneClawError
    from oneclaw.operations.embedded import NAME, check_local

    try:
        check_local(NAME)
        asyncio.run(fetch_embedded())
    except OneClawError as error:
        return str(error)
    return ""


async def fetch_embedded() -> None:
    """Have the file of the model here; raises `OneClawError`. On a terminal one sees how far it is."""
    from oneclaw.operations.embedded import bytes_to_fetch, fetch_file

    size = bytes_to_fetch()
    if not size:
        return
    from oneclaw.cli.terminal import console, is_terminal, print_line

    what = f"Fetching the embedded model ({size // 1_000_000} MB)"
    if not is_terminal(sys.stderr):
        print_line(f"{what} ...", "dim", sys.stderr)
        await fetch_file()
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn(what), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=size)
        await fetch_file(lambda done, _: progress.update(task, completed=done))


async def ready_embedded(app: "App", model: str) -> None:
    """Before a conversation with `model`: if it is the embedded one, fetch it, and say once what it is."""
    from oneclaw.cli.terminal import print_line
    from oneclaw.operations.embedded import NAME, introduction

    if model != NAME:
        return
    await fetch_embedded()
    told = app.config.home / TOLD
    if not told.exists():
        print_line(introduction(), "yellow", sys.stderr)
        with suppress(OSError):
            told.touch(0o600)
