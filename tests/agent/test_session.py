"""A session as the settings have it."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.ordinary import run_as_ordinary
from tests.sandboxes import skip_without

from oneclaw import App, Config, ToolCall
from oneclaw.agent import session as sessions
from oneclaw.core.errors import Kind
from oneclaw.core.message import UserMessage
from oneclaw.core.session import Root
from oneclaw.guard.files import places
from oneclaw.operations.sessions import remove_session

HOOK = ".git/hooks/pre-commit"
SETTING = ".git/config"


async def write(app: App, path: str) -> Kind | None:
    return (await app.engine.call(ToolCall("write_file", {"path": path, "content": "x"}))).kind


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "work" / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "work" / SETTING).write_text("[core]\n")
    return Config(home=tmp_path / "home", workspace=tmp_path / "work")


async def test_what_git_would_run_for_the_owner_cannot_be_written(config: Config, tmp_path: Path) -> None:
    async with App(config) as app:
        assert await write(app, HOOK) is Kind.PATH_NOT_ALLOWED
        assert await write(app, SETTING) is Kind.PATH_NOT_ALLOWED
        assert await write(app, ".git/description") is Kind.PATH_NOT_ALLOWED
        assert await write(app, ".gitignore") is None
    assert not (tmp_path / "work" / HOOK).exists()


@pytest.mark.parametrize("path", ["sub/.git/config", "sub/.GIT/hooks/pre-commit", "a/b/.git", "link/config"])
async def test_nor_in_a_folder_below_nor_through_a_link(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "work" / "sub" / ".git").mkdir(parents=True)
    (tmp_path / "work" / "link").symlink_to("sub/.git")
    async with App(config) as app:
        assert await write(app, path) is Kind.PATH_NOT_ALLOWED
    monkeypatch.setattr(places, "GIT", "")
    async with App(config) as app:
        assert await write(app, path) is None, "the twin: without the guard it could be written"


async def test_without_these_roots_they_could(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sessions.roots_of

    def fewer(config: Config, folder: Path) -> tuple[Root, ...]:
        return tuple(root for root in whole(config, folder) if ".git" not in root.folder.parts)

    monkeypatch.setattr(sessions, "roots_of", fewer)
    monkeypatch.setattr(places, "GIT", "")
    async with App(config) as app:
        assert await write(app, HOOK) is None
    assert (tmp_path / "work" / HOOK).exists()


async def test_the_owner_can_open_them(config: Config, tmp_path: Path) -> None:
    opened = {"workspace.write": [str(tmp_path / "work" / SETTING)]}
    async with App(Config(config.home, workspace=config.workspace, values=opened)) as app:
        assert await write(app, SETTING) is None


KINDS = {
    "config": "XDG_CONFIG_HOME",
    "cache": "XDG_CACHE_HOME",
    "data": "XDG_DATA_HOME",
    "state": "XDG_STATE_HOME",
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home that holds the folders of OneClaw; of those only the one of the cache is there."""
    home = tmp_path / "user"
    for kind, name in KINDS.items():
        monkeypatch.setenv(name, str(home / f".{kind}"))
    (home / ".cache" / "oneclaw" / "plugins").mkdir(parents=True)
    (home / ".cache" / "oneclaw" / "plugins" / "x.json").write_text("[shell]")
    return home


def opened(own: Path, way: str) -> Config:
    """Settings that open the cache folder to writing, one way or another."""
    cache = own / ".cache" / "oneclaw"
    data = own / ".data" / "oneclaw"
    if way == "as a root":
        return Config(home=data, workspace=own / "work", values={"workspace.write": [str(own)]})
    if way == "as a root of its own":
        values = {"workspace.write": [str(own), str(cache), str(cache / "plugins")]}
        return Config(home=data, workspace=own / "work", values=values)
    if way == "through a link":
        (own / "link").symlink_to(cache / "plugins")
        values = {"workspace.write": [str(own), str(own / "link")]}
        return Config(home=data, workspace=own / "work", values=values)
    return Config(home=data, workspace={"as the workspace": own, "inside": cache / "plugins"}[way])


WAYS = ["as a root", "as a root of its own", "through a link", "as the workspace", "inside"]


async def edit_cache(config: Config, own: Path) -> str:
    """What is in a file of the cache after tools tried to change it."""
    file = own / ".cache" / "oneclaw" / "plugins" / "x.json"
    async with App(config) as app:
        arguments = {"path": str(file), "old": "shell", "new": ""}
        assert (await app.engine.call(ToolCall("read_file", {"path": str(file)}))).ok
        await app.engine.call(ToolCall("edit_file", arguments))
    return file.read_text()


@pytest.mark.parametrize("way", WAYS)
async def test_no_root_opens_our_own_folders_to_writing(own: Path, way: str) -> None:
    assert await edit_cache(opened(own, way), own) == "[shell]"
    async with App(opened(own, way) if way != "through a link" else opened(own, "as a root")) as app:
        for kind in KINDS:
            for name in ("new", "oneclaw.toml", "deep/new"):
                path = own / f".{kind}" / "oneclaw" / name
                refused = (Kind.PATH_NOT_ALLOWED, Kind.FILE_NOT_FOUND)  # no folder there: nothing is made
                assert await write(app, str(path)) in refused, path
                assert not path.exists()


@pytest.mark.parametrize("way", WAYS)
async def test_without_them_as_roots_the_cache_could_be_edited(
    own: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_own_folders", lambda config: ())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert await edit_cache(opened(own, way), own) == "[]"


@pytest.mark.parametrize("way", ["as a root", "as a root of its own", "as the workspace"])
async def test_nor_do_commands_write_there(own: Path, way: str) -> None:
    skip_without("bubblewrap")
    config = opened(own, way)
    shell = {"features.shell": True, "shell.sandbox": "bubblewrap", "permissions.needs.shell": "granted"}
    async with App(Config(config.home, workspace=config.workspace, values={**config.values, **shell})) as app:
        tries = "; ".join(
            f"mkdir -p {own}/.{kind}/oneclaw/new; echo x >{own}/.{kind}/oneclaw/oneclaw.toml"
            for kind in KINDS
        )
        command = f"{tries}; echo x >{own}/.cache/oneclaw/plugins/x.json; echo fine >{own}/fine"
        assert (await app.engine.call(ToolCall("execute_shell_command", {"command": command}))).ok
    assert (own / "fine").exists()
    assert (own / ".cache" / "oneclaw" / "plugins" / "x.json").read_text() == "[shell]"
    assert not list(own.rglob("oneclaw.toml"))
    assert not list(own.rglob("new"))


async def test_the_workspace_in_the_data_folder_is_written(own: Path) -> None:
    async with App(Config(home=own / ".data" / "oneclaw")) as app:
        assert await write(app, "note.txt") is None


@pytest.mark.slow
def test_all_of_this_holds_for_an_ordinary_user() -> None:
    run_as_ordinary(__file__)


@pytest.mark.parametrize("name", ["../../precious", "..", "{}/precious"])
async def test_a_session_whose_id_is_a_path_opens_and_removes_nothing_outside(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("precious")
    (tmp_path / "work").mkdir()
    session_id = name.format(tmp_path)
    async with App(Config(home=tmp_path / "home", workspace=tmp_path / "work")) as app:
        await app.store.messages.append(replace(app.new_session(), id=session_id), UserMessage("hi"))
        session = await app.resume_session(session_id)
        read = ToolCall("read_file", {"path": str(tmp_path / "precious" / "file")})
        assert (await app.engine.call(read, session)).kind is Kind.PATH_NOT_ALLOWED
        await remove_session(app, session_id)
        assert (tmp_path / "home" / "oneclaw.db").exists()
    assert (tmp_path / "precious" / "file").read_text() == "precious"


async def test_an_id_that_is_taken_for_a_path_opens_what_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    monkeypatch.setattr(sessions, "file_name", str)
    (tmp_path / "precious").write_text("precious")
    async with App(Config(home=tmp_path / "home", workspace=tmp_path / "work")) as app:
        session = sessions.make_session(app.config, "../../precious", "default")
        read = ToolCall("read_file", {"path": str(tmp_path / "precious")})
        assert (await app.engine.call(read, session)).value == "precious"
