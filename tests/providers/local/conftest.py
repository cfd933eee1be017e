"""The embedded model for tests: fetched once, and skipped with a sentence where it cannot be had."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from oneclaw.config import user_folder
from oneclaw.providers.local.fetch import SMOLLM2, NotFetched, fetch
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.providers.local.provider import NOT_INSTALLED, is_installed

CACHE = user_folder("cache") / "models"


@pytest.fixture(scope="session")
def weights() -> Path:
    """The file of the embedded model."""
    if not is_installed():
        pytest.skip(NOT_INSTALLED)
    try:
        return asyncio.run(fetch(SMOLLM2, CACHE))
    except NotFetched as error:
        pytest.skip(str(error))


def local_models(
    home: Path, files: Iterable[tuple[str, Path]] = (), idle_seconds: float = 60.0
) -> LocalModels:
    models = LocalModels(LocalSettings(home, CACHE, window=2048, idle_seconds=idle_seconds))
    for name, file in files:
        models.add(file, name)
    return models
