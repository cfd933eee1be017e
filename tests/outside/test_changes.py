"""Tools from outside as they change: trusted projects, reloads, the watch, and running programs."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.outside_apps import call, config, from_files, shown, until
from tests.tool_files import single, tool, write_pair

from oneclaw import App, Config
from oneclaw.cli.chat_commands import Chat
from oneclaw.core.errors import Kind
from oneclaw.core.question import Question
from oneclaw.external_tools import trust_key


async def test_the_tools_of_a_project_are_loaded_once_it_is_trusted_and_until_then_told_of(
    tmp_path: Path, project: Path
) -> None:
    write_pair(project, "build", single("build"), "function execute() { return 'built'; }")
    async with App(config(tmp_path)).looking() as app:
        (problem,) = app.problems
        assert problem.is_warning
        assert (problem.place, "2 tool files are not loaded" in problem.reason) == (str(project), True)
        assert f"oneclaw tools trust {os.path.realpath(tmp_path / 'work')}" in problem.reason
    async with App(config(tmp_path)) as app:
        assert (await call(app, "build")).kind is Kind.TOOL_NOT_FOUND
        assert await app.trust(tmp_path / "work")
        assert not app.problems
        assert (await call(app, "build")).value == "built"
        assert not await app.trust(tmp_path / "work")
    async with App(config(tmp_path)).looking() as app:
        entry = app.registry.find("build")
        assert entry is not None
        assert entry.tool.origin == "project"
    async with App(config(tmp_path)) as app:
        assert await app.trust(tmp_path / "work", False)
        assert (await call(app, "build")).kind is Kind.TOOL_NOT_FOUND
        assert not await app.trust(tmp_path / "work", False)


async def test_trust_is_in_a_folder_and_not_in_the_way_it_is_spelled(tmp_path: Path, project: Path) -> None:
    write_pair(project, "build", single("build"), "function execute() { return 'built'; }")
    (tmp_path / "link").symlink_to(tmp_path / "work")
    assert trust_key(tmp_path / "link") == trust_key(tmp_path / "work" / "." / ".." / "work")
    async with App(config(tmp_path)) as app:
        await app.trust(tmp_path / "link")
        assert "build" in app.registry
    # Another project that is reached by a trusted name is another folder.
    (tmp_path / "other" / ".oneclaw").mkdir(parents=True)
    write_pair(tmp_path / "other" / ".oneclaw" / "tools", "evil", single("evil"))
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(tmp_path / "other")
    async with App(Config(home=tmp_path / "home", workspace=tmp_path / "link")).looking() as app:
        assert "evil" not in app.registry
        assert "not trusted" in shown(app)


async def test_a_project_whose_path_is_no_text_is_trusted_by_its_bytes(tmp_path: Path) -> None:
    odd, twin = (tmp_path / os.fsdecode(name) for name in (b"w\xff", b"w\\xff"))
    for workspace in (odd, twin):
        write_pair(workspace / ".oneclaw" / "tools", "build", single("build"))
    assert len({trust_key(folder) for folder in (odd, twin, Path("/"), tmp_path / trust_key(odd)[6:])}) == 4
    async with App(Config(home=tmp_path / "home", workspace=odd)) as app:
        assert "build" not in app.registry
        assert await app.trust(odd)
        assert "build" in app.registry
    async with App(Config(home=tmp_path / "home", workspace=odd)).looking() as app:
        assert "build" in app.registry
    async with App(Config(home=tmp_path / "home", workspace=twin)).looking() as app:
        assert "build" not in app.registry


async def test_a_trusted_project_cannot_lead_to_tools_elsewhere(tmp_path: Path, project: Path) -> None:
    write_pair(tmp_path / "elsewhere", "evil", single("evil"))
    project.parent.mkdir(parents=True)
    project.symlink_to(tmp_path / "elsewhere")
    async with App(config(tmp_path)) as app:
        await app.trust(tmp_path / "work")
        assert "evil" not in app.registry
        assert "leads out of the project" in shown(app)


async def test_a_data_folder_inside_the_project_is_the_users_own(tmp_path: Path) -> None:
    home = tmp_path / "work" / ".oneclaw"
    write_pair(home / "tools", "mine", single("mine"))
    async with App(Config(home=home, workspace=tmp_path / "work")).looking() as app:
        assert from_files(app) == ["mine"]
        assert not app.problems


async def until_seen(app: App, holds: Callable[[set[str]], bool]) -> None:
    """Wait until the program has taken up what another one changed."""
    async with asyncio.timeout(20):
        while not holds({one.name for one in app.engine.available()}):
            await asyncio.sleep(0.05)
            await app.engine.refresh()


async def test_a_running_program_follows_trust_and_reloads_of_another(
    tmp_path: Path, folder: Path, project: Path
) -> None:
    write_pair(project, "build", single("build"), "function execute() { return 'built'; }")
    async with App(config(tmp_path)) as running, App(config(tmp_path)) as owner:
        assert "build" not in {one.name for one in running.engine.available()}
        await owner.trust(tmp_path / "work")
        await until_seen(running, lambda names: "build" in names)
        write_pair(folder, "later", single("later"), "function execute() { return 'here'; }")
        assert "later" not in {one.name for one in running.engine.available()}
        await owner.reload()
        await until_seen(running, lambda names: "later" in names)
        assert (await call(running, "later")).value == "here"
        await owner.trust(tmp_path / "work", False)
        await until_seen(running, lambda names: "build" not in names)


async def test_a_reload_takes_up_what_changed_and_lets_go_what_is_gone(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "a", single("a"), "function execute() { return 1; }")
    write_pair(folder, "b", single("b"), "function execute() { return 1; }")
    async with App(config(tmp_path)) as app:
        same = app.registry.find("b")
        assert same is not None
        write_pair(folder, "a", [tool("a"), tool("a_two")], "function run() { return 2; }")
        write_pair(folder, "c", "{broken")
        problems = await app.reload()
        assert [problem.place for problem in problems] == [str(folder / "c.json")]
        assert from_files(app) == ["a", "a_two", "b"]
        assert (await call(app, "a")).value == "2"
        again = app.registry.find("b")
        assert again is not None
        assert again.tool.definition is same.tool.definition
        (folder / "a.json").unlink()
        await app.reload()
        assert from_files(app) == ["b"]
        gone = await call(app, "a")
        assert gone.kind is Kind.TOOL_NOT_FOUND
        assert "a.json must stand beside it" in shown(app)


async def test_a_running_call_keeps_its_version(tmp_path: Path, folder: Path) -> None:
    source = """
    async function execute() {
      fs.writeFile("started", "");
      while (!fs.exists("go")) await new Promise((done) => setTimeout(done, 10));
      return "version VERSION";
    }"""
    manifest = single("slow", requiredPermissions=["files.read", "files.write"], timeoutSeconds=60)
    write_pair(folder, "slow", manifest, source.replace("VERSION", "1"))
    async with App(config(tmp_path)) as app:
        running = asyncio.ensure_future(call(app, "slow"))
        await until((tmp_path / "work" / "started").exists)
        write_pair(folder, "slow", manifest, source.replace("VERSION", "2"))
        await app.reload()
        (tmp_path / "work" / "go").write_text("")
        assert (await running).value == "version 1"
        assert (await call(app, "slow")).value == "version 2"


async def test_a_changed_tool_asks_for_its_permissions_again(tmp_path: Path, folder: Path) -> None:
    manifest = single("where", requiredPermissions=["location"])
    write_pair(folder, "where", manifest, "function execute() { return 1; }")
    asked: list[str] = []
    async with App(config(tmp_path)) as app:

        def answer(prompt: Question) -> None:
            asked.append(prompt.tool)
            app.broker.answer(prompt.id, "always")

        app.broker.bind(answer)
        for _ in range(2):
            assert (await call(app, "where")).value == "1"
        await app.reload()
        assert (await call(app, "where")).value == "1"
        assert asked == ["where"]
        write_pair(folder, "where", manifest, "function execute() { return 2; }")
        await app.reload()
        assert (await call(app, "where")).value == "2"
        assert asked == ["where", "where"]


async def test_the_watch_takes_up_new_changed_and_removed_files(tmp_path: Path, folder: Path) -> None:
    async with App(config(tmp_path)) as app:
        watching = asyncio.ensure_future(app.sources.watch(0.02))
        write_pair(folder, "a", single("a"), "function execute() { return 1; }")
        await until(lambda: from_files(app) == ["a"])
        assert (await call(app, "a")).value == "1"
        before = app.registry.find("a")
        write_pair(folder, "a", single("a"), "function execute() { return 2; }")
        await until(lambda: app.registry.find("a") not in (None, before))
        assert (await call(app, "a")).value == "2"
        (folder / "a.js").unlink()
        (folder / "a.json").unlink()
        await until(lambda: not from_files(app))
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching


async def test_following_looks_at_once_and_only_loads_what_changed(tmp_path: Path, folder: Path) -> None:
    async with App(config(tmp_path)).looking() as app:
        assert not await app.sources.follow()
        write_pair(folder, "a", single("a"))
        assert await app.sources.follow()
        assert from_files(app) == ["a"]
        assert not await app.sources.follow()
        (folder / "dangling.js").symlink_to(folder / "nowhere.js")
        assert not await app.sources.follow()


async def test_python_files_of_the_folder_are_plugins_and_a_reload_takes_them_up(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    code = 'from oneclaw import tool\n\n@tool\ndef NAME() -> str:\n    """Say it."""\n    return "NAME"\n'
    folder.mkdir(parents=True)
    (folder / "one.py").write_text(code.replace("NAME", "one_says"))
    async with App(config(tmp_path)) as app:
        await app.sources.wait()  # asking a plugin may take its time: the start does not wait for it
        assert from_files(app) == ["one_says"]
        (folder / "two.py").write_text(code.replace("NAME", "two_says"))
        assert from_files(app) == ["one_says"]
        await app.reload()
        assert from_files(app) == ["one_says", "two_says"]
        assert (await call(app, "two_says")).value == "two_says"


async def test_a_chat_takes_up_what_changed_while_a_message_was_typed(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "script.json").write_text('["one", "two"]')
    async with App(config(tmp_path)) as app:
        chat = await Chat.open(app, model=f"scripted/{tmp_path / 'script.json'}")
        write_pair(folder, "late", single("late"), "function execute() { return 1; }")
        async for _ in chat.say("hello"):
            pass
        assert "late" in {one.name for one in app.engine.available()}


def test_an_app_can_be_used_again_after_it_was_closed(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "here", single("here"), "function execute() { return 'here'; }")
    app = App(config(tmp_path))

    async def use() -> None:
        async with app:
            results = await asyncio.gather(*(call(app, "here") for _ in range(10)))
            assert [result.text for result in results] == ["here"] * 10
            assert app.runtime.pids
        assert not app.runtime.pids

    asyncio.run(use())
    asyncio.run(use())


async def test_whoever_looks_again_sees_what_was_reloaded_meanwhile(tmp_path: Path, folder: Path) -> None:
    async def reload() -> None:
        async with App(config(tmp_path)) as owner:
            await owner.reload()

    await reload()
    app = App(config(tmp_path))
    async with app.looking():
        assert from_files(app) == []
    write_pair(folder, "later", single("later"))
    await reload()
    async with app.looking():
        assert from_files(app) == ["later"]
