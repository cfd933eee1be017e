"""What lies inside the workspace is opened; everything else is refused, however it is spelled."""

import os
import resource
import socket
import stat
from pathlib import Path

import pytest
from tests.guard.files.doings import SECRET, list_names, read, refused, write

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths

pytestmark = pytest.mark.usefixtures("system")


# Inside


@pytest.mark.parametrize(
    "path",
    [
        *("note.txt", "./note.txt", ".//note.txt", "sub/../note.txt", "sub/deep/../../note.txt"),
        "././sub/.././note.txt",
    ],
)
def test_every_spelling_of_a_file_inside_opens_it(work: Workspace, path: str) -> None:
    assert read(work, path) == b"note"


def test_an_absolute_path_inside_is_allowed(work: Workspace, home: Path) -> None:
    assert read(work, str(home / "work/note.txt")) == b"note"
    assert read(work, f"/{home}//work/./sub/../note.txt") == b"note"


def test_going_out_and_back_in_by_name_is_inside(work: Workspace) -> None:
    assert read(work, "../work/note.txt") == b"note"
    assert read(work, "../nowhere/../work/sub/inner.txt") == b"inner"


def test_the_workspace_may_be_reached_through_a_link(home: Path) -> None:
    (home / "alias").symlink_to(home / "work")
    linked = Workspace(home / "alias")
    assert read(linked, "note.txt") == b"note"
    assert read(linked, str(home / "alias/note.txt")) == b"note"
    assert read(linked, str(home / "work/note.txt")) == b"note"
    assert refused(read, linked, "../secret.txt") is Kind.PATH_NOT_ALLOWED


def test_a_relative_workspace_is_taken_from_the_current_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    assert read(Workspace(Path("work")), "note.txt") == b"note"
    monkeypatch.chdir(home / "work")
    assert read(Workspace(Path()), "note.txt") == b"note"
    assert refused(read, Workspace(Path()), "../secret.txt") is Kind.PATH_NOT_ALLOWED


@pytest.mark.parametrize(
    "target", ["note.txt", "./sub/../note.txt", "{work}/note.txt", "sub/../../work/note.txt"]
)
def test_a_link_that_stays_inside_works(work: Workspace, target: str) -> None:
    (work.folder / "link").symlink_to(target.format(work=work.folder))
    assert read(work, "link") == b"note"
    (work.folder / "second").symlink_to("link")
    assert read(work, "second") == b"note"


def test_a_linked_folder_inside_works_and_its_parent_is_the_real_one(work: Workspace) -> None:
    (work.folder / "way").symlink_to("sub/deep")
    (work.folder / "sub/deep/end.txt").write_bytes(b"end")
    assert read(work, "way/end.txt") == b"end"
    assert read(work, "way/../inner.txt") == b"inner"


def test_odd_names_are_names(work: Workspace) -> None:
    for name in (
        " ",
        "a b ",
        "C:\\Windows\\win.ini",
        "..\\..\\secret.txt",
        "~a",
        "…",
        "．．",
        "%2e%2e",
        "a\nb",
    ):
        write(work, name, name.encode())
        assert read(work, name) == name.encode()
        assert (work.folder / name).read_bytes() == name.encode()


def test_a_name_of_255_bytes_works_and_256_do_not(work: Workspace) -> None:
    for name in ("n" * 255, "é" * 127 + "n"):
        write(work, name, b"long")
        assert read(work, name) == b"long"
    for name in ("n" * 256, "é" * 128):
        assert refused(read, work, name) is Kind.VALIDATION_ERROR
        assert refused(write, work, f"fresh/{name}") is Kind.VALIDATION_ERROR
    assert not (work.folder / "fresh").exists()


def test_a_deep_path_works_with_one_descriptor(work: Workspace) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 20, hard))
    try:
        write(work, "d/" * 200 + "end.txt", b"deep")
        assert read(work, "d/" * 200 + "end.txt") == b"deep"
        assert read(work, "d/" * 200 + "../" * 200 + "note.txt") == b"note"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# Outside


@pytest.mark.covers("FEAT004-NF-01", "RFC004-SC-01", "RFC004-ET-06")
@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "sub/../../secret.txt",
        "sub/deep/../../../secret.txt",
        "../work-evil/secret.txt",
        "{home}/secret.txt",
        "{home}/work-evil/secret.txt",
        "{home}/work/../secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        "/",
        "/..",
        "..",
        "/proc/self/root{home}/secret.txt",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/note.txt",
        "/proc/self/environ",
        "/dev/fd/0",
        "/dev/stdin",
        "/dev/zero",
        "~/secret.txt",
        "~",
        "../" * 64 + "etc/passwd",
    ],
)
def test_what_lies_outside_is_refused(
    work: Workspace, home: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work.folder)
    path = path.format(home=home)
    assert refused(read, work, path) is Kind.PATH_NOT_ALLOWED
    assert refused(write, work, path) is Kind.PATH_NOT_ALLOWED
    assert refused(list_names, work, path) is Kind.PATH_NOT_ALLOWED
    assert refused(paths.kind_of, work, path) is Kind.PATH_NOT_ALLOWED
    assert (home / "secret.txt").read_bytes() == SECRET


@pytest.mark.parametrize(
    "path", ["no/../../secret.txt", "note.txt/../../secret.txt", "no/thing/../../../other/../secret.txt"]
)
def test_a_path_on_its_way_out_is_told_so_wherever_it_gets_stuck(work: Workspace, path: str) -> None:
    assert refused(read, work, path) is Kind.PATH_NOT_ALLOWED
    assert refused(write, work, path) is Kind.PATH_NOT_ALLOWED
    assert refused(list_names, work, path) is Kind.PATH_NOT_ALLOWED
    assert not (work.folder / "no").exists()


def test_a_folder_is_not_made_only_to_be_left_again(work: Workspace) -> None:
    assert refused(write, work, "no/../new.txt") is Kind.FILE_NOT_FOUND
    assert sorted(os.listdir(work.folder)) == ["note.txt", "sub"]


def test_outside_nothing_is_told_of_what_is_there(work: Workspace) -> None:
    there, missing = "../secret.txt", "../nothing.txt"
    assert refused(read, work, there) is refused(read, work, missing) is Kind.PATH_NOT_ALLOWED


@pytest.mark.covers("RFC004-SC-01")
@pytest.mark.parametrize("target", ["../secret.txt", "{home}/secret.txt", "/proc/self/root{home}/secret.txt"])
def test_a_link_that_leads_out_is_refused(work: Workspace, home: Path, target: str) -> None:
    (work.folder / "link").symlink_to(target.format(home=home))
    (work.folder / "second").symlink_to("link")
    for name in ("link", "second", "./link", "sub/../link"):
        assert refused(read, work, name) is Kind.PATH_NOT_ALLOWED
        assert refused(write, work, name) is Kind.PATH_NOT_ALLOWED
    assert (home / "secret.txt").read_bytes() == SECRET


@pytest.mark.parametrize("target", ["..", "../other", "{home}", "/", "/proc/self/root", "sub/deep/../../.."])
def test_a_linked_folder_that_leads_out_is_refused(work: Workspace, home: Path, target: str) -> None:
    (work.folder / "way").symlink_to(target.format(home=home))
    for path in (
        "way/secret.txt",
        "way/other/secret.txt",
        f"way{home}/secret.txt",
        "way/new/new.txt",
        "way/",
    ):
        assert refused(read, work, path) is Kind.PATH_NOT_ALLOWED
        assert refused(write, work, path) is Kind.PATH_NOT_ALLOWED
    assert refused(list_names, work, "way") is Kind.PATH_NOT_ALLOWED
    assert not (home / "new").exists()


def test_the_links_of_proc_are_not_followed_even_inside(home: Path) -> None:
    if not os.path.exists("/proc/self/root"):
        pytest.skip("there is no /proc here")
    proc = Workspace(Path("/proc/self"))
    for path in (f"root{home}/secret.txt", f"root/{home}/secret.txt"):
        assert refused(read, proc, path) is Kind.PATH_NOT_ALLOWED
    with (home / "secret.txt").open("rb") as file:
        assert refused(read, proc, f"fd/{file.fileno()}") is Kind.PATH_NOT_ALLOWED


def test_links_in_a_circle_end(work: Workspace) -> None:
    (work.folder / "one").symlink_to("two")
    (work.folder / "two").symlink_to("one")
    (work.folder / "self").symlink_to("self/self")
    for path in ("one", "two/x", "self", "self/self"):
        assert refused(read, work, path) is Kind.PATH_NOT_ALLOWED
        assert refused(write, work, path) is Kind.PATH_NOT_ALLOWED


# Paths that name nothing


@pytest.mark.parametrize(
    "path", ["", "a\0b", "\0", "note.txt\0.png", "\ud800", "a/\udfff/b", "n" * 5000, "./" * 5000, "n" * 256]
)
def test_what_can_name_no_file_is_a_validation_error(work: Workspace, path: str) -> None:
    assert refused(read, work, path) is Kind.VALIDATION_ERROR
    assert refused(write, work, path) is Kind.VALIDATION_ERROR
    assert refused(list_names, work, path) is Kind.VALIDATION_ERROR


@pytest.mark.parametrize(
    "path",
    ["../x\0", "/etc/passwd\0.png", "sub/../../x\0", "/\ud800", "../" * 5000, "/" * 5000, "../" + "n" * 256],
)
def test_what_can_name_no_file_and_leads_out_is_denied(work: Workspace, path: str) -> None:
    for use in (read, write, list_names):
        assert refused(use, work, path) is Kind.PATH_NOT_ALLOWED
    closed = Workspace(work.folder, (Root(Path("/"), "none"),))
    assert refused(read, closed, path) is Kind.PATH_NOT_ALLOWED
    # The twin: the same path below the whole file system as a root is wrong and nothing else.
    everything = Workspace(work.folder, (Root(Path("/"), "read"),))
    assert refused(read, everything, path) is Kind.VALIDATION_ERROR


def test_a_name_that_is_not_utf8_can_be_opened(work: Workspace) -> None:
    raw = os.fsencode(work.folder) + b"/caf\xe9"
    try:
        with open(raw, "wb") as file:
            file.write(b"coffee")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert list_names(work, ".") == ["caf\udce9", "note.txt", "sub"]
    assert read(work, "caf\udce9") == b"coffee"


def test_what_is_missing_is_not_found(work: Workspace) -> None:
    (work.folder / "dangling").symlink_to("nothing")
    absolute = str(work.folder / "nothing")
    for path in ("nothing", "sub/nothing", "no/thing", "dangling", "sub/deep/.././nothing", absolute):
        assert refused(read, work, path) is Kind.FILE_NOT_FOUND
    assert refused(list_names, work, "nothing") is Kind.FILE_NOT_FOUND
    assert refused(read, Workspace(work.folder / "gone"), "x") is Kind.FILE_NOT_FOUND


def test_a_file_is_not_a_folder(work: Workspace) -> None:
    for path in ("note.txt/", "note.txt/.", "note.txt/x", "note.txt/../note.txt", "note.txt/.."):
        assert refused(read, work, path) is Kind.VALIDATION_ERROR
        assert refused(write, work, path) is Kind.VALIDATION_ERROR
    assert refused(list_names, work, "note.txt") is Kind.VALIDATION_ERROR


def test_a_folder_is_not_a_file(work: Workspace) -> None:
    for path in (".", "sub", "sub/", "sub/.", "sub/deep/.."):
        with pytest.raises(ToolError, match="list_files") as caught:
            read(work, path)
        assert caught.value.kind is Kind.VALIDATION_ERROR
        assert refused(write, work, path) is Kind.VALIDATION_ERROR


def test_pipes_sockets_and_devices_are_refused_without_waiting(work: Workspace) -> None:
    os.mkfifo(work.folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(".", os.O_RDONLY)
        os.chdir(work.folder)  # the name of a socket may be no longer than 107 bytes
        try:
            server.bind("socket")
        finally:
            os.fchdir(here)
            os.close(here)
    names = ["pipe", "socket"]
    if os.geteuid() == 0:
        os.mknod(work.folder / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        names.append("zero")
    for name in names:
        assert refused(read, work, name) is Kind.VALIDATION_ERROR
        assert refused(write, work, name) is Kind.VALIDATION_ERROR


def test_permissions_of_the_system_hold(monkeypatch: pytest.MonkeyPatch, as_nobody: Path) -> None:
    folder = as_nobody
    for name, mode in (("closed", 0o000), ("fixed", 0o444)):
        (folder / name).write_bytes(b"x")
        (folder / name).chmod(mode)
    (folder / "shut").mkdir(mode=0o555)
    work = Workspace(folder)
    assert refused(read, work, "closed") is Kind.PERMISSION_DENIED
    assert refused(write, work, "fixed") is Kind.PERMISSION_DENIED
    assert refused(write, work, "shut/new") is Kind.PERMISSION_DENIED
    assert read(work, "fixed") == b"x"
