"""Finds the models that can answer here, for a guided start: by keys, on local servers, the tiny model."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from oneclaw.core.errors import OneClawError
from oneclaw.operations import embedded
from oneclaw.operations.keys import list_keys

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.config import Config

SERVER_SECONDS = 1.5
MOST_MODELS = 3
"""The most models of one server that are offered."""
SUGGESTED = {
    "anthropic": "anthropic/claude-sonnet-5",
    "gemini": "gemini/gemini-2.5-pro",
    "openai": "openai/gpt-5.4",
}
"""The model that is offered first where there is a key of its provider."""

Origin = Literal["key", "server", "tiny"]


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that can answer here, or a provider whose model must be named (`groq/`), and why."""

    name: str
    origin: Origin
    reason: str

    @property
    def is_named(self) -> bool:
        return not self.name.endswith("/")


async def find_models(app: "App") -> tuple[OfferedModel, ...]:
    """The models that can answer here: with a key that was found, on a server that answers, the tiny one."""
    found = [
        OfferedModel(
            SUGGESTED.get(state.provider, f"{state.provider}/"), "key", f"{state.name}: {state.place}"
        )
        for state in list_keys(app)
        if state.is_set and state.provider
    ]
    found += await _find_servers(app)
    if embedded.is_installed():
        reason = "the tiny model: runs here, needs no key, chooses tools but writes no prose"
        found.append(OfferedModel(embedded.NAME, "tiny", reason))
    return tuple(found)


def should_offer(config: "Config") -> bool:
    """Whether a person is to be offered the guided start: nobody was, and no model is set."""
    return not config.settings.models.default and not _marker(config).exists()


def mark_offered(config: "Config") -> None:
    """Keep that a person was asked."""
    with suppress(OSError):
        config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        _marker(config).touch(0o600)


def _marker(config: "Config") -> Path:
    return config.home / "setup-offered"


async def _find_servers(app: "App") -> list[OfferedModel]:
    """The models of servers on this machine that answer at once."""
    from oneclaw.providers.catalog import LOCAL

    catalog, found = app.catalog, list[OfferedModel]()
    names = [name for name in catalog.providers() if name != LOCAL and _is_here(app, name)]

    async def ask(name: str) -> list[str]:
        try:
            async with asyncio.timeout(SERVER_SECONDS):
                return await app.runs.providers.list_models(name)
        except (OneClawError, TimeoutError):
            return []

    for name, models in zip(names, await asyncio.gather(*map(ask, names)), strict=True):
        chosen = [model for model in models if "embed" not in model.lower()][:MOST_MODELS]
        found += [OfferedModel(f"{name}/{model}", "server", "answers on this machine") for model in chosen]
    return found


def _is_here(app: "App", name: str) -> bool:
    try:
        settings = app.catalog.provider(name)
    except OneClawError:
        return False
    return settings.is_local and not settings.key and bool(settings.base_url)
