"""Calls of tools from files: dispatched to their function, given what they named, ended as every call is."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.marked import unmark
from tests.outside_apps import DRIVE, GROUP, ID, call, config, from_files, until
from tests.tool_files import single, tool, write_pair

from oneclaw import App, Config
from oneclaw.core.errors import Kind


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


async def test_a_script_has_values_from_tools_that_give_values_and_text_from_those_that_give_text(
    tmp_path: Path, folder: Path
) -> None:
    kinds = "({ text: '{\"a\":1}', list: [1, { b: null }], yes: true, number: 0.5, nothing: null })"
    write_pair(folder, "give", single("give", parameters=ID), f"const execute = (p) => {kinds}[p.id];")
    code = """
      const given = [];
      for (const id of ['text', 'list', 'yes', 'number', 'nothing']) given.push(await tools.give({id}));
      return given;
    """
    settings = {"switches.run_javascript": True, "permissions.needs.code": "granted"}
    async with App(Config(home=tmp_path / "home", workspace=tmp_path / "work", values=settings)) as app:
        assert (await call(app, "give", id="list")).value == '[1,{"b":null}]'
        result = await call(app, "run_javascript", code=code)
    assert json.loads(result.text) == ['{"a":1}', [1, {"b": None}], True, 0.5, ""]


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
        assert missing.kind is Kind.TOOL_NOT_AVAILABLE
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
        assert (result.message, result.ok) == ("", True)
        assert unmark(result.value).inside == '["hello","function","function","template"]'
        assert result.details is not None
        assert result.details["log"] == "seen 1\nwarn: odd"
        assert (tmp_path / "work" / "note.txt").read_text() == "hello"


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
        (record,) = await app.store.calls.history(tool="slow")
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
