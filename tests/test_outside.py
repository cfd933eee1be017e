"""Tools from outside in the app: dispatched, trusted, taken over, reloaded, watched; no tool writes them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tool_files import single, tool, write_pair

from oneclaw import App, Config, ToolCall
from oneclaw.agent import session as sessions
from oneclaw.core.call import ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.permit.prompt import Prompt
from oneclaw.core.session import Root, Workspace
from oneclaw.outside import trust_key
from oneclaw.tools import builtin

WAIT_SECONDS = 30.0


def config(tmp_path: Path, **values: Any) -> Config:
    settings = {name.replace("__", "."): value for name, value in values.items()}
    return Config(home=tmp_path / "home", workspace=tmp_path / "work", values=settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The user's tools."""
    return tmp_path / "home" / "tools"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The tools of the project."""
    return tmp_path / "work" / ".oneclaw" / "tools"


async def call(app: App, name: str, /, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall(name, arguments))


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not is_so():
            await asyncio.sleep(0.02)


def from_files(app: App) -> list[str]:
    """The tools that came from the folders of the test."""
    return [one.name for one in app.outside.tools if one.origin != "built-in"]


def shown(app: App) -> str:
    return "\n".join(map(str, app.problems))


DRIVE = """
const greeting = "drive";
function helper(what, p) { return `${greeting} ${what} ${JSON.stringify(p.id ?? null)}`; }
async function listFiles(p) { return helper("list", p); }
const readFile = async (p) => helper("read", p);
function uploadFile(p) { return helper("upload", p); }
"""
ID = {"type": "object", "properties": {"id": {"type": "string"}}}
GROUP = [
    tool("drive_list", "listFiles", parameters=ID),
    tool("drive_read", "readFile", parameters=ID),
    tool("drive_upload", "uploadFile", parameters=ID),
]


@pytest.mark.covers(
    "RFC018-IT-01", "RFC018-FL-01", "RFC018-FL-02", "RFC018-GO-04", "RFC018-WR-02", "RFC018-ED-01"
)
async def test_each_tool_of_a_group_on_disk_runs_its_own_function(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "drive", GROUP, DRIVE)
    async with App(config(tmp_path)) as app:
        assert from_files(app) == ["drive_list", "drive_read", "drive_upload"]
        assert not app.problems
        for what in ("list", "read", "upload"):
            result = await call(app, f"drive_{what}", id="abc")
            assert (result.kind, result.value) == (None, f'drive {what} "abc"')


@pytest.mark.covers(
    "RFC018-IT-02", "RFC018-FL-03", "RFC018-GO-07", "RFC018-WR-01", "RFC018-ED-02", "RFC018-MT-01"
)
async def test_a_single_tool_beside_a_group_runs_execute(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "drive", GROUP, DRIVE)
    write_pair(
        folder,
        "weather",
        single("weather"),
        "function execute(p) { return Object.keys(p); } function run() {}",
    )
    async with App(config(tmp_path)) as app:
        assert from_files(app) == ["drive_list", "drive_read", "drive_upload", "weather"]
        assert (await call(app, "weather")).value == '["_env"]'
        assert (await call(app, "drive_read", id="x")).value == 'drive read "x"'


@pytest.mark.covers("RFC018-EX-01", "RFC018-EX-03")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("null", ""),
        ("undefined", ""),
        ("'as it is \\u00e9'", "as it is é"),
        ("''", ""),
        ("42", "42"),
        ("true", "true"),
        ("[1, {a: null}]", '[1,{"a":null}]'),
        ("p.deep", '{"list":[1,2.5,{"x":"ü"}],"none":null,"big":9007199254740991}'),
        ("Promise.resolve({a: 1})", '{"a":1}'),
    ],
)
async def test_what_a_function_returns_becomes_text(
    tmp_path: Path, folder: Path, value: str, text: str
) -> None:
    write_pair(
        folder,
        "give",
        single("give", parameters={"properties": {"deep": {}}}),
        f"function execute(p) {{ return {value}; }}",
    )
    deep = {"list": [1, 2.5, {"x": "ü"}], "none": None, "big": 2**53 - 1}
    async with App(config(tmp_path)) as app:
        result = await call(app, "give", deep=deep)
        assert (result.kind, result.value) == (None, text)


@pytest.mark.covers("RFC018-EX-02")
async def test_a_tool_is_given_the_variables_it_named_and_no_others(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHER_REGION", "north")
    monkeypatch.setenv("OTHER_VARIABLE", "other")
    source = "function run(p) { return {env: p._env, open: typeof process, keys: Object.keys(p)}; }"
    write_pair(folder, "w", [tool("w_named", env=["WEATHER_REGION"]), tool("w_unnamed")], source)
    write_pair(folder, "x", [tool("x_missing", env=["NOT_SET_ANYWHERE"])], source)
    async with App(config(tmp_path)) as app:
        named = (await call(app, "w_named")).value
        assert '"open":"undefined"' in named
        assert '"keys":["_env"]' in named
        assert "WEATHER_REGION" in named
        assert "OTHER_VARIABLE" not in named
        # What a model puts in its place does not count.
        unnamed = (await call(app, "w_unnamed", _env={"WEATHER_REGION": "forged"})).value
        assert '"env":{}' in unnamed
        missing = await call(app, "x_missing")
        assert missing.kind is Kind.EXECUTION_ERROR
        assert "set the environment variable NOT_SET_ANYWHERE" in missing.message


@pytest.mark.covers("RFC018-EX-04")
async def test_console_files_time_and_library_are_there(tmp_path: Path, folder: Path) -> None:
    source = """
    async function execute() {
      console.log("seen", 1); console.warn("odd");
      await fs.writeFile("note.txt", "hello");
      const text = lib.template.render ? "template" : "";
      return [await fs.readFile("note.txt"), typeof time.now, typeof fetch, text];
    }"""
    needs = ["files.read", "files.write", "network"]
    write_pair(folder, "all", single("all", requiredPermissions=needs), source)
    async with App(config(tmp_path)) as app:
        result = await call(app, "all")
        assert (result.message, result.value) == ("", '["hello","function","function","template"]')
        assert result.details is not None
        assert result.details["log"] == "seen 1\nwarn: odd"
        assert (tmp_path / "work" / "note.txt").read_text() == "hello"


async def test_a_bridge_without_its_permission_is_refused(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "peek", single("peek"), "function execute() { return fs.readFile('note.txt'); }")
    async with App(config(tmp_path)) as app:
        (tmp_path / "work" / "note.txt").write_text("hello")
        result = await call(app, "peek")
        assert result.kind is not None
        assert "files.read" in result.message


@pytest.mark.covers("RFC018-EX-05", "RFC018-LO-09")
async def test_a_tool_is_stopped_when_its_own_time_is_up(tmp_path: Path, folder: Path) -> None:
    manifest = [tool("stuck", timeoutSeconds=0.3), tool("fine", "other")]
    write_pair(folder, "slow", manifest, "function run() { for (;;) {} } function other() { return 1; }")
    async with App(config(tmp_path)) as app:
        result = await call(app, "stuck")
        assert result.kind is Kind.TIMEOUT
        assert (await call(app, "fine")).value == "1"


async def test_the_owners_limit_of_a_tool_counts(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "stuck", single("stuck"), "function execute() { for (;;) {} }")
    settings = {"limits.tools.stuck.seconds": 0.3}
    async with App(Config(home=tmp_path / "home", values=settings)) as app:
        entry = app.registry.find("stuck")
        assert entry is not None
        assert entry.tool.definition.seconds == 0.3
        assert (await call(app, "stuck")).kind is Kind.TIMEOUT


@pytest.mark.covers("RFC018-EX-06")
async def test_what_a_function_throws_is_an_execution_error_with_its_place(
    tmp_path: Path, folder: Path
) -> None:
    source = 'function execute(p) {\n  console.log("before");\n  throw new RangeError("no such city");\n}'
    write_pair(folder, "weather", single("weather"), source)
    async with App(config(tmp_path)) as app:
        result = await call(app, "weather")
        assert result.kind is Kind.EXECUTION_ERROR
        assert "RangeError: no such city (weather.js:3:" in result.message
        assert str(tmp_path) not in result.message
        assert result.details is not None
        assert result.details["log"] == "before"


@pytest.mark.covers("RFC018-EX-07")
async def test_a_cancelled_call_is_recorded_as_cancelled_and_the_cancel_goes_on(
    tmp_path: Path, folder: Path
) -> None:
    source = """
    async function execute() {
      fs.writeFile("started", "");
      await new Promise((done) => setTimeout(done, 60000));
    }"""
    write_pair(folder, "slow", single("slow", requiredPermissions=["files.write"]), source)
    async with App(config(tmp_path)) as app:
        running = asyncio.ensure_future(call(app, "slow"))
        await until((tmp_path / "work" / "started").exists)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        (record,) = app.store.calls.history(tool="slow")
        assert record.kind == "cancelled"


@pytest.mark.covers("RFC018-EX-08")
async def test_memory_and_stack_of_a_call_are_limited(tmp_path: Path, folder: Path) -> None:
    source = """
    function eat() { const all = []; for (;;) all.push(new Array(100000).fill(1)); }
    function sink(p) { return sink(p) + 1; }
    function fine() { return "fine"; }"""
    write_pair(folder, "big", [tool("eat", "eat"), tool("sink", "sink"), tool("fine", "fine")], source)
    async with App(config(tmp_path, javascript__memory_mb=16)) as app:
        for name in ("eat", "sink"):
            result = await call(app, name)
            assert result.kind is Kind.EXECUTION_ERROR, result
        assert (await call(app, "fine")).value == "fine"


@pytest.mark.covers("RFC018-LO-14")
async def test_the_tools_of_a_group_are_switched_denied_and_listed_one_by_one(
    tmp_path: Path, folder: Path
) -> None:
    write_pair(folder, "drive", GROUP, DRIVE)
    async with App(config(tmp_path, plugins__user__tools__deny=["drive_upload"])) as app:
        await app.switch("drive_read", False)
        names = [definition.name for definition in app.engine.available()]
        assert "drive_list" in names
        assert not {"drive_read", "drive_upload"} & set(names)
        refused = await call(app, "drive_upload")
        assert refused.kind is Kind.TOOL_NOT_AVAILABLE
        assert "plugins.user.tools.deny" in refused.message
        assert [one.name for one in app.registry.group("drive")] == [
            "drive_list",
            "drive_read",
            "drive_upload",
        ]


@pytest.mark.covers("RFC018-LO-12")
async def test_a_name_that_is_taken_is_reported_and_left_out(tmp_path: Path, folder: Path) -> None:
    place = write_pair(
        folder, "mine", [tool("mine_ok"), tool("read_file")], "function run() { return 'mine'; }"
    )
    write_pair(folder, "zoo", [tool("mine_ok")])
    async with App(config(tmp_path)) as app:
        assert from_files(app) == ["mine_ok"]
        taken, twice = app.problems
        assert (taken.place, taken.index) == (str(place), 1)
        assert (
            "read_file is taken by a tool from built-in; rename it, or list it in tools.override"
            in taken.reason
        )
        assert twice.place == str(folder / "zoo.json")
        assert "override" not in twice.reason
        assert (await call(app, "mine_ok")).value == "mine"
        assert (await call(app, "read_file", path="none")).kind is Kind.FILE_NOT_FOUND


@pytest.mark.covers("RFC018-LO-13", "RFC018-IT-03")
async def test_an_allowed_tool_takes_the_place_of_a_built_in_one_and_gives_it_back(
    tmp_path: Path, folder: Path
) -> None:
    write_pair(folder, "mine", [tool("read_file"), tool("list_files")], "function run() { return 'mine'; }")
    async with App(config(tmp_path, tools__override=["read_file"])) as app:
        assert from_files(app) == ["read_file"]
        assert [problem.index for problem in app.problems] == [1]
        assert (await call(app, "read_file", path="x")).value == "mine"
        (folder / "mine.json").unlink()
        (folder / "mine.js").unlink()
        await app.reload()
        assert not app.problems
        assert (await call(app, "read_file", path="x")).kind is Kind.FILE_NOT_FOUND


async def test_a_tool_made_in_code_keeps_its_name(tmp_path: Path, folder: Path) -> None:
    def greet() -> str:
        """Greet."""
        return "code"

    write_pair(folder, "greet", single("greet"), "function execute() { return 'file'; }")
    async with App(config(tmp_path), tools=[greet]) as app:
        assert "taken by a tool from " in shown(app)
        assert (await call(app, "greet")).value == "code"


async def test_a_tool_of_the_agents_cannot_be_taken_over(tmp_path: Path, folder: Path) -> None:
    write_pair(folder, "sessions", single("sessions"), "function execute() { return 'mine'; }")
    async with App(config(tmp_path, tools__override=["sessions"])) as app:
        assert not from_files(app)
        assert "sessions is taken by a tool from agents; rename it." in shown(app)
        assert app.registry.find("sessions") is not None


async def test_an_app_without_built_in_tools_takes_none_from_outside_unless_it_says_so(
    tmp_path: Path, folder: Path
) -> None:
    write_pair(folder, "weather", single("weather"), "function execute() { return 'sun'; }")
    async with App(config(tmp_path), builtins=False) as app:
        assert len(app.registry) == 0
        assert await app.reload() == ()
        assert len(app.registry) == 0
    async with App(config(tmp_path), builtins=False, outside=True) as app:
        assert (await call(app, "weather")).value == "sun"
    async with App(config(tmp_path), outside=False) as app:
        assert "weather" not in app.registry
        assert "read_file" in app.registry


# ------------------------------------------------------------------------------ the project and its trust


async def test_the_tools_of_a_project_are_loaded_once_it_is_trusted_and_until_then_told_of(
    tmp_path: Path, project: Path
) -> None:
    write_pair(project, "build", single("build"), "function execute() { return 'built'; }")
    with App(config(tmp_path)) as app:
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
    with App(config(tmp_path)) as app:
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
    with App(Config(home=tmp_path / "home", workspace=tmp_path / "link")) as app:
        assert "evil" not in app.registry
        assert "not trusted" in shown(app)


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
    with App(Config(home=home, workspace=tmp_path / "work")) as app:
        assert from_files(app) == ["mine"]
        assert not app.problems


async def test_a_running_program_follows_trust_and_reloads_of_another(
    tmp_path: Path, folder: Path, project: Path
) -> None:
    write_pair(project, "build", single("build"), "function execute() { return 'built'; }")
    async with App(config(tmp_path)) as running, App(config(tmp_path)) as owner:
        assert "build" not in {one.name for one in running.engine.available()}
        await owner.trust(tmp_path / "work")
        await until(lambda: "build" in {one.name for one in running.engine.available()})
        write_pair(folder, "later", single("later"), "function execute() { return 'here'; }")
        assert "later" not in {one.name for one in running.engine.available()}
        await owner.reload()
        await until(lambda: "later" in {one.name for one in running.engine.available()})
        assert (await call(running, "later")).value == "here"
        await owner.trust(tmp_path / "work", False)
        await until(lambda: "build" not in {one.name for one in running.engine.available()})


# -------------------------------------------------------------------------------- reloading and watching


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

        def answer(prompt: Prompt) -> None:
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
        watching = asyncio.ensure_future(app.outside.watch(0.02))
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
    with App(config(tmp_path)) as app:
        assert not app.outside.follow()
        write_pair(folder, "a", single("a"))
        assert app.outside.follow()
        assert from_files(app) == ["a"]
        assert not app.outside.follow()
        (folder / "dangling.js").symlink_to(folder / "nowhere.js")
        assert not app.outside.follow()


async def test_python_files_of_the_folder_are_plugins_and_a_reload_takes_them_up(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    code = 'from oneclaw import tool\n\n@tool\ndef NAME() -> str:\n    """Say it."""\n    return "NAME"\n'
    folder.mkdir(parents=True)
    (folder / "one.py").write_text(code.replace("NAME", "one_says"))
    async with App(config(tmp_path)) as app:
        assert from_files(app) == ["one_says"]
        (folder / "two.py").write_text(code.replace("NAME", "two_says"))
        assert app.outside.follow()  # of the JavaScript alone: asking a plugin may take its time
        assert from_files(app) == ["one_says"]
        await app.reload()
        assert from_files(app) == ["one_says", "two_says"]
        assert (await call(app, "two_says")).value == "two_says"


# -------------------------------------------------------------------------------------------- the guard


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
    session = writing.new_session()
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


# ------------------------------------------------------------------------------------- start and end


def children() -> set[int]:
    """The processes this one has started."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found |= set(map(int, (task / "children").read_text().split()))
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="processes are listed in /proc")
async def test_nothing_is_started_before_the_first_call_and_nothing_is_left_after(
    tmp_path: Path, folder: Path
) -> None:
    write_pair(folder, "a", single("a"), "function execute() { return 1; }")
    before = children()
    async with App(config(tmp_path)) as app:
        assert children() == before
        assert (await call(app, "a")).value == "1"
        assert children() > before
    assert children() == before


@pytest.mark.covers("RFC018-LO-01")
async def test_tools_come_from_the_package_the_user_and_the_trusted_project(
    tmp_path: Path, folder: Path, project: Path
) -> None:
    write_pair(folder, "a", single("a"))
    write_pair(project, "b", single("b"))
    async with App(config(tmp_path)) as app:
        await app.trust(tmp_path / "work")
        origins = {one.name: one.origin for one in app.registry}
        assert (origins["a"], origins["b"]) == ("user", "project")
        shipped = [one.name for one in app.outside.tools if one.origin == "built-in"]
        assert shipped
        assert not set(shipped) & set(builtin.NAMES)
