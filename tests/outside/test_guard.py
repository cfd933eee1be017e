"""No tool writes tools: the folders they come from, and the settings, are closed to all of them."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.outside_apps import call, config, from_files
from tests.tool_files import single, write_pair

from oneclaw import App, Config, ToolCall
from oneclaw.agent import session as sessions
from oneclaw.core.errors import Kind
from oneclaw.core.session import Root, Workspace


@pytest.fixture
async def writing(tmp_path: Path, folder: Path, project: Path) -> AsyncIterator[App]:
    """An app with two tools that write files: a built-in one, and one in JavaScript."""
    source = "function execute(p) { fs.writeFile(p.path, p.content); return 'written'; }"
    text = {"type": "string"}
    parameters = {"properties": {"path": text, "content": text}, "required": ["path", "content"]}
    write_pair(
        folder, "scribe", single("scribe", parameters=parameters, requiredPermissions=["files.write"]), source
    )
    project.mkdir(parents=True)
    (project / "old.js").write_text("old")
    settings = tmp_path / "home" / "oneclaw.toml"
    settings.write_text("")
    async with App(Config(home=tmp_path / "home", workspace=tmp_path / "work", file=settings)) as app:
        yield app


def closed_places(tmp_path: Path) -> list[str]:
    return [
        ".oneclaw/tools/new.js",
        ".oneclaw/tools/old.js",
        ".oneclaw/tools/deeper/new.js",
        ".oneclaw/new.json",
        "./x/../.oneclaw/tools/new.js",
        str(tmp_path / "work" / ".oneclaw" / "tools" / "new.js"),
        str(tmp_path / "home" / "tools" / "new.js"),
        str(tmp_path / "home" / "tools" / "scribe.js"),
        str(tmp_path / "home" / "oneclaw.toml"),
        str(tmp_path / "home" / "oneclaw.db"),
    ]


@pytest.mark.parametrize("name", ["write_file", "scribe"])
async def test_no_tool_writes_tools_or_settings(tmp_path: Path, writing: App, name: str) -> None:
    (tmp_path / "work" / "x").mkdir()
    for path in closed_places(tmp_path):
        result = await call(writing, name, path=path, content="evil")
        assert result.kind is not None, path
        assert not os.path.exists(path) or Path(path).read_bytes() != b"evil", path
    assert sorted(os.listdir(tmp_path / "work" / ".oneclaw" / "tools")) == ["old.js"]
    assert (await call(writing, name, path="notes/.oneclaw.txt", content="fine")).kind is None


@pytest.mark.parametrize("name", ["write_file", "scribe"])
async def test_the_roots_are_what_keeps_tools_out_of_the_folders(
    tmp_path: Path, writing: App, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_roots(config: Config, session_folder: Path) -> tuple[Root, ...]:
        return (Root(tmp_path / "home", "write"),)

    monkeypatch.setattr(sessions, "roots_of", open_roots)
    session = sessions.make_session(writing.config, "open", "default")
    for path in closed_places(tmp_path)[:-1]:
        (tmp_path / "work" / "x").mkdir(exist_ok=True)
        result = await writing.engine.call(ToolCall(name, {"path": path, "content": "evil"}), session)
        assert (result.kind, result.message) == (None, ""), path


async def test_a_project_folder_that_is_not_there_yet_cannot_be_made_by_a_tool(tmp_path: Path) -> None:
    async with App(config(tmp_path)) as app:
        for path in (".oneclaw/tools/new.js", ".oneclaw", ".oneclaw/x"):
            assert (await call(app, "write_file", path=path, content="evil")).kind is Kind.PATH_NOT_ALLOWED
        assert not (tmp_path / "work" / ".oneclaw").exists()


async def test_tool_folders_are_closed_wherever_links_have_them_lie(tmp_path: Path, folder: Path) -> None:
    work = tmp_path / "work"
    write_pair(work / "dotfiles", "mine", single("mine"))
    folder.parent.mkdir()
    folder.symlink_to(work / "dotfiles")
    (work / "kept").mkdir()
    (work / ".oneclaw").mkdir()
    (work / ".oneclaw" / "tools").symlink_to(work / "kept")
    async with App(config(tmp_path)) as app:
        assert from_files(app) == ["mine"]
        for path in ("dotfiles/new.js", "dotfiles/mine.js", "kept/new.js"):
            assert (await call(app, "write_file", path=path, content="evil")).kind is Kind.PATH_NOT_ALLOWED
        assert (await call(app, "write_file", path="other/new.js", content="fine")).kind is None


def test_every_session_of_the_app_has_the_closed_roots(tmp_path: Path) -> None:
    workspace = App(config(tmp_path)).new_session().workspace
    assert isinstance(workspace, Workspace)
    access = {root.folder: root.access for root in workspace.roots}
    assert access[tmp_path / "home" / "tools"] == "none"
    assert access[tmp_path / "work" / ".oneclaw"] == "read"
    assert access[tmp_path / "work" / ".oneclaw" / "tools"] == "read"


async def test_trusting_a_project_makes_the_folder_that_is_then_closed(tmp_path: Path, project: Path) -> None:
    (tmp_path / "work").mkdir()
    async with App(config(tmp_path)) as app:
        await app.trust(tmp_path / "work")
        assert project.is_dir()
        result = await call(app, "write_file", path=".oneclaw/tools/evil.json", content="{}")
    assert result.kind is Kind.PATH_NOT_ALLOWED
    assert not list(project.iterdir())
