"""A session as the settings have it."""

from pathlib import Path

import pytest

from oneclaw import App, Config, ToolCall
from oneclaw.agent import session as sessions
from oneclaw.core.errors import Kind
from oneclaw.core.session import Root
from oneclaw.guard.files import places

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
