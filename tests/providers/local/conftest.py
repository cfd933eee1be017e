"""Local models for tests."""

from collections.abc import Iterable
from pathlib import Path

from oneclaw.config import user_folder
from oneclaw.providers.local.models import LocalModels, LocalSettings

CACHE = user_folder("cache") / "models"


def local_models(
    home: Path, files: Iterable[tuple[str, Path]] = (), idle_seconds: float = 60.0
) -> LocalModels:
    models = LocalModels(LocalSettings(home, CACHE, window=2048, idle_seconds=idle_seconds))
    for name, file in files:
        models.add(file, name)
    return models
