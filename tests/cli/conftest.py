"""A command line with a home of its own."""

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli.main import main
from oneclaw.store.store import Store


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Ended]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test is in a repository: agents would work there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder; the workspace lies in it."""
    monkeypatch.setenv("ONECLAW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ONECLAW_CONFIG", "ONECLAW_WORKSPACE", "ONECLAW_MODE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs one command line: `cli("call", "read_file", "path=a.txt")`."""

    def run(*words: str) -> Ended:
        code = run_main(words)
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return run


def run_main(words: Sequence[str]) -> int:
    """The exit code of a command. It has a loop of its own: beside that of a test, it runs in a thread."""

    def run() -> int:
        try:
            return main(words)
        except SystemExit as left:
            return int(left.code or 0)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


async def conversation(home: Path, session: str = "last") -> list[Any]:
    """The messages of a session as they are stored."""
    with Store(home / "oneclaw.db", read_only=True) as store:
        found = await store.sessions.find(session)
        assert found is not None
        return [each.message for each in await store.messages.load(found.id)]
