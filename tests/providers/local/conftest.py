"""Local models for tests."""

from collections.abc import Iterable
from pathlib import Path

from oneclaw.config import user_folder
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.providers.local.processes import ModelProcesses
from oneclaw.providers.local.provider import LocalProvider

CACHE = user_folder("cache") / "models"


def local_provider(home: Path, files: Iterable[tuple[str, Path]]) -> LocalProvider:
    """A provider of these files, by name."""
    models = LocalModels(LocalSettings(home, CACHE, window=2048, idle_seconds=60.0))
    for name, file in files:
        models.add(file, name)
    return LocalProvider(models, ModelProcesses(models.settings))
