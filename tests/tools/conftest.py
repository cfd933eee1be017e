"""What the tests of tools may use."""

from pathlib import Path

import pytest
from tests.tools.desk import Desk
from tests.tools.desktop import Desktop


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """A machine without a desktop, until its `start` is called."""
    return Desktop(tmp_path, monkeypatch)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace with a page in it."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "page.html").write_text("<p>hello")
    return folder


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
