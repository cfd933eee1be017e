"""A root holds in every spelling: through links, mounts, hard links, and before it is there."""

import os
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from tests.guard.files.doings import SECRET, list_names, read, refused, write

from oneclaw.core.errors import Kind
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import places

pytestmark = pytest.mark.usefixtures("system")


def test_a_closed_root_is_closed_in_every_spelling(work: Workspace, home: Path) -> None:
    state = home / "work/state"
    (state / "deep").mkdir(parents=True)
    for name in ("state/db", "state/deep/db"):
        (home / "work" / name).write_bytes(SECRET)
    (home / "work/way").symlink_to("state")
    (home / "work/inner").symlink_to("state/deep")
    (home / "work/direct").symlink_to(state / "db")
    (home / "alias").symlink_to(home / "work")
    for named in (state, home / "alias/state", home / "work/sub/../state"):
        closed = Workspace(work.folder, (Root(named, "none"),))
        for path in (
            *("state/db", "./state/db", "sub/../state/db", "state/deep/../db", "way/db", "way/deep/db"),
            *("inner/db", "direct", str(state / "db"), "state/nothing", "state/no/thing", "state/db/x"),
        ):
            assert refused(read, closed, path) is Kind.PATH_NOT_ALLOWED, path
            assert refused(write, closed, path) is Kind.PATH_NOT_ALLOWED, path
        assert refused(list_names, closed, "state") is Kind.PATH_NOT_ALLOWED
        assert read(closed, "state/../note.txt") == b"note"
    assert sorted(path.name for path in state.rglob("*")) == ["db", "db", "deep"]


def test_a_link_in_a_closed_root_is_not_followed(work: Workspace, home: Path) -> None:
    (home / "work/state").mkdir()
    (home / "work/state/link").symlink_to("../note.txt")
    closed = Workspace(work.folder, (Root(home / "work/state", "none"),))
    assert refused(read, closed, "state/link") is Kind.PATH_NOT_ALLOWED


def test_a_closed_root_holds_through_a_bind_mount(work: Workspace, home: Path) -> None:
    (home / "work/state").mkdir()
    (home / "work/state/db").write_bytes(SECRET)
    (home / "work/bound").mkdir()
    closed = Workspace(work.folder, (Root(home / "work/state", "none"),))
    mount = ["mount", "--bind", str(home / "work/state"), str(home / "work/bound")]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting takes root")
    try:
        assert refused(read, closed, "bound/db") is Kind.PATH_NOT_ALLOWED
        assert read(work, "bound/db") == SECRET
    finally:
        subprocess.run(["umount", str(home / "work/bound")], check=True)


def test_a_read_root_inside_may_be_read_and_not_written(work: Workspace, home: Path) -> None:
    kept = Workspace(work.folder, (Root(home / "work/sub", "read"),))
    (home / "work/way").symlink_to("sub")
    assert read(kept, "sub/inner.txt") == read(kept, "way/inner.txt") == b"inner"
    for path in ("sub/inner.txt", "way/inner.txt", "sub/new.txt", "way/new/new.txt", "sub/deep/new.txt"):
        assert refused(write, kept, path) is Kind.PATH_NOT_ALLOWED
    assert sorted(os.listdir(home / "work/sub")) == ["deep", "inner.txt"]


def test_a_file_can_be_a_root(work: Workspace, home: Path) -> None:
    settings = home / "work/oneclaw.toml"
    settings.write_bytes(b"mode = 'ask'")
    (home / "work/link").symlink_to("oneclaw.toml")
    os.link(settings, home / "work/hard")
    kept = Workspace(work.folder, (Root(settings, "read"), Root(home / "work/note.txt", "none")))
    for path in ("oneclaw.toml", "link", "hard", str(settings)):
        assert read(kept, path) == b"mode = 'ask'"
        assert refused(write, kept, path) is Kind.PATH_NOT_ALLOWED, path
    assert refused(read, kept, "note.txt") is Kind.PATH_NOT_ALLOWED
    assert read(kept, "sub/inner.txt") == b"inner"
    assert settings.read_bytes() == b"mode = 'ask'"


@pytest.mark.parametrize("access", ["none", "read"])
def test_a_root_that_is_not_there_yet_cannot_be_made_by_a_tool(
    work: Workspace, home: Path, access: Literal["none", "read"]
) -> None:
    (home / "work/hidden").mkdir()
    roots = (Root(home / "work/oneclaw.toml", access), Root(home / "work/.oneclaw/tools", access))
    kept = Workspace(work.folder, roots)
    (home / "work/link").symlink_to("oneclaw.toml")
    for path in (
        *("oneclaw.toml", "./oneclaw.toml", "OneClaw.TOML", "link", ".oneclaw/tools"),
        ".oneclaw/tools/evil.py",
        *(".oneclaw/other/../tools/evil.py", ".oneclaw/TOOLS/evil.py", str(home / "work/oneclaw.toml")),
    ):
        expected = Kind.FILE_NOT_FOUND if "/../" in path else Kind.PATH_NOT_ALLOWED
        assert refused(write, kept, path) is expected, path
    assert not (home / "work/oneclaw.toml").exists()
    assert not (home / "work/.oneclaw/tools").exists()
    write(kept, ".oneclaw/other/fine.txt")
    write(kept, "sub/oneclaw.toml")


def test_without_its_name_a_missing_root_could_be_made(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Workspace(work.folder, (Root(home / "work/oneclaw.toml", "read"),))

    def forget(name: str) -> object:
        return object()

    monkeypatch.setattr(places, "fold", forget)  # twin: no name is ever found again
    write(kept, "oneclaw.toml", b"mode = 'auto'")
    assert (home / "work/oneclaw.toml").read_bytes() == b"mode = 'auto'"


def test_the_most_specific_root_decides(work: Workspace, home: Path) -> None:
    spill = home / "work/state/spill"
    (spill / "drop").mkdir(parents=True)
    (spill / "long.txt").write_bytes(b"long")
    roots = (Root(home / "work/state", "none"), Root(spill, "read"), Root(spill / "drop", "write"))
    for chosen in (roots, roots[::-1]):
        nested = Workspace(work.folder, chosen)
        assert read(nested, "state/spill/long.txt") == read(nested, str(spill / "long.txt")) == b"long"
        assert refused(write, nested, "state/spill/long.txt") is Kind.PATH_NOT_ALLOWED
        write(nested, "state/spill/drop/new.txt", b"new")
        assert refused(read, nested, "state/x") is Kind.PATH_NOT_ALLOWED
        assert refused(read, nested, "state/spill/../x") is Kind.PATH_NOT_ALLOWED


def test_a_root_can_narrow_the_whole_workspace_and_the_narrower_of_two_holds(work: Workspace) -> None:
    fixed = Workspace(work.folder, (Root(work.folder, "read"), Root(work.folder, "write")))
    assert read(fixed, "note.txt") == b"note"
    assert refused(write, fixed, "note.txt") is Kind.PATH_NOT_ALLOWED


@pytest.mark.covers("FEAT004-NF-01")
def test_roots_outside_widen_the_workspace(work: Workspace, home: Path) -> None:
    (home / "drop").mkdir()
    (home / "other/deep").mkdir()
    (home / "work/way").symlink_to(home / "other")
    wide = Workspace(
        work.folder,
        (Root(home / "other", "read"), Root(home / "drop", "write"), Root(home / "secret.txt", "read")),
    )
    for path in (
        str(home / "other/secret.txt"),
        "../other/secret.txt",
        "way/secret.txt",
        "way/deep/../secret.txt",
    ):
        assert read(wide, path) == SECRET
        assert refused(write, wide, path) is Kind.PATH_NOT_ALLOWED
    assert list_names(wide, str(home / "other")) == ["deep", "secret.txt"]
    write(wide, str(home / "drop/sub/new.txt"), b"new")
    assert (home / "drop/sub/new.txt").read_bytes() == b"new"
    assert read(wide, "../secret.txt") == read(wide, str(home / "secret.txt")) == SECRET
    assert refused(write, wide, "../secret.txt") is Kind.PATH_NOT_ALLOWED
    for path in (
        "..",
        str(home),
        str(home / "work-evil/secret.txt"),
        "../work-evil/secret.txt",
        "../other/../x",
    ):
        assert refused(read, wide, path) is Kind.PATH_NOT_ALLOWED, path
    assert refused(list_names, wide, "..") is Kind.PATH_NOT_ALLOWED


def test_a_root_exchanged_by_its_owner_stays_closed(work: Workspace, home: Path) -> None:
    secret = home / "work/.env"
    secret.write_bytes(SECRET)
    closed = Workspace(work.folder, (Root(secret, "none"),))
    assert refused(read, closed, ".env") is Kind.PATH_NOT_ALLOWED
    (home / "work/fresh").write_bytes(SECRET)
    os.replace(home / "work/fresh", secret)
    assert refused(read, closed, ".env") is Kind.PATH_NOT_ALLOWED
