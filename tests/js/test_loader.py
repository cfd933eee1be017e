"""Folders of JavaScript tools: pairs of files, read once, bounded, and none that leads out of the folder."""

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.tool_files import single, tool, write_pair
from tests.users import give_up_powers

from oneclaw.core.load import Loaded
from oneclaw.js import loader
from oneclaw.js.loader import Known, list_parameters, load_folder
from oneclaw.js.runtime import Runtime
from oneclaw.js.work import JavaScriptWork


def load(folder: Path, known: Known | None = None) -> Loaded:
    return load_folder(folder, Runtime(), "user", known)


def names(loaded: Loaded) -> list[str]:
    return [tool.name for tool in loaded.tools]


def works(loaded: Loaded) -> list[JavaScriptWork]:
    found = [tool.execute for tool in loaded.tools]
    assert all(isinstance(work, JavaScriptWork) for work in found)
    return [work for work in found if isinstance(work, JavaScriptWork)]


@pytest.mark.covers("RFC018-LO-11")
def test_a_folder_that_is_not_there_has_no_tools_and_no_problems(tmp_path: Path) -> None:
    assert load(tmp_path / "none") == Loaded()


@pytest.mark.covers("RFC018-IT-02")
def test_groups_and_single_tools_of_one_folder_are_loaded_in_the_order_of_their_files(tmp_path: Path) -> None:
    write_pair(tmp_path, "weather", single("weather"))
    write_pair(tmp_path, "drive", [tool("drive_list", "list"), tool("drive_read", "read")])
    write_pair(tmp_path, "zoo", single("zoo"))
    (tmp_path / "README.md").write_text("not a tool")
    (tmp_path / ".hidden.json").write_text("not a tool")
    (tmp_path / "plugin.py").write_text("not ours")
    (tmp_path / "node_modules").mkdir()
    loaded = load(tmp_path)
    assert names(loaded) == ["drive_list", "drive_read", "weather", "zoo"]
    assert [tool.origin for tool in loaded.tools] == ["user"] * 4
    assert [work.function for work in works(loaded)] == ["list", "read", "execute", "execute"]
    assert not loaded.problems


@pytest.mark.covers("RFC018-GO-06", "RFC018-ED-01", "RFC018-ED-02")
def test_the_tools_of_a_group_share_one_source_and_each_has_its_function(tmp_path: Path) -> None:
    place = write_pair(
        tmp_path, "drive", [tool("drive_list", "list"), tool("drive_read", "readFile")], "var a"
    )
    write_pair(tmp_path, "weather", single("weather"))
    first, second, alone = works(load(tmp_path))
    assert first.source is second.source
    assert (first.source.file, first.source.text) == ("drive.js", "var a")
    assert (first.function, second.function, alone.function) == ("list", "readFile", "execute")
    assert (second.place, second.index, alone.index) == (str(place), 1, None)
    assert alone.source is not first.source


@pytest.mark.covers("RFC018-LO-02")
@pytest.mark.parametrize(("there", "missing"), [("a.json", "a.js"), ("a.js", "a.json")])
def test_a_file_without_its_other_half_is_reported(tmp_path: Path, there: str, missing: str) -> None:
    write_pair(tmp_path, "weather", single("weather"))
    (tmp_path / there).write_text("{}")
    loaded = load(tmp_path)
    assert names(loaded) == ["weather"]
    (problem,) = loaded.problems
    assert problem.place == str(tmp_path / there)
    assert f"{missing} must stand beside it" in problem.reason


@pytest.mark.covers("RFC018-LO-03", "RFC018-GO-05")
def test_one_bad_file_is_reported_alone_with_its_path(tmp_path: Path) -> None:
    place = write_pair(tmp_path, "bad", "{not json")
    write_pair(tmp_path, "half", [tool("half_good"), tool("half_bad", "../x")])
    write_pair(tmp_path, "weather", single("weather"))
    loaded = load(tmp_path)
    assert names(loaded) == ["half_good", "weather"]
    assert [problem.place for problem in loaded.problems] == [str(place), str(tmp_path / "half.json")]
    assert str(loaded.problems[1]).startswith(f"{tmp_path / 'half.json'}, entry 1: half_bad: ")


@pytest.mark.parametrize("name", ["weather.json", "weather.js"])
def test_a_file_larger_than_a_megabyte_is_refused(tmp_path: Path, name: str) -> None:
    write_pair(tmp_path, "weather", single("weather"))
    path = tmp_path / name
    text = path.read_bytes()
    path.write_bytes(text + b" " * ((1 << 20) - len(text)))
    assert names(load(tmp_path)) == ["weather"]  # the twin: a megabyte is read
    path.write_bytes(text + b" " * ((1 << 20) + 1 - len(text)))
    loaded = load(tmp_path)
    assert not loaded.tools
    assert (loaded.problems[0].place, "larger than 1 MB" in loaded.problems[0].reason) == (str(path), True)


@pytest.mark.parametrize("name", ["weather.json", "weather.js"])
def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_followed(tmp_path: Path, name: str) -> None:
    folder, elsewhere = tmp_path / "tools", tmp_path / "elsewhere"
    write_pair(folder, "weather", single("weather"))
    elsewhere.mkdir()
    (folder / name).rename(elsewhere / name)
    (folder / name).symlink_to(elsewhere / name)
    loaded = load(folder)
    assert not loaded.tools
    assert "leads out of its folder" in loaded.problems[0].reason
    # The twin: the same file inside the folder, under another name, is read through its link.
    (folder / name).unlink()
    (elsewhere / name).rename(folder / f"{name}.kept")
    (folder / name).symlink_to(f"{name}.kept")
    assert names(load(folder)) == ["weather"]


def test_the_guard_against_links_is_what_refuses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tools"
    write_pair(folder, "weather", single("weather"))
    (folder / "weather.js").rename(tmp_path / "secret")
    (folder / "weather.js").symlink_to(tmp_path / "secret")
    assert not load(folder).tools

    def read_anything(folder: Path, name: str) -> str:
        return (folder / name).read_text()

    monkeypatch.setattr(loader, "read_text", read_anything)
    assert names(load(folder)) == ["weather"]


def test_a_folder_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    write_pair(tmp_path / "real", "weather", single("weather"))
    (tmp_path / "tools").symlink_to(tmp_path / "real")
    assert names(load(tmp_path / "tools")) == ["weather"]


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket", "circle", "broken"])
def test_what_is_no_plain_file_is_refused_and_never_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    write_pair(tmp_path, "weather", single("weather"))
    path = tmp_path / "weather.js"
    path.unlink()
    listening = socket.socket(socket.AF_UNIX)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)  # the path of a socket must be short
        listening.bind("weather.js")
    else:
        path.symlink_to("weather.js" if kind == "circle" else "nowhere.js")
    loaded = load(tmp_path)
    listening.close()
    assert not loaded.tools
    (problem,) = loaded.problems
    assert problem.place == str(path)
    assert "not a plain file" in problem.reason or "cannot be read" in problem.reason


def test_text_that_is_not_utf8_is_refused_and_a_mark_before_it_is_not_part_of_it(tmp_path: Path) -> None:
    write_pair(tmp_path, "weather", single("weather"))
    (tmp_path / "weather.js").write_bytes(b"var a = '\xff'")
    assert "not UTF-8 text (byte 9)" in load(tmp_path).problems[0].reason
    manifest = (tmp_path / "weather.json").read_bytes()
    (tmp_path / "weather.json").write_bytes(b"\xef\xbb\xbf" + manifest)
    (tmp_path / "weather.js").write_bytes(b"\xef\xbb\xbfvar a")
    loaded = load(tmp_path)
    assert not loaded.problems
    assert works(loaded)[0].source.text == "var a"


def test_a_file_that_may_not_be_read_is_reported(tmp_path: Path) -> None:
    write_pair(tmp_path, "weather", single("weather"))
    (tmp_path / "weather.js").chmod(0)
    with ThreadPoolExecutor(1, initializer=give_up_powers) as thread:
        loaded = thread.submit(load, tmp_path).result()
    assert "Permission denied" in loaded.problems[0].reason


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tools").write_text("in the way")
    (problem,) = load(tmp_path / "tools").problems
    assert "the folder cannot be read" in problem.reason


def test_a_folder_of_too_many_files_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "MOST_FILES", 2)
    for name in ("a", "b", "c"):
        write_pair(tmp_path, name, single(name))
    loaded = load(tmp_path)
    assert names(loaded) == ["a", "b"]
    assert "more than 2 tool files" in loaded.problems[0].reason


def test_what_did_not_change_is_the_very_same_tool_and_what_did_is_another(tmp_path: Path) -> None:
    write_pair(tmp_path, "a", single("a"))
    write_pair(tmp_path, "b", single("b"))
    known: Known = {}
    first = load(tmp_path, known)
    assert [one is other for one, other in zip(first.tools, load(tmp_path, known).tools, strict=True)] == [
        True,
        True,
    ]
    write_pair(tmp_path, "b", single("b"), "function execute() { return 2; }")
    again = load(tmp_path, known)
    assert again.tools[0] is first.tools[0]
    assert again.tools[1] is not first.tools[1]
    assert again.tools[1].definition.version != first.tools[1].definition.version
    # Without what is known, everything is made anew.
    assert load(tmp_path).tools[0] is not first.tools[0]


def test_problems_are_told_again_when_nothing_changed(tmp_path: Path) -> None:
    write_pair(tmp_path, "a", [tool("a_good"), tool("a_bad", "1")])
    known: Known = {}
    assert load(tmp_path, known).problems == load(tmp_path, known).problems != []


def test_names_and_parameters_are_listed_without_loading(tmp_path: Path) -> None:
    write_pair(tmp_path, "a", [tool("a_one", parameters={"properties": {"x": {}}}), {"name": 7}, 7])
    write_pair(tmp_path, "b", "{broken")
    write_pair(tmp_path, "c", single("c", parameters=[]))
    assert dict(list_parameters(tmp_path)) == {"a_one": {"x": {}}, "c": {}}
    assert dict(list_parameters(tmp_path / "none")) == {}


@pytest.mark.covers("RFC018-LO-01")
def test_the_tools_that_come_with_us_load_without_a_word() -> None:
    loaded = load_folder(loader.BUILTIN, Runtime(), "built-in")
    assert loader.BUILTIN.is_dir()
    assert not loaded.problems


def test_a_source_that_is_not_javascript_is_not_run_to_be_loaded(tmp_path: Path) -> None:
    write_pair(tmp_path, "a", single("a"), "this is not JavaScript (")
    loaded = load(tmp_path)
    assert (names(loaded), loaded.problems) == (["a"], [])
