"""The embedded model: whether it can run, its file, and having it ready before the first message."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from oneclaw.config import user_folder
from oneclaw.core.errors import OneClawError

if TYPE_CHECKING:
    from oneclaw.app import App

NAME = "local/smollm2"


def is_installed() -> bool:
    """Whether what runs it is installed: it may answer where no other model is set."""
    from oneclaw.providers.local.engine import is_installed

    return is_installed()


def is_fetched() -> bool:
    """Whether the file of the model is here already."""
    from oneclaw.providers.local.fetch import SMOLLM2, find

    return find(SMOLLM2, user_folder("cache") / "models") is not None


def bytes_to_fetch() -> int:
    """The size of its file where that has to be fetched, else 0; raises `ProviderError` if it cannot run."""
    from oneclaw.providers.local.engine import check_installed, check_loadable
    from oneclaw.providers.local.fetch import SMOLLM2

    check_installed()
    if is_fetched():
        return 0
    check_loadable()  # else a long download would be for nothing
    return SMOLLM2.bytes


async def fetch_file(progress: Callable[[int, int], None] | None = None) -> None:
    """Fetch the file of the model; `progress` is told the bytes so far and all of them."""
    from oneclaw.providers.local.fetch import SMOLLM2, fetch

    await fetch(SMOLLM2, user_folder("cache") / "models", progress)


def introduction() -> str:
    """One sentence that says what this model can and cannot do."""
    from oneclaw.providers.local.reply import FIRST_LINE

    return FIRST_LINE


def check_local(model: str) -> None:
    """Raise `ProviderError` when `model` is one of this machine and what runs those cannot be loaded."""
    from oneclaw.providers.local.engine import check_loadable

    if model.startswith("local/"):
        check_loadable()


async def warm_embedded(app: "App", model: str) -> None:
    """While a person reads and types: if `model` is the embedded one, have it loaded and its tools read."""
    from oneclaw.providers.local.provider import LocalProvider

    if model != NAME:
        return
    provider, short = app.runs.providers.get(model)
    session = replace(app.new_session(), only=app.runs.small_tools(app.catalog.model(model)))
    if isinstance(provider, LocalProvider):
        with suppress(OneClawError):  # whatever it is, the first message says so
            await provider.warm(short, app.engine.available(session))
