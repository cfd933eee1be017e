"""A workspace that lies in a folder commands may write: they cannot exchange it for another folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.ordinary import run_as_ordinary
from tests.sandboxes import skip_without

from oneclaw import App, Config, ToolCall
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths
from oneclaw.guard.files import places as roots
from oneclaw.guard.sandbox import places
from oneclaw.guard.sandbox.places import SandboxPath

from .conftest import MakeSay

SECRET = b"the secret that lies outside"


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """The workspace `proj/a/app`; `proj` is a folder to write, and `keys` is outside."""
    folder = tmp_path / "proj" / "a" / "app"
    folder.mkdir(parents=True)
    (folder / "id").write_bytes(b"mine")
    (tmp_path / "keys" / "app").mkdir(parents=True)
    for place in ("keys", "keys/app"):
        (tmp_path / place / "id").write_bytes(SECRET)
    return folder


@pytest.fixture
def workspace(app: Path, tmp_path: Path) -> Workspace:
    return Workspace(app, (Root(tmp_path / "proj", "write"),))


def read(workspace: Workspace) -> bytes:
    with paths.open_file(workspace, "id") as file:
        return file.read()


def exchange_app(app: Path, tmp_path: Path) -> None:
    app.rename(app.with_name("app2"))
    app.symlink_to(tmp_path / "keys")


def exchange_parent(app: Path, tmp_path: Path) -> None:
    app.parent.rename(tmp_path / "proj" / "b")
    app.parent.symlink_to(tmp_path / "keys")


@pytest.mark.parametrize("exchange", [exchange_app, exchange_parent])
def test_an_exchanged_workspace_is_neither_read_nor_written(
    workspace: Workspace, app: Path, tmp_path: Path, exchange: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(workspace) == b"mine"
    exchange(app, tmp_path)
    with pytest.raises(ToolError, match="was exchanged for another one since OneClaw started") as caught:
        read(workspace)
    assert caught.value.kind is Kind.PATH_NOT_ALLOWED
    with pytest.raises(ToolError, match="was exchanged"):
        paths.replace_file(workspace, "id", b"new", lambda: None)
    with pytest.raises(ToolError, match="outside the workspace"):  # by the way down from the folder to write
        paths.replace_file(workspace, str(app / "id"), b"new", lambda: None)
    assert [*(path.read_bytes() for path in (tmp_path / "keys").rglob("id"))] == [SECRET, SECRET]

    def never(self: object, real: str, found: object) -> bool:
        return False

    monkeypatch.setattr(roots.ProtectedPlaces, "is_exchanged", never)
    assert read(workspace) == SECRET, "the twin: without the pin it would be read"


def test_a_folder_the_owner_made_anew_is_told_apart_and_named(workspace: Workspace, app: Path) -> None:
    assert read(workspace) == b"mine"
    app.rename(app.with_name("old"))
    app.mkdir()
    with pytest.raises(ToolError, match=f"{app} was exchanged .* restart OneClaw"):
        read(workspace)


def test_one_that_is_not_there_yet_is_pinned_when_it_is_first_seen(app: Path, tmp_path: Path) -> None:
    later = Workspace(app / "later", (Root(tmp_path / "proj", "write"),))
    with pytest.raises(ToolError, match="File not found"):
        read(later)
    (app / "later").mkdir()
    paths.replace_file(later, "id", b"mine", lambda: None)
    (app / "later").rename(app / "earlier")
    (app / "later").symlink_to(tmp_path / "keys")
    with pytest.raises(ToolError, match="was exchanged"):
        read(later)


def test_a_link_of_the_owner_is_followed_once(workspace: Workspace, app: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(app)
    linked = Workspace(tmp_path / "link")
    assert read(linked) == b"mine"
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(tmp_path / "keys")
    assert read(linked) == b"mine", "where it led at the start"


TRIES = [
    "cd ../; mv app app2; ln -s ../../keys app",
    "cd ../..; mv a b; ln -s ../keys a",
    "cd ..; rm -rf app; rmdir app; ln -s ../../keys app",
]


@pytest.mark.parametrize("command", TRIES)
async def test_commands_cannot_move_the_workspace_away(
    make_say: MakeSay, workspace: Workspace, app: Path, command: str
) -> None:
    say = make_say("bubblewrap", workspace.roots, app)
    tried = await say(f"({command})")
    assert "Device or resource busy" in tried.err.text
    assert app.is_dir()
    assert not app.is_symlink()
    assert not app.parent.is_symlink()
    assert (await say("echo x >new; echo y >../beside; pwd")).out.text == f"{app}\n"
    assert (app / "new").exists()
    assert (app.parent / "beside").exists()


async def test_without_a_place_of_its_own_they_could(
    make_say: MakeSay, workspace: Workspace, app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = places._places_inside  # pyright: ignore[reportPrivateUsage]

    def unpinned(
        path: Path,
        access: places.SandboxAccess,
        holder: SandboxPath,
        shown: Sequence[SandboxPath],
        *,
        is_pinned: bool,
    ) -> list[SandboxPath]:
        return inside(path, access, holder, shown)

    monkeypatch.setattr(places, "_places_inside", unpinned)
    await make_say("bubblewrap", workspace.roots, app)(TRIES[0])
    assert app.is_symlink()


async def test_a_link_inside_a_folder_to_write_is_no_workspace_for_commands(
    make_say: MakeSay, workspace: Workspace, app: Path
) -> None:
    (app.parent / "link").symlink_to("app")
    with pytest.raises(ToolError, match=f"leads through a link inside .* name the folder itself .*{app}"):
        await make_say("bubblewrap", workspace.roots, app.parent / "link")("true")


async def test_with_landlock_which_cannot_pin_it_commands_are_refused(
    make_say: MakeSay, workspace: Workspace, app: Path
) -> None:
    with pytest.raises(ToolError, match="Landlock cannot keep it from being changed or exchanged"):
        await make_say("landlock", workspace.roots, app)("true")
    assert (await make_say("landlock", (), app)("pwd")).out.text == f"{app}\n"


async def test_commands_do_not_run_in_an_exchanged_workspace(
    make_say: MakeSay, workspace: Workspace, app: Path, tmp_path: Path
) -> None:
    read(workspace)
    exchange_app(app, tmp_path)
    for way in ("bubblewrap", "landlock"):
        with pytest.raises(ToolError, match="was exchanged"):
            await make_say(way, (), app)("true")


async def test_a_whole_program_keeps_its_workspace(app: Path, tmp_path: Path) -> None:
    skip_without("bubblewrap")
    values = {
        "workspace.write": [str(tmp_path / "proj")],
        "features.shell": True,
        "shell.sandbox": "bubblewrap",
        "permissions.needs.shell": "granted",
    }
    config = Config(home=tmp_path / "home", workspace=app, values=values)
    async with App(config) as program:
        command = f"mv {app} {app}2 && ln -s {tmp_path}/keys {app}"
        tried = await program.engine.call(ToolCall("execute_shell_command", {"command": command}))
        assert tried.ok, tried
        assert "busy" in str(tried.value)
        assert "mine" in str((await program.engine.call(ToolCall("read_file", {"path": "id"}))).value)
        exchange_app(app, tmp_path)
        done = await program.engine.call(ToolCall("read_file", {"path": "id"}))
        assert done.kind is Kind.PATH_NOT_ALLOWED


def test_all_of_this_holds_for_an_ordinary_user() -> None:
    run_as_ordinary(__file__)
