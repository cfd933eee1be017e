"""The doors through which stories are told: the Python app, and the command line in a process of its own."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.journeys.obedient import outside as outside
from tests.journeys.obedient import scene as scene
from tests.journeys.obedient import thief as thief

from oneclaw import App, Config, ToolCall


class Door(Protocol):
    """Calls a tool and gives what the caller sees: `status`, `result`, `error_type`, `message`, `effects`."""

    home: Path

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]: ...


@dataclass
class CommandLine:
    """`oneclaw` as a shell starts it; nobody sits at a terminal."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def run(self, *words: str, given: str | None = None) -> "subprocess.CompletedProcess[str]":
        settings = {"ONECLAW_HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config")}
        return subprocess.run(
            [sys.executable, "-m", "oneclaw.cli.main", *words],
            env={**_without_settings(), **settings, **self.environment},
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        ended = self.run("call", name, "-", "--format", "json", given=json.dumps(arguments))
        assert "Traceback" not in ended.stderr, ended.stderr
        return json.loads(ended.stdout)


class PythonApp:
    """An app held open, as a program has it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._runner = asyncio.Runner()
        self.app = App(Config(home=home))
        self._runner.run(self.app.__aenter__())

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = self._runner.run(self.app.engine.call(ToolCall(name, arguments)))
        return {**json.loads(result.to_json()), "effects": result.effects}

    def close(self) -> None:
        self._runner.run(self.app.__aexit__(None, None, None))
        self._runner.close()


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


@pytest.fixture(params=["python", "command line"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    if request.param == "command line":
        yield CommandLine(tmp_path / "home")
    else:
        opened = PythonApp(tmp_path / "home")
        yield opened
        opened.close()


def _without_settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("ONECLAW_")}
