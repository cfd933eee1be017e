"""A store in a folder of its own, and small calls to put into it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.sqlite import SqliteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "oneclaw.db"


@pytest.fixture
def database(path: Path) -> Iterator[SqliteDatabase]:
    with SqliteDatabase(path) as opened:
        yield opened


@pytest.fixture
def calls(database: SqliteDatabase) -> Calls:
    return Calls(database)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session("session-1", "helper", Workspace(tmp_path))


@pytest.fixture
def reads() -> ToolDefinition:
    return ToolDefinition(name="look", effect="read")


@pytest.fixture
def writes() -> ToolDefinition:
    return ToolDefinition(name="change", effect="write")
