"""Models of provider packages: whether they can run here, the files they need, and getting them ready.

`local/smollm2` is the one that answers where no model is set, if its package is installed.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from oneclaw.config import user_folder
from oneclaw.core.errors import OneClawError
from oneclaw.providers.packages import ProviderPackages, WarmProvider

if TYPE_CHECKING:
    from oneclaw.app import App

NAME = "local/smollm2"


def is_installed() -> bool:
    """Whether the tiny model may answer where no other model is set: its package and llama.cpp are there."""
    from oneclaw.providers.local.engine import is_installed

    return is_installed() and NAME in ProviderPackages().names()


def bytes_to_fetch(model: str) -> int:
    """How much must be fetched before this model can answer; raises `OneClawError`."""
    from oneclaw.providers.local.engine import check_installed

    package = ProviderPackages().get(model)
    if package is None or package.download is None:
        return 0
    if package.runs_gguf:
        check_installed()
    return package.download.bytes_missing(user_folder("cache") / "models")


async def fetch_files(model: str, progress: Callable[[int, int], None] | None = None) -> None:
    """Fetch the files of a model; `progress` is told the bytes so far and all of them."""
    package = ProviderPackages().get(model)
    if package is not None and package.download is not None:
        await package.download.fetch(user_folder("cache") / "models", progress)


def introduction(model: str) -> str:
    """A short introduction of a model, shown before a conversation; empty for most."""
    package = ProviderPackages().get(model)
    return "" if package is None else package.introduction


def check_runnable(model: str) -> None:
    """Raise `OneClawError` when this model runs on this machine and what it needs for that is missing."""
    from oneclaw.providers.local.engine import check_loadable

    package = ProviderPackages().get(model)
    if package.runs_gguf if package is not None else model.startswith("local/"):
        check_loadable()


async def warm(app: "App", model: str) -> None:
    """Warm up a model, if its provider can, while the person types."""
    provider, short = app.runs.providers.get(model)
    if isinstance(provider, WarmProvider):
        session = replace(app.new_session(), only=app.runs.small_tools(app.catalog.model(model)))
        with suppress(OneClawError):  # whatever it is, the first message says so
            await provider.warm(short, app.engine.available(session))
