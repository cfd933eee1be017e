"""What lies inside the workspace and its roots is opened; everything else is refused, however it is spelled."""

import os
import resource
import socket
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard import descent, paths, places, replace

SECRET = b"the secret that lies outside"


@pytest.fixture(autouse=True, params=["linux", "portable"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test runs twice: with what Linux offers, and with what every POSIX system has."""
    if request.param == "portable":
        monkeypatch.setattr(descent, "PASS", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        monkeypatch.setattr(replace, "UNNAMED", None)
    elif not hasattr(os, "O_PATH"):
        pytest.skip("this system has no O_PATH")
    return str(request.param)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a workspace `work` and, beside it, what must not be reached."""
    for folder in ("work/sub/deep", "work-evil", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "work/note.txt").write_bytes(b"note")
    (tmp_path / "work/sub/inner.txt").write_bytes(b"inner")
    for name in ("secret.txt", "work-evil/secret.txt", "other/secret.txt"):
        (tmp_path / name).write_bytes(SECRET)
    return tmp_path


@pytest.fixture
def work(home: Path) -> Workspace:
    return Workspace(home / "work")


def read(workspace: Workspace, path: str) -> bytes:
    with paths.open_file(workspace, path) as file:
        return file.read()


def write(workspace: Workspace, path: str, data: bytes = b"new") -> None:
    paths.replace_file(workspace, path, data, lambda: None)


def list_names(workspace: Workspace, path: str) -> list[str]:
    with paths.open_folder(workspace, path) as folder:
        return [entry.name for entry in folder.walk(lambda entry: False)]


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of a user without special rights, and the rest of the test run as that user."""
    if os.geteuid() != 0:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)
            os.setegid(0)


def refused(do: Callable[[], object]) -> Kind:
    with pytest.raises(ToolError) as caught:
        do()
    assert caught.value.message
    assert "\n" not in caught.value.message
    return caught.value.kind


# Inside


@pytest.mark.parametrize(
    "path",
    [
        "note.txt",
        "./note.txt",
        ".//note.txt",
        "sub/../note.txt",
        "sub/deep/../../note.txt",
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
    assert refused(lambda: read(linked, "../secret.txt")) is Kind.PATH_NOT_ALLOWED


def test_a_relative_workspace_is_taken_from_the_current_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    assert read(Workspace(Path("work")), "note.txt") == b"note"
    monkeypatch.chdir(home / "work")
    assert read(Workspace(Path()), "note.txt") == b"note"
    assert refused(lambda: read(Workspace(Path()), "../secret.txt")) is Kind.PATH_NOT_ALLOWED


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
        assert refused(lambda name=name: read(work, name)) is Kind.VALIDATION_ERROR
        assert refused(lambda name=name: write(work, f"fresh/{name}")) is Kind.VALIDATION_ERROR
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
    assert refused(lambda: read(work, path)) is Kind.PATH_NOT_ALLOWED
    assert refused(lambda: write(work, path)) is Kind.PATH_NOT_ALLOWED
    assert refused(lambda: list_names(work, path)) is Kind.PATH_NOT_ALLOWED
    assert refused(lambda: paths.kind_of(work, path)) is Kind.PATH_NOT_ALLOWED
    assert (home / "secret.txt").read_bytes() == SECRET


def test_outside_nothing_is_told_of_what_is_there(work: Workspace) -> None:
    there, missing = "../secret.txt", "../nothing.txt"
    assert refused(lambda: read(work, there)) is refused(lambda: read(work, missing)) is Kind.PATH_NOT_ALLOWED


@pytest.mark.parametrize("target", ["../secret.txt", "{home}/secret.txt", "/proc/self/root{home}/secret.txt"])
def test_a_link_that_leads_out_is_refused(work: Workspace, home: Path, target: str) -> None:
    (work.folder / "link").symlink_to(target.format(home=home))
    (work.folder / "second").symlink_to("link")
    for name in ("link", "second", "./link", "sub/../link"):
        assert refused(lambda name=name: read(work, name)) is Kind.PATH_NOT_ALLOWED
        assert refused(lambda name=name: write(work, name)) is Kind.PATH_NOT_ALLOWED
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
        assert refused(lambda path=path: read(work, path)) is Kind.PATH_NOT_ALLOWED
        assert refused(lambda path=path: write(work, path)) is Kind.PATH_NOT_ALLOWED
    assert refused(lambda: list_names(work, "way")) is Kind.PATH_NOT_ALLOWED
    assert not (home / "new").exists()


def test_the_links_of_proc_are_not_followed_even_inside(home: Path) -> None:
    if not os.path.exists("/proc/self/root"):
        pytest.skip("there is no /proc here")
    proc = Workspace(Path("/proc/self"))
    for path in (f"root{home}/secret.txt", f"root/{home}/secret.txt"):
        assert refused(lambda path=path: read(proc, path)) is Kind.PATH_NOT_ALLOWED
    with (home / "secret.txt").open("rb") as file:
        assert refused(lambda: read(proc, f"fd/{file.fileno()}")) is Kind.PATH_NOT_ALLOWED


def test_links_in_a_circle_end(work: Workspace) -> None:
    (work.folder / "one").symlink_to("two")
    (work.folder / "two").symlink_to("one")
    (work.folder / "self").symlink_to("self/self")
    for path in ("one", "two/x", "self", "self/self"):
        assert refused(lambda path=path: read(work, path)) is Kind.PATH_NOT_ALLOWED
        assert refused(lambda path=path: write(work, path)) is Kind.PATH_NOT_ALLOWED


# Paths that name nothing


@pytest.mark.parametrize(
    "path", ["", "a\0b", "\0", "note.txt\0.png", "\ud800", "a/\udfff/b", "n" * 5000, "/" * 5000]
)
def test_what_can_name_no_file_is_a_validation_error(work: Workspace, path: str) -> None:
    assert refused(lambda: read(work, path)) is Kind.VALIDATION_ERROR
    assert refused(lambda: write(work, path)) is Kind.VALIDATION_ERROR
    assert refused(lambda: list_names(work, path)) is Kind.VALIDATION_ERROR


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
    for path in ("nothing", "sub/nothing", "no/thing", "dangling", "sub/deep/.././nothing"):
        assert refused(lambda path=path: read(work, path)) is Kind.FILE_NOT_FOUND
    assert refused(lambda: list_names(work, "nothing")) is Kind.FILE_NOT_FOUND
    assert refused(lambda: read(Workspace(work.folder / "gone"), "x")) is Kind.FILE_NOT_FOUND


def test_a_file_is_not_a_folder(work: Workspace) -> None:
    for path in ("note.txt/", "note.txt/.", "note.txt/x", "note.txt/../note.txt", "note.txt/.."):
        assert refused(lambda path=path: read(work, path)) is Kind.VALIDATION_ERROR
        assert refused(lambda path=path: write(work, path)) is Kind.VALIDATION_ERROR
    assert refused(lambda: list_names(work, "note.txt")) is Kind.VALIDATION_ERROR


def test_a_folder_is_not_a_file(work: Workspace) -> None:
    for path in (".", "sub", "sub/", "sub/.", "sub/deep/.."):
        with pytest.raises(ToolError, match="list_files") as caught:
            read(work, path)
        assert caught.value.kind is Kind.VALIDATION_ERROR
        assert refused(lambda path=path: write(work, path)) is Kind.VALIDATION_ERROR


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
        assert refused(lambda name=name: read(work, name)) is Kind.VALIDATION_ERROR
        assert refused(lambda name=name: write(work, name)) is Kind.VALIDATION_ERROR


def test_a_pipe_put_in_place_at_the_last_moment_is_refused_too(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange_after_status(
        monkeypatch, lambda: os.mkfifo(work.folder / "pipe"), work.folder / "note.txt", "pipe"
    )
    assert refused(lambda: read(work, "note.txt")) is Kind.VALIDATION_ERROR
    monkeypatch.setattr(paths, "need_regular", lambda mode, path: None)  # twin
    assert read(work, "note.txt") == b""


def test_permissions_of_the_system_hold(monkeypatch: pytest.MonkeyPatch, as_nobody: Path) -> None:
    folder = as_nobody
    for name, mode in (("closed", 0o000), ("fixed", 0o444)):
        (folder / name).write_bytes(b"x")
        (folder / name).chmod(mode)
    (folder / "shut").mkdir(mode=0o555)
    work = Workspace(folder)
    assert refused(lambda: read(work, "closed")) is Kind.PERMISSION_DENIED
    assert refused(lambda: write(work, "fixed")) is Kind.PERMISSION_DENIED
    assert refused(lambda: write(work, "shut/new")) is Kind.PERMISSION_DENIED
    assert read(work, "fixed") == b"x"


# Roots


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
            assert refused(lambda path=path: read(closed, path)) is Kind.PATH_NOT_ALLOWED, path
            assert refused(lambda path=path: write(closed, path)) is Kind.PATH_NOT_ALLOWED, path
        assert refused(lambda: list_names(closed, "state")) is Kind.PATH_NOT_ALLOWED
        assert read(closed, "state/../note.txt") == b"note"
    assert sorted(path.name for path in state.rglob("*")) == ["db", "db", "deep"]


def test_a_link_in_a_closed_root_is_not_followed(work: Workspace, home: Path) -> None:
    (home / "work/state").mkdir()
    (home / "work/state/link").symlink_to("../note.txt")
    closed = Workspace(work.folder, (Root(home / "work/state", "none"),))
    assert refused(lambda: read(closed, "state/link")) is Kind.PATH_NOT_ALLOWED


def test_a_closed_root_holds_through_a_bind_mount(work: Workspace, home: Path) -> None:
    (home / "work/state").mkdir()
    (home / "work/state/db").write_bytes(SECRET)
    (home / "work/bound").mkdir()
    closed = Workspace(work.folder, (Root(home / "work/state", "none"),))
    mount = ["mount", "--bind", str(home / "work/state"), str(home / "work/bound")]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting takes root")
    try:
        assert refused(lambda: read(closed, "bound/db")) is Kind.PATH_NOT_ALLOWED
        assert read(work, "bound/db") == SECRET
    finally:
        subprocess.run(["umount", str(home / "work/bound")], check=True)


def test_a_read_root_inside_may_be_read_and_not_written(work: Workspace, home: Path) -> None:
    kept = Workspace(work.folder, (Root(home / "work/sub", "read"),))
    (home / "work/way").symlink_to("sub")
    assert read(kept, "sub/inner.txt") == read(kept, "way/inner.txt") == b"inner"
    for path in ("sub/inner.txt", "way/inner.txt", "sub/new.txt", "way/new/new.txt", "sub/deep/new.txt"):
        assert refused(lambda path=path: write(kept, path)) is Kind.PATH_NOT_ALLOWED
    assert sorted(os.listdir(home / "work/sub")) == ["deep", "inner.txt"]


def test_a_file_can_be_a_root(work: Workspace, home: Path) -> None:
    settings = home / "work/oneclaw.toml"
    settings.write_bytes(b"mode = 'ask'")
    (home / "work/link").symlink_to("oneclaw.toml")
    os.link(settings, home / "work/hard")
    kept = Workspace(work.folder, (Root(settings, "read"), Root(home / "work/note.txt", "none")))
    for path in ("oneclaw.toml", "link", "hard", str(settings)):
        assert read(kept, path) == b"mode = 'ask'"
        assert refused(lambda path=path: write(kept, path)) is Kind.PATH_NOT_ALLOWED, path
    assert refused(lambda: read(kept, "note.txt")) is Kind.PATH_NOT_ALLOWED
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
        *(
            "oneclaw.toml",
            "./oneclaw.toml",
            "OneClaw.TOML",
            "link",
            ".oneclaw/tools",
            ".oneclaw/tools/evil.py",
        ),
        *(".oneclaw/other/../tools/evil.py", ".oneclaw/TOOLS/evil.py", str(home / "work/oneclaw.toml")),
    ):
        assert refused(lambda path=path: write(kept, path)) is Kind.PATH_NOT_ALLOWED, path
    assert not (home / "work/oneclaw.toml").exists()
    assert not (home / "work/.oneclaw/tools").exists()
    write(kept, ".oneclaw/other/fine.txt")
    write(kept, "sub/oneclaw.toml")


def test_without_its_name_a_missing_root_could_be_made(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Workspace(work.folder, (Root(home / "work/oneclaw.toml", "read"),))
    monkeypatch.setattr(places, "fold", lambda name: object())  # twin: no name is ever found again
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
        assert refused(lambda nested=nested: write(nested, "state/spill/long.txt")) is Kind.PATH_NOT_ALLOWED
        write(nested, "state/spill/drop/new.txt", b"new")
        assert refused(lambda nested=nested: read(nested, "state/x")) is Kind.PATH_NOT_ALLOWED
        assert refused(lambda nested=nested: read(nested, "state/spill/../x")) is Kind.PATH_NOT_ALLOWED


def test_a_root_can_narrow_the_whole_workspace_and_the_narrower_of_two_holds(work: Workspace) -> None:
    fixed = Workspace(work.folder, (Root(work.folder, "read"), Root(work.folder, "write")))
    assert read(fixed, "note.txt") == b"note"
    assert refused(lambda: write(fixed, "note.txt")) is Kind.PATH_NOT_ALLOWED


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
        assert refused(lambda path=path: write(wide, path)) is Kind.PATH_NOT_ALLOWED
    assert list_names(wide, str(home / "other")) == ["deep", "secret.txt"]
    write(wide, str(home / "drop/sub/new.txt"), b"new")
    assert (home / "drop/sub/new.txt").read_bytes() == b"new"
    assert read(wide, "../secret.txt") == read(wide, str(home / "secret.txt")) == SECRET
    assert refused(lambda: write(wide, "../secret.txt")) is Kind.PATH_NOT_ALLOWED
    for path in (
        "..",
        str(home),
        str(home / "work-evil/secret.txt"),
        "../work-evil/secret.txt",
        "../other/../x",
    ):
        assert refused(lambda path=path: read(wide, path)) is Kind.PATH_NOT_ALLOWED, path
    assert refused(lambda: list_names(wide, "..")) is Kind.PATH_NOT_ALLOWED


def test_a_root_exchanged_by_its_owner_stays_closed(work: Workspace, home: Path) -> None:
    secret = home / "work/.env"
    secret.write_bytes(SECRET)
    closed = Workspace(work.folder, (Root(secret, "none"),))
    assert refused(lambda: read(closed, ".env")) is Kind.PATH_NOT_ALLOWED
    (home / "work/fresh").write_bytes(SECRET)
    os.replace(home / "work/fresh", secret)
    assert refused(lambda: read(closed, ".env")) is Kind.PATH_NOT_ALLOWED


# Twins: with one piece of the guard taken out, the secret comes out


def test_without_nofollow_on_the_way_a_link_leads_out(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work.folder / "way").symlink_to("..")
    assert refused(lambda: read(work, "way/secret.txt")) is Kind.PATH_NOT_ALLOWED
    monkeypatch.setattr(descent, "PASS", descent.PASS & ~os.O_NOFOLLOW)
    assert read(work, "way/secret.txt") == SECRET


def test_without_nofollow_at_the_end_an_exchanged_link_leads_out(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = home / "secret.txt"
    exchange_after_status(
        monkeypatch, lambda: (work.folder / "link").symlink_to(target), work.folder / "note.txt", "link"
    )
    assert refused(lambda: read(work, "note.txt")) is Kind.EXECUTION_ERROR
    monkeypatch.setattr(paths, "_FLAGS", 0)
    assert read(work, "note.txt") == SECRET


def test_without_identities_a_closed_root_is_open_through_a_link(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "work/state").mkdir()
    (home / "work/state/db").write_bytes(SECRET)
    os.link(home / "work/state/db", home / "work/state/second")
    closed = Workspace(work.folder, (Root(home / "work/state", "none"),))
    assert refused(lambda: read(closed, "state/db")) is Kind.PATH_NOT_ALLOWED
    monkeypatch.setattr(places.Places, "access_below", lambda self, folder, name, found, inherited: inherited)
    monkeypatch.setattr(paths, "Links", AllInside)
    assert read(closed, "state/db") == SECRET


class AllInside:
    """Takes every file for one without names outside."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def are_inside(self, fd: int) -> bool:
        return True


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
    assert refused(lambda: read(work, "sub/deep/../secret.txt")) is Kind.EXECUTION_ERROR
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
