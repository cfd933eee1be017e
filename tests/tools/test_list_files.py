"""list_files: every entry of a folder once, told apart by kind, and no more than asked for."""

import os
import socket
from pathlib import Path

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools.list_files import list_files


@pytest.fixture
def context(tmp_path: Path) -> Context:
    work = tmp_path / "work"
    (work / "sub/deep").mkdir(parents=True)
    (work / "note.txt").write_bytes(b"x" * 1234)
    (work / ".hidden").write_bytes(b"")
    return Context(session=Session(workspace=Workspace(work)))


def listed(context: Context, path: str = ".", **arguments: int) -> list[str]:
    return list_files.execute({"path": path, **arguments}, context).split("\n")


def test_names_are_sorted_and_show_kind_and_size(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    work = context.workspace.folder
    (work / "link").symlink_to("note.txt")
    (work / "out").symlink_to("/etc")
    os.mkfifo(work / "pipe")
    monkeypatch.chdir(work)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("plug")
    assert listed(context) == [
        *(".hidden (0 bytes)", "link -> note.txt", "note.txt (1,234 bytes)", "out -> /etc", "pipe (FIFO)"),
        *("plug (socket)", "sub/"),
    ]
    assert list_files.execute({}, context) == list_files.execute({"path": "."}, context)
    assert listed(context, "sub") == ["deep/"]


def test_an_empty_folder_says_so(context: Context) -> None:
    assert listed(context, "sub/deep") == ["(The folder sub/deep is empty.)"]


def test_a_long_list_is_cut_and_says_how_much_is_missing(context: Context) -> None:
    work = context.workspace.folder
    for number in range(1_000):
        (work / f"sub/{number:04}").write_bytes(b"")
    lines = listed(context, "sub", limit=3)
    assert lines[:3] == ["0000 (0 bytes)", "0001 (0 bytes)", "0002 (0 bytes)"]
    assert lines[3] == "(There are 998 more; raise limit, or look for a name with find_files.)"
    assert len(listed(context, "sub")) == 501
    assert len(listed(context, "sub", limit=5_000)) == 1_001


def test_a_name_with_a_line_break_cannot_pass_for_two(context: Context) -> None:
    work = context.workspace.folder
    for name in ("a\nb (5 bytes)", "c\u202etxt.exe", '"quoted"', " blank "):
        (work / "sub/deep" / name).write_bytes(b"")
    assert listed(context, "sub/deep") == [
        *('" blank " (0 bytes)', r'"\"quoted\"" (0 bytes)', r'"a\nb (5 bytes)" (0 bytes)'),
        r'"c\u202etxt.exe" (0 bytes)',
    ]


def test_what_is_not_a_folder_inside_is_refused(context: Context) -> None:
    for path, kind in (
        *(
            ("note.txt", Kind.VALIDATION_ERROR),
            ("nothing", Kind.FILE_NOT_FOUND),
            ("..", Kind.PATH_NOT_ALLOWED),
        ),
        *(("/", Kind.PATH_NOT_ALLOWED), ("", Kind.VALIDATION_ERROR)),
    ):
        with pytest.raises(ToolError) as caught:
            listed(context, path)
        assert caught.value.kind is kind
    with pytest.raises(ToolError, match="limit"):
        listed(context, limit=0)


def test_a_linked_folder_inside_is_listed_and_one_outside_is_not(context: Context, tmp_path: Path) -> None:
    work = context.workspace.folder
    (tmp_path / "secret").write_bytes(b"")
    (work / "inside").symlink_to("sub")
    (work / "outside").symlink_to(tmp_path)
    assert listed(context, "inside") == ["deep/"]
    with pytest.raises(ToolError) as caught:
        listed(context, "outside")
    assert caught.value.kind is Kind.PATH_NOT_ALLOWED


def test_a_closed_folder_is_seen_and_not_opened(context: Context) -> None:
    work = context.workspace.folder
    closed = Context(session=Session(workspace=Workspace(work, (Root(work / "sub", "none"),))))
    assert "sub/" in listed(closed)
    with pytest.raises(ToolError) as caught:
        listed(closed, "sub")
    assert caught.value.kind is Kind.PATH_NOT_ALLOWED
