"""Whatever is exchanged on the way down, nothing outside comes out; without a piece of the guard it does."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.guard.files.doings import SECRET, read, refused

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, RootAccess, Workspace
from oneclaw.guard.files import descent, paths, places
from oneclaw.guard.files.places import Identity

pytestmark = pytest.mark.usefixtures("system")


def test_a_pipe_put_in_place_at_the_last_moment_is_refused_too(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange_after_status(
        monkeypatch, lambda: os.mkfifo(work.folder / "pipe"), work.folder / "note.txt", "pipe"
    )
    assert refused(read, work, "note.txt") is Kind.VALIDATION_ERROR
    monkeypatch.setattr(paths, "need_regular", allow)  # twin
    assert read(work, "note.txt") == b""


def test_without_nofollow_on_the_way_a_link_leads_out(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work.folder / "way").symlink_to("..")
    assert refused(read, work, "way/secret.txt") is Kind.PATH_NOT_ALLOWED
    monkeypatch.setattr(descent, "PASS", descent.PASS & ~os.O_NOFOLLOW)
    assert read(work, "way/secret.txt") == SECRET


def test_without_nofollow_at_the_end_an_exchanged_link_leads_out(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = home / "secret.txt"
    exchange_after_status(
        monkeypatch, lambda: (work.folder / "link").symlink_to(target), work.folder / "note.txt", "link"
    )
    assert refused(read, work, "note.txt") is Kind.EXECUTION_ERROR
    monkeypatch.setattr(paths, "_FLAGS", 0)
    assert read(work, "note.txt") == SECRET


def test_without_identities_a_closed_root_is_open_through_a_link(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "work/state").mkdir()
    (home / "work/state/db").write_bytes(SECRET)
    os.link(home / "work/state/db", home / "work/state/second")
    closed = Workspace(work.folder, (Root(home / "work/state", "none"),))
    assert refused(read, closed, "state/db") is Kind.PATH_NOT_ALLOWED
    monkeypatch.setattr(places.ProtectedPlaces, "access_below", inherit)
    monkeypatch.setattr(paths, "Links", AllInside)
    assert read(closed, "state/db") == SECRET


def allow(mode: int, path: str) -> None:
    """Takes everything for a regular file."""


def inherit(
    self: places.ProtectedPlaces, folder: Identity, name: str, found: Identity | None, inherited: RootAccess
) -> RootAccess:
    """Knows no root but the workspace."""
    return inherited


class AllInside:
    """Takes every file for one without names outside."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def are_inside(self, fd: int) -> bool:
        return True


def test_if_every_folder_were_a_root_the_way_up_would_be_open(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused(read, work, "../secret.txt") is Kind.PATH_NOT_ALLOWED

    def is_a_root(self: places.ProtectedPlaces, path: str) -> str:
        return path

    def is_open(self: places.ProtectedPlaces, found: Identity) -> RootAccess:
        return "write"

    monkeypatch.setattr(places.ProtectedPlaces, "at", is_a_root)
    monkeypatch.setattr(places.ProtectedPlaces, "access", is_open)
    assert read(work, "../secret.txt") == SECRET


def test_a_folder_moved_away_on_the_way_does_not_lead_out(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = descent.Descent.look

    def look_and_move(self: descent.Descent, name: str) -> descent.Below:
        below = look(self, name)
        if name == "deep":
            os.rename(home / "work/sub/deep", home / "other/deep")
        return below

    def leave_blindly(self: descent.Descent) -> None:
        fd = os.open("..", descent.PASS, dir_fd=self.fd)
        self.go(descent.Below(fd, self.here))

    monkeypatch.setattr(descent.Descent, "look", look_and_move)
    assert refused(read, work, "sub/deep/../secret.txt") is Kind.EXECUTION_ERROR
    os.rename(home / "other/deep", home / "work/sub/deep")
    monkeypatch.setattr(descent.Descent, "leave", leave_blindly)  # twin
    assert read(work, "sub/deep/../secret.txt") == SECRET


def test_the_message_never_carries_what_does_not_show(work: Workspace) -> None:
    with pytest.raises(ToolError) as caught:
        read(work, "a\n\u202eb\x1b[31m")
    assert caught.value.message.isprintable()
    with pytest.raises(ToolError) as caught:
        read(work, "x/" * 2000)
    assert len(caught.value.message) < 400


def exchange_after_status(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], object], file: Path, other: str
) -> None:
    """Whoever looks at `file` finds it as it is; before it is opened, something else has taken its name."""
    make()
    plain = file.read_bytes()
    status = descent.Descent.status

    def status_and_exchange(self: descent.Descent, name: str) -> os.stat_result | None:
        if name != file.name:
            return status(self, name)
        if file.is_symlink() or not file.is_file():
            os.rename(file, file.parent / other)
            file.write_bytes(plain)
        answer = status(self, name)
        os.replace(file.parent / other, file)
        return answer

    monkeypatch.setattr(descent.Descent, "status", status_and_exchange)
