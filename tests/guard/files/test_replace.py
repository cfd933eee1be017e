"""A file is replaced whole or not at all, keeps its permissions, and no change is lost."""

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.ordinary import run_as_ordinary

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths, replace

pytestmark = pytest.mark.usefixtures("system")


def write(workspace: Workspace, path: str, data: bytes = b"new") -> None:
    paths.replace_file(workspace, path, data, go_on)


def append(workspace: Workspace, path: str, data: bytes) -> None:
    def change(old: BinaryIO | None, new: BinaryIO) -> None:
        new.write((old.read() if old else b"") + data)

    paths.change_file(workspace, path, change, go_on)


def go_on() -> None:
    """The call has not been cancelled."""


def stop() -> None:
    raise ToolError("The call was cancelled.", Kind.CANCELLED)


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_new_file_gets_its_folders_and_the_usual_mode(work: Workspace) -> None:
    before = os.umask(0o027)
    try:
        write(work, "one/two/three.txt", b"deep")
    finally:
        os.umask(before)
    made = work.folder / "one/two/three.txt"
    assert made.read_bytes() == b"deep"
    assert stat.S_IMODE(made.stat().st_mode) == 0o640
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o750
    assert everything(work.folder / "one") == ["two", "two/three.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o666])
def test_an_existing_file_keeps_its_mode(work: Workspace, mode: int) -> None:
    note = work.folder / "note.txt"
    note.chmod(mode)
    write(work, "note.txt")
    append(work, "note.txt", b" more")
    assert note.read_bytes() == b"new more"
    assert stat.S_IMODE(note.stat().st_mode) == mode


def change_read_only(work: Workspace) -> bytes:
    note = work.folder / "note.txt"
    note.chmod(0o444)
    for change in (lambda: write(work, "note.txt"), lambda: append(work, "note.txt", b" more")):
        with suppress(ToolError):
            change()
    return note.read_bytes()


def test_a_read_only_file_is_not_replaced_not_even_by_root(work: Workspace) -> None:
    before = (work.folder / "note.txt").read_bytes()
    assert change_read_only(work) == before
    with pytest.raises(ToolError, match=r"note\.txt.* read-only.*writable") as caught:
        write(work, "note.txt")
    assert caught.value.kind is Kind.PERMISSION_DENIED
    (work.folder / "note.txt").chmod(0o644)
    write(work, "note.txt")
    assert (work.folder / "note.txt").read_bytes() == b"new"


def test_without_the_check_root_replaces_a_read_only_file(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("the system stops all but root")

    def allow(mode: int, path: str) -> None: ...

    monkeypatch.setattr(paths, "need_write_bit", allow)
    assert change_read_only(work) == b"new more"


def test_a_changed_program_no_longer_runs_with_its_owners_rights(work: Workspace) -> None:
    note = work.folder / "note.txt"
    note.chmod(0o6755)
    write(work, "note.txt")
    assert stat.S_IMODE(note.stat().st_mode) == 0o755


def test_a_file_keeps_its_owner(work: Workspace) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a file away takes root")
    note = work.folder / "note.txt"
    os.chown(note, 65534, 65534)
    write(work, "note.txt")
    assert (note.stat().st_uid, note.stat().st_gid) == (65534, 65534)


def test_a_link_keeps_pointing_and_its_target_is_written(work: Workspace) -> None:
    (work.folder / "link").symlink_to("note.txt")
    (work.folder / "dangling").symlink_to("sub/made.txt")
    write(work, "link", b"through")
    write(work, "dangling", b"made")
    assert os.readlink(work.folder / "link") == "note.txt"
    assert (work.folder / "note.txt").read_bytes() == b"through"
    assert (work.folder / "sub/made.txt").read_bytes() == b"made"


def test_a_change_that_fails_leaves_the_old_content_and_nothing_else(work: Workspace) -> None:
    before = everything(work.folder)

    def fail(old: BinaryIO | None, new: BinaryIO) -> None:
        new.write(b"half of the new cont")
        new.flush()
        raise ToolError("no")

    for path in ("note.txt", "fresh.txt"):
        with pytest.raises(ToolError, match="no"):
            paths.change_file(work, path, fail, go_on)
    assert everything(work.folder) == before
    assert (work.folder / "note.txt").read_bytes() == b"note"


def test_a_cancelled_write_never_lands(work: Workspace) -> None:
    before = everything(work.folder)
    for path in ("note.txt", "fresh.txt", "new/folder/file.txt"):
        with pytest.raises(ToolError, match="cancelled"):
            paths.replace_file(work, path, b"too late", stop)
    assert everything(work.folder) == before
    assert (work.folder / "note.txt").read_bytes() == b"note"


def test_a_write_cancelled_while_its_content_is_written_never_lands(work: Workspace) -> None:
    is_over = threading.Event()

    def change(old: BinaryIO | None, new: BinaryIO) -> None:
        new.write(b"too late")
        is_over.set()

    def check() -> None:
        if is_over.is_set():
            stop()

    with pytest.raises(ToolError, match="cancelled"):
        paths.change_file(work, "note.txt", change, check)
    assert (work.folder / "note.txt").read_bytes() == b"note"
    paths.change_file(work, "note.txt", change, go_on)  # twin: without the check it lands
    assert (work.folder / "note.txt").read_bytes() == b"too late"


def test_what_a_killed_writer_left_is_taken_away(work: Workspace, system: str) -> None:
    if system == "linux":
        write(work, "note.txt")  # find the name beside by letting it be in the way
        names = [name for name in os.listdir(work.folder) if name.startswith(replace.PREFIX)]
        assert names == []
        folder = os.open(work.folder, os.O_RDONLY)
        try:
            fd, beside = replace.create(folder, "note.txt", 0o600, replace.UNNAMED)
            os.close(fd)
        finally:
            os.close(folder)
    else:
        beside = f"{replace.PREFIX}0123456789abcdef{replace.SUFFIX}"
    left = work.folder / beside
    left.write_bytes(b"left behind")
    os.utime(left, (1, 1))
    write(work, "note.txt", b"after")
    assert not left.exists()
    assert (work.folder / "note.txt").read_bytes() == b"after"


def test_a_young_file_of_another_writer_is_left_alone(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replace, "UNNAMED", None)
    other = work.folder / f"{replace.PREFIX}0123456789abcdef{replace.SUFFIX}"
    other.write_bytes(b"being written")
    write(work, "note.txt")
    assert other.read_bytes() == b"being written"


def test_where_a_file_cannot_take_a_name_later_it_has_one_from_the_start(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write(work, "note.txt", b"old name")
    write(work, "fresh.txt", b"new name")
    assert (work.folder / "note.txt").read_bytes() == b"old name"
    assert (work.folder / "fresh.txt").read_bytes() == b"new name"
    assert everything(work.folder) == ["fresh.txt", "note.txt", "sub", "sub/deep", "sub/inner.txt"]


def append_at_once(work: Workspace) -> bytes:
    """Two threads append to one file under two names, the second while the first is at work."""
    is_reading, is_waiting = threading.Event(), threading.Event()

    def first(old: BinaryIO | None, new: BinaryIO) -> None:
        content = old.read() if old else b""
        is_reading.set()
        assert is_waiting.wait(10)
        new.write(content + b" first")

    def second(old: BinaryIO | None, new: BinaryIO) -> None:
        new.write((old.read() if old else b"") + b" second")

    one = threading.Thread(target=paths.change_file, args=(work, "note.txt", first, go_on))
    one.start()
    assert is_reading.wait(10)
    # Whoever waits for the lock asks again and again whether to go on.
    paths_seen: list[int] = []

    def wait() -> None:
        paths_seen.append(1)
        if len(paths_seen) > 1:
            is_waiting.set()

    paths.change_file(work, "./sub/../note.txt", second, wait)
    is_waiting.set()
    one.join(10)
    return (work.folder / "note.txt").read_bytes()


def test_two_appends_at_once_are_both_kept(work: Workspace) -> None:
    assert append_at_once(work) == b"note first second"


def test_without_the_lock_one_of_two_appends_is_lost(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_lock(folder: int, check: replace.CheckBefore) -> None:
        """Nobody waits."""

    monkeypatch.setattr(replace, "lock", no_lock)
    assert append_at_once(work) == b"note first"


def test_a_plain_write_waits_for_a_change_under_way(work: Workspace) -> None:
    is_reading, is_waiting = threading.Event(), threading.Event()

    def slow(old: BinaryIO | None, new: BinaryIO) -> None:
        content = old.read() if old else b""
        is_reading.set()
        assert is_waiting.wait(10)
        new.write(content + b" changed")

    one = threading.Thread(target=paths.change_file, args=(work, "note.txt", slow, go_on))
    one.start()
    assert is_reading.wait(10)
    asked: list[bytes] = []

    def wait() -> None:
        asked.append((work.folder / "note.txt").read_bytes())
        if len(asked) > 2:
            is_waiting.set()

    paths.replace_file(work, "note.txt", b"overwritten", wait)
    one.join(10)
    assert set(asked[:3]) == {b"note"}
    assert (work.folder / "note.txt").read_bytes() == b"overwritten"


@pytest.mark.slow
def test_all_of_this_holds_for_an_ordinary_user() -> None:
    run_as_ordinary(__file__)
