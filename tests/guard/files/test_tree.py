"""A walk shows everything below a folder once, in order, and goes nowhere else."""

import os
from pathlib import Path

import pytest

from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths

pytestmark = pytest.mark.usefixtures("system")


def walk(workspace: Workspace, path: str = ".") -> list[str]:
    with paths.open_folder(workspace, path) as folder:
        return [folder.path_of(entry) for entry in folder.walk()]


def test_everything_below_is_shown_in_order(work: Workspace) -> None:
    (work.folder / "a.txt").write_bytes(b"")
    (work.folder / "sub/z").mkdir()
    shown = ["a.txt", "note.txt", "sub", "sub/deep", "sub/inner.txt", "sub/z"]
    assert walk(work) == shown
    assert walk(work, "./sub/") == ["sub/deep", "sub/inner.txt", "sub/z"]
    assert walk(work, str(work.folder / "sub")) == [f"{work.folder}/{path}" for path in shown[3:]]


def test_links_are_shown_and_not_followed(work: Workspace, home: Path) -> None:
    for name, target in (("out", home), ("round", "."), ("sub/up", ".."), ("file", home / "secret.txt")):
        (work.folder / name).symlink_to(target)
    with paths.open_folder(work, ".") as folder:
        kinds = {entry.path: entry.kind for entry in folder.walk()}
    assert kinds == {
        "file": "link",
        "note.txt": "file",
        "out": "link",
        "round": "link",
        "sub": "folder",
        "sub/deep": "folder",
        "sub/inner.txt": "file",
        "sub/up": "link",
    }


def test_a_closed_folder_is_shown_and_not_entered(work: Workspace) -> None:
    closed = Workspace(work.folder, (Root(work.folder / "sub", "none"),))
    assert walk(closed) == ["note.txt", "sub"]
    opened = Workspace(
        work.folder, (Root(work.folder / "sub", "none"), Root(work.folder / "sub/deep", "read"))
    )
    (work.folder / "sub/deep/x").write_bytes(b"")
    assert walk(opened, "sub/deep") == ["sub/deep/x"]


def test_folders_without_permission_are_passed_by(as_nobody: Path) -> None:
    for name, mode in (("a", 0o000), ("b", 0o444), ("c", 0o111), ("d", 0o755)):
        (as_nobody / name / "in").mkdir(parents=True)
        (as_nobody / name).chmod(mode)
    try:
        assert walk(Workspace(as_nobody)) == ["a", "b", "c", "d", "d/in"]
    finally:
        for name in "abc":
            (as_nobody / name).chmod(0o755)


def test_a_file_is_opened_where_the_walk_stands(work: Workspace) -> None:
    with paths.open_folder(work, ".") as folder:
        found: dict[str, bytes] = {}
        for entry in folder.walk():
            if entry.kind == "file":
                with folder.open(entry) as file:
                    found[entry.path] = file.read()
    assert found == {"note.txt": b"note", "sub/inner.txt": b"inner"}


def test_a_walk_ends_after_its_entries_and_says_so(work: Workspace) -> None:
    for index in range(20):
        (work.folder / f"sub/deep/{index:02}").write_bytes(b"")
    with paths.open_folder(work, ".") as folder:
        whole = folder.walk()
        assert len(list(whole)) == 24
        assert whole.is_complete
        part = folder.walk(entries=10)
        assert len(list(part)) == 10
        assert not part.is_complete
        exact = folder.walk(entries=24)
        assert len(list(exact)) == 24
        assert exact.is_complete


def test_a_deep_tree_takes_one_descriptor(work: Workspace) -> None:
    deep = work.folder
    for _ in range(100):
        deep = deep / "d"
    deep.mkdir(parents=True)
    before = len(os.listdir("/dev/fd"))
    with paths.open_folder(work, ".") as folder:
        most = max(len(os.listdir("/dev/fd")) for _ in folder.walk())
    assert most <= before + 2
