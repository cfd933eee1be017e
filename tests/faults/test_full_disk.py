"""A full disk: a clear error, the old content whole, and nothing left behind."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.small_disks import mounted

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Tool
from oneclaw.guard.files import replace
from oneclaw.tools.edit_file import edit_file
from oneclaw.tools.write_file import write_file

OLD = "the old content\n" * 2_000


@pytest.fixture(params=["linux", "portable"])
def small_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of 128 KB of which 64 KB are taken."""
    if request.param == "portable":
        monkeypatch.setattr(replace, "UNNAMED", None)
    with mounted("size=128k,nr_inodes=64") as disk:
        (disk / "old").write_text(OLD)
        (disk / "ballast").write_bytes(b"x" * 32_000)
        yield disk


def refused(tool: Tool, disk: Path, **arguments: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        tool.execute(dict(arguments), Context(session=Session(workspace=Workspace(disk))))
    return caught.value


def test_nothing_is_lost_and_nothing_is_left_behind(small_disk: Path) -> None:
    large = "new content " * 10_000
    for tool, arguments in (
        (write_file, {"path": "old", "content": large}),
        (write_file, {"path": "old", "content": large, "mode": "append"}),
        (write_file, {"path": "new", "content": large}),
        (edit_file, {"path": "old", "old": OLD, "new": large}),
    ):
        error = refused(tool, small_disk, **arguments)
        assert error.kind is Kind.EXECUTION_ERROR
        assert "disk is full" in error.message
        assert "nothing was changed" in error.message
        assert (small_disk / "old").read_text() == OLD
        assert sorted(os.listdir(small_disk)) == ["ballast", "old"]
    done = write_file.execute(
        {"path": "old", "content": "small"}, Context(session=Session(workspace=Workspace(small_disk)))
    )
    assert "5 bytes" in done.value


def test_a_disk_without_room_for_another_name_is_full_too(small_disk: Path) -> None:
    for number in range(100):
        try:
            (small_disk / f"{number}").touch()
        except OSError:
            break
    before = sorted(os.listdir(small_disk))
    for path in ("old", "new", "folder/new"):
        assert "disk is full" in refused(write_file, small_disk, path=path, content="x").message
    assert (small_disk / "old").read_text() == OLD
    assert sorted(os.listdir(small_disk)) == before


def test_a_plain_write_loses_the_old_content(small_disk: Path) -> None:
    """The twin: open, truncate, write."""
    with pytest.raises(OSError, match="No space left"), (small_disk / "old").open("w") as file:
        file.write("new content " * 10_000)
    assert (small_disk / "old").read_text() != OLD
