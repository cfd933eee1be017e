"""Where tools from outside come from, for the tests of them."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The user's tools."""
    return tmp_path / "home" / "tools"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The tools of the project."""
    return tmp_path / "work" / ".oneclaw" / "tools"
