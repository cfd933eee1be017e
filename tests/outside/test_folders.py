"""Tools from outside in the app: where they come from, whose name counts, what is started and left."""

import os
from pathlib import Path

import pytest
from tests.outside_apps import DRIVE, GROUP, call, config, from_files, shown
from tests.tool_files import single, tool, write_pair

from oneclaw import App
from oneclaw.core.errors import Kind
from oneclaw.tools import builtin


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
        shipped = [one.name for one in app.sources.outside if one.origin == "built-in"]
        assert shipped
        assert not set(shipped) & set(builtin.NAMES)
