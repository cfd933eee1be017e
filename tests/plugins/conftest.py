"""A home with a tools folder, a folder of installed packages, and an engine that has the plugins' tools."""

import asyncio
import textwrap
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from oneclaw.config import Config
from oneclaw.core.engine import Engine
from oneclaw.core.load import Loaded
from oneclaw.core.registry import Registry
from oneclaw.plugins.loader import SECONDS, Look, Plugin
from oneclaw.run.runner import CallRunner

WEATHER = '''
"""What the weather will be."""

import os

from oneclaw import Context, tool


@tool(effect="read", needs=["network"])
def forecast(context: Context, city: str, days: int = 3) -> dict[str, object]:
    """Say what the weather will be.

    city: Where.
    days: How many days ahead.
    """
    return {"city": city, "days": days, "process": os.getpid(), "tool": context.tool}


@tool(seconds=5)
async def umbrella(rain: bool) -> str:
    """Say whether to take an umbrella."""
    return "yes" if rain else "no"
'''


def load_plugins(config: Config, *, is_fresh: bool = False, seconds: float = SECONDS) -> Loaded:
    """The tools of all plugins and what is wrong, once every plugin has answered."""
    return _asked(Look(config, is_fresh=is_fresh), seconds).loaded


def look(config: Config) -> list[Plugin]:
    return _asked(Look(config), SECONDS).plugins


def _asked(looked: Look, seconds: float) -> Look:
    with ThreadPoolExecutor(1) as thread:  # the test may have a loop of its own
        thread.submit(asyncio.run, looked.ask(seconds=seconds)).result()
    return looked


@dataclass(frozen=True)
class Home:
    """A data folder, and a folder where packages are installed, which is on the path."""

    config: Config
    packages: Path

    @property
    def tools(self) -> Path:
        return self.config.home / "tools"

    def write(self, name: str, text: str) -> Path:
        self.tools.mkdir(parents=True, exist_ok=True)
        file = self.tools / name
        file.write_text(textwrap.dedent(text))
        return file

    def install(
        self, name: str, files: Mapping[str, str], entry_points: str, version: str = "1.0", record: str = ""
    ) -> Path:
        """Install a package as pip would leave it; the folder of its metadata."""
        for path, text in files.items():
            file = self.packages / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text))
        about = self.packages / f"{name.replace('-', '_')}-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Tools for tests.\n\nText\n"
        )
        (about / "RECORD").write_text(record + "".join(f"{path},,\n" for path in files))
        (about / "entry_points.txt").write_text(
            "[console_scripts]\nother = other:main\n\n[oneclaw.tools]\n" + entry_points
        )
        return about

    def set(self, **values: Any) -> "Home":
        return replace(self, config=replace(self.config, values={**self.config.values, **values}))

    def setting(self, key: str, value: Any) -> "Home":
        return self.set(**{key: value})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    packages = tmp_path / "lib" / "site-packages"
    packages.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(packages))  # pyright: ignore[reportUnknownMemberType]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ONECLAW_HOME", str(tmp_path / "home"))
    return Home(Config(tmp_path / "home"), packages)


@pytest.fixture
def weather() -> str:
    return WEATHER


Serve = Callable[[Loaded], AbstractAsyncContextManager[Engine]]


@pytest.fixture
def engine_of() -> Serve:
    @asynccontextmanager
    async def start(loaded: Loaded) -> AsyncGenerator[Engine]:
        runner = CallRunner(processes=2)
        try:
            yield Engine(Registry(loaded.tools), runner)
        finally:
            await runner.close()

    return start
