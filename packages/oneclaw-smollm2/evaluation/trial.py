"""A workspace with the tiny model in it: says messages, and records what they lead to."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oneclaw import App, Config, Session, ToolResult
from oneclaw.config import user_folder
from oneclaw.events import RunFinished, ToolFinished, ToolStarted
from oneclaw.providers import Provider, ProviderHost
from oneclaw.providers.local.models import LocalSettings
from oneclaw.providers.local.processes import ModelProcesses
from oneclaw_smollm2.provider import SmolProvider


@dataclass(slots=True)
class Told:
    """What a message led to."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    results: list[ToolResult] = field(default_factory=list[ToolResult])
    text: str = ""
    reason: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """An app whose model is the tiny one, and the folder it works in."""

    app: App
    folder: Path

    async def say(self, text: str, session: Session | None = None) -> Told:
        """Say something, in a session of its own where none is given."""
        told = Told()
        async with aclosing(self.app.run("default", text, session=session)) as events:
            async for event in events:
                if isinstance(event, ToolStarted):
                    told.calls.append((event.tool, dict(event.arguments)))
                elif isinstance(event, ToolFinished):
                    told.results.append(event.result)
                elif isinstance(event, RunFinished):
                    told.text, told.reason, told.error = event.text, event.reason, event.error
        return told


@asynccontextmanager
async def open_model(home: Path) -> AsyncGenerator[SmolProvider]:
    """The tiny model in a process of its own, which any number of apps can share."""
    cache = user_folder("cache") / "models"
    processes = ModelProcesses(LocalSettings(home, cache))
    try:
        yield SmolProvider(ProviderHost(lambda: None, cache, processes))
    finally:
        await processes.close()


@asynccontextmanager
async def open_trial(home: Path, provider: Provider | None = None, **values: Any) -> AsyncGenerator[Trial]:
    """Open an app below `home`; `provider` stands in for the model, `values` are settings."""
    config = Config(home=home, values={"models.default": "local/smollm2", **values})
    async with App(config, providers={} if provider is None else {"local": provider}) as app:
        yield Trial(app, config.workspace_folder)
