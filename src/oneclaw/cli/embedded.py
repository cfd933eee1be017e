"""The embedded model on the command line: fetched with a progress bar, and introduced once."""

import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App

NAME = "local/smollm2"
TOLD = "embedded-model-told"
"""The file of the data folder that says that the model was introduced."""


def missing() -> str:
    """What keeps the embedded model from running, in one sentence; empty when nothing does.

    Fetches its file if it is not here.
    """
    import asyncio

    from oneclaw.core.errors import OneClawError

    try:
        check_local(NAME)
        asyncio.run(fetch_embedded())
    except OneClawError as error:
        return str(error)
    return ""


def is_fetched() -> bool:
    """Whether the file of the model is here already."""
    from oneclaw.config import user_folder
    from oneclaw.providers.local.fetch import SMOLLM2, find

    return find(SMOLLM2, user_folder("cache") / "models") is not None


def check_local(model: str) -> None:
    """Raise `ProviderError` when `model` is one of this machine and what runs those cannot be loaded."""
    from oneclaw.providers.local.engine import check_loadable
    from oneclaw.providers.local.models import PROVIDER

    if model.startswith(f"{PROVIDER}/"):
        check_loadable()


async def fetch_embedded() -> None:
    """Have the file of the model here; raises `OneClawError`. On a terminal one sees how far it is."""
    from oneclaw.config import user_folder
    from oneclaw.providers.local.engine import check_installed, check_loadable
    from oneclaw.providers.local.fetch import SMOLLM2, fetch

    check_installed()
    if is_fetched():
        return
    check_loadable()  # else a long download would be for nothing
    folder = user_folder("cache") / "models"
    from oneclaw.cli.terminal import console, is_terminal, print_line

    what = f"Fetching the embedded model ({SMOLLM2.bytes // 1_000_000} MB)"
    if not is_terminal(sys.stderr):
        print_line(f"{what} ...", "dim", sys.stderr)
        await fetch(SMOLLM2, folder)
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn(what), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=SMOLLM2.bytes)
        await fetch(SMOLLM2, folder, lambda done, _: progress.update(task, completed=done))


async def ready_embedded(app: "App", model: str) -> None:
    """Before a conversation with `model`: if it is the embedded one, fetch it, and say once what it is."""
    if model != NAME:
        return
    await fetch_embedded()
    told = app.config.home / TOLD
    if not told.exists():
        introduce()
        with suppress(OSError):
            told.touch(0o600)


async def warm_embedded(app: "App", model: str) -> None:
    """While a person reads and types: if `model` is the embedded one, have it loaded and its tools read."""
    from oneclaw.core.errors import OneClawError
    from oneclaw.providers.local.provider import LocalProvider

    if model != NAME:
        return
    provider, short = app.runs.providers.get(model)
    session = replace(app.new_session(), only=app.runs.small_tools(app.catalog.model(model)))
    if isinstance(provider, LocalProvider):
        with suppress(OneClawError):  # whatever it is, the first message says so
            await provider.warm(short, app.engine.available(session))


def introduce() -> None:
    from oneclaw.cli.terminal import print_line
    from oneclaw.providers.local.reply import FIRST_LINE

    print_line(FIRST_LINE, "yellow", sys.stderr)


def is_there() -> bool:
    """Whether the embedded model may answer where no other is set: what runs it is installed."""
    from oneclaw.providers.local.engine import is_installed

    return is_installed()
