"""An app without any door in front of it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from oneclaw import App, Config


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(home=tmp_path / "home")


@pytest.fixture
async def app(config: Config) -> AsyncGenerator[App]:
    async with App(config) as app:
        yield app
