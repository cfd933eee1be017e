"""A file with a name outside the roots is outside, whatever name it is reached by."""

import os
from pathlib import Path

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import links, paths
from oneclaw.guard.files.links import LinkNames, Links

SECRET = b"the secret that lies outside"


def read(workspace: Workspace, path: str) -> bytes:
    with paths.open_file(workspace, path) as file:
        return file.read()


def overwrite(workspace: Workspace, path: str) -> None:
    paths.replace_file(workspace, path, b"mine now", lambda: None)


def test_a_hard_link_to_a_file_outside_is_refused(work: Workspace, home: Path) -> None:
    os.link(home / "secret.txt", work.folder / "hard")
    for do in (read, overwrite):
        with pytest.raises(ToolError, match="2 hard links") as caught:
            do(work, "hard")
        assert caught.value.kind is Kind.PATH_NOT_ALLOWED
    assert (home / "secret.txt").read_bytes() == SECRET


def test_hard_links_inside_are_fine(work: Workspace, home: Path) -> None:
    for name in ("second", "sub/third", "sub/deep/fourth"):
        os.link(work.folder / "note.txt", work.folder / name)
    assert {read(work, name) for name in ("note.txt", "second", "sub/third", "sub/deep/fourth")} == {b"note"}


def test_a_name_in_another_readable_root_counts_and_one_in_a_closed_root_does_not(
    work: Workspace, home: Path
) -> None:
    os.link(home / "other/secret.txt", work.folder / "hard")
    with pytest.raises(ToolError):
        read(work, "hard")
    assert read(Workspace(work.folder, (Root(home / "other", "read"),)), "hard") == SECRET
    (work.folder / "state").mkdir()
    os.link(work.folder / "note.txt", work.folder / "state/copy")
    assert read(work, "note.txt") == b"note"
    with pytest.raises(ToolError):
        read(Workspace(work.folder, (Root(work.folder / "state", "none"),)), "note.txt")


def test_the_search_for_names_has_an_end(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    os.link(work.folder / "note.txt", work.folder / "zz")
    assert read(work, "zz") == b"note"
    monkeypatch.setattr(links, "ENTRIES", 2)
    with pytest.raises(ToolError, match="hard links"):
        read(work, "zz")


def test_a_name_moved_while_names_are_counted_does_not_count_twice(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(home / "secret.txt", work.folder / "sub/hard")
    collect = links.collect

    def collect_and_move(workspace: Workspace) -> LinkNames:
        names = collect(workspace)
        os.rename(work.folder / "sub/hard", work.folder / "sub/deep/hard")
        for found, more in collect(workspace).items():
            names.setdefault(found, set()).update(more)
        os.rename(work.folder / "sub/deep/hard", work.folder / "sub/hard")
        return names

    monkeypatch.setattr(links, "collect", collect_and_move)
    with pytest.raises(ToolError):
        read(work, "sub/hard")
    monkeypatch.setattr(links, "_CLOCK_STEP_NS", -(10**12))  # twin: any change time will do
    assert read(work, "sub/hard") == SECRET


def test_without_the_count_the_secret_comes_out(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(home / "secret.txt", work.folder / "hard")

    def believe(self: Links, fd: int) -> bool:
        return True

    monkeypatch.setattr(Links, "are_inside", believe)
    assert read(work, "hard") == SECRET
