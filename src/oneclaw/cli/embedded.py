"""Models of provider packages on the command line: fetched with a progress bar, and introduced."""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App


def missing() -> str:
    """Why the tiny model cannot run, in one sentence; empty if it can.

    Fetches its file if it is not here.
    """
    import asyncio

    from oneclaw.core.errors import OneClawError
    from oneclaw.operations.embedded import NAME, check_runnable

    try:
        check_runnable(NAME)
        asyncio.run(fetch_model(NAME))
    except OneClawError as error:
        return str(error)
    return ""


async def fetch_model(model: str) -> None:
    """Have the files of a model here; raises `OneClawError`. On a terminal one sees how far it is."""
    from oneclaw.operations.embedded import bytes_to_fetch, check_runnable, fetch_files

    size = bytes_to_fetch(model)
    if not size:
        return
    check_runnable(model)  # else a long download would be for nothing
    from oneclaw.cli.terminal import console, is_terminal, print_line

    what = f"Fetching {model} ({size // 1_000_000} MB)"
    if not is_terminal(sys.stderr):
        print_line(f"{what} ...", "dim", sys.stderr)
        await fetch_files(model)
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn(what), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=size)
        await fetch_files(model, lambda done, _: progress.update(task, completed=done))


async def ready_model(app: "App", model: str, *, is_greeted: bool = False) -> None:
    """Before a conversation with `model`: fetch what it needs, and say what it is.

    Where a chat greets a person it is said each time, else once.
    """
    from oneclaw.cli.terminal import print_line
    from oneclaw.operations.embedded import introduction

    await fetch_model(model)
    said, told = introduction(model), app.config.home / f"introduced-{model.replace('/', '-')}"
    if said and (is_greeted or not told.exists()):
        print_line(said, "yellow", sys.stderr)
        with suppress(OSError):
            told.touch(0o600)
