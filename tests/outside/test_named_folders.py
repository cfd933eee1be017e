"""Folders of tools that the owner names, in the settings or from Python."""

from pathlib import Path

import pytest
from tests.outside_apps import call, config, from_files, shown
from tests.tool_files import single, write_pair

from oneclaw import App
from oneclaw.config import load_config
from oneclaw.core.errors import InvalidConfig, Kind

PLUGIN = 'from oneclaw import tool\n\n@tool\ndef python_says() -> str:\n    """Say it."""\n    return "py"\n'
SAYS = "function execute() { return 'js'; }"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    write_pair(folder, "js_says", single("js_says"), SAYS)
    (folder / "python_says.py").write_text(PLUGIN)
    return folder


async def test_a_folder_named_in_python_is_loaded_with_its_javascript_and_its_python(
    tmp_path: Path, mine: Path
) -> None:
    async with App(config(tmp_path), tool_folders=[mine]) as app:
        await app.sources.wait()
        assert {one.name: one.origin for one in app.sources.outside if one.origin != "built-in"} == {
            "js_says": "user",
            "python_says": "python_says",
        }
        assert (await call(app, "js_says")).value == "js"
        assert (await call(app, "python_says")).value == "py"
        assert not app.problems


async def test_a_folder_of_the_settings_is_looked_for_beside_the_settings_file(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text('[tools]\nfolders = ["mine", "none"]\n')
    elsewhere = tmp_path / "elsewhere"
    write_pair(elsewhere / "mine", "planted", single("planted"), SAYS)
    monkeypatch.chdir(elsewhere)  # a folder of somebody else's, with tools of the same name
    settings = load_config(file, {"ONECLAW_HOME": str(tmp_path / "home")})
    async with App(settings) as app:
        await app.sources.wait()
        assert from_files(app) == ["js_says", "python_says"]
        assert f"{tmp_path / 'none'}: the folder is not there; make it" in shown(app)


async def test_an_app_without_built_in_tools_has_those_of_the_folders_it_names_and_no_others(
    tmp_path: Path, folder: Path, mine: Path
) -> None:
    write_pair(folder, "users", single("users"), SAYS)
    (folder / "users_python.py").write_text(PLUGIN.replace("python_says", "users_python"))
    async with App(config(tmp_path), builtins=False, tool_folders=[mine]) as app:
        await app.sources.wait()
        assert [one.name for one in app.registry] == ["js_says", "python_says"]


async def test_a_reload_and_the_watch_follow_a_named_folder(tmp_path: Path, mine: Path) -> None:
    async with App(config(tmp_path), tool_folders=[mine]) as app:
        await app.sources.wait()
        write_pair(mine, "later", single("later"), SAYS)
        assert await app.sources.follow()
        assert "later" in app.registry
        (mine / "later.js").unlink()
        (mine / "later.json").unlink()
        await app.reload()
        assert "later" not in app.registry


@pytest.mark.parametrize("is_there", [True, False])
async def test_no_tool_writes_in_a_named_folder_even_in_the_workspace(tmp_path: Path, is_there: bool) -> None:
    inside = tmp_path / "work" / "tools"
    if is_there:
        write_pair(inside, "js_says", single("js_says"), SAYS)
    planted = {"path": "tools/planted.js", "content": SAYS}
    async with App(config(tmp_path), tool_folders=[inside]) as app:
        refused = await call(app, "write_file", **planted)
        assert refused.kind is Kind.PATH_NOT_ALLOWED
    assert not (inside / "planted.js").exists()
    # The twin: where nobody names the folder, a tool writes in it, and what it wrote would be a tool.
    async with App(config(tmp_path)) as app:
        assert (await call(app, "write_file", **planted)).kind is None
    assert (inside / "planted.js").exists()


async def test_the_workspace_itself_cannot_be_a_folder_of_tools(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "work")
    (tmp_path / "more").mkdir()
    (tmp_path / "work").mkdir()
    for folder in (tmp_path / "work", tmp_path / "link", tmp_path / "more"):
        with pytest.raises(InvalidConfig, match="where tools write"):
            App(config(tmp_path, workspace__write=[str(tmp_path / "more")]), tool_folders=[folder])


async def test_a_link_in_a_named_folder_leads_to_no_tool_elsewhere(tmp_path: Path, mine: Path) -> None:
    write_pair(tmp_path / "elsewhere", "evil", single("evil"), SAYS)
    for ending in (".js", ".json"):
        (mine / f"evil{ending}").symlink_to(tmp_path / "elsewhere" / f"evil{ending}")
    async with App(config(tmp_path), tool_folders=[mine]) as app:
        assert "evil" not in app.registry
        assert "leads out of its folder" in shown(app)


async def test_a_project_that_is_not_trusted_is_not_loaded_because_a_folder_is_named(
    tmp_path: Path, project: Path, mine: Path
) -> None:
    write_pair(project, "build", single("build"), SAYS)
    async with App(config(tmp_path), tool_folders=[mine]) as app:
        assert "build" not in app.registry
        assert "not trusted" in shown(app)
    # Its own folder of tools, named by the owner, is trusted by that.
    async with App(config(tmp_path), tool_folders=[project]) as app:
        assert (await call(app, "build")).value == "js"
        assert not app.problems
