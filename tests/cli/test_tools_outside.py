"""`oneclaw tools new`, `check`, `test`, `reload`, `trust`: what people do with files of tools."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from tests.tool_files import single, tool, write_pair

from oneclaw.cli.completion import call_words, tool_names, tools_words

Cli = Any
HI = "function run(p) { return `hi ${p.who}`; }"
WHO = {"properties": {"who": {"type": "string"}}, "required": ["who"]}


@pytest.fixture
def folder(home: Path) -> Path:
    """The user's tools."""
    return home / "tools"


@pytest.mark.parametrize("words", [(), ("--group",)])
def test_new_writes_files_that_work_as_they_are(cli: Cli, folder: Path, words: tuple[str, ...]) -> None:
    made = cli("tools", "new", "mine", *words)
    assert (made.code, made.err) == (0, "")
    assert made.out.splitlines()[:2] == [str(folder / "mine.json"), str(folder / "mine.js")]
    checked = cli("tools", "check", "--json")
    assert (checked.code, checked.json["ok"], checked.json["problems"]) == (0, True, [])
    tested = cli("tools", "test", "mine")
    assert tested.code == 0, tested.out
    assert "examples hold" in tested.out
    name = "mine_count" if words else "mine"
    called = cli("call", name, "text=one two")
    assert (called.code, json.loads(called.out)["words"]) == (0, 2)
    assert cli("tools", "show", name, "--json").json["origin"] == "user"


def test_new_overwrites_nothing(cli: Cli, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "mine.js").write_text("precious")
    refused = cli("tools", "new", "mine")
    assert (refused.code, "mine.js is there already" in refused.err) == (2, True)
    assert (folder / "mine.js").read_text() == "precious"
    assert not (folder / "mine.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the new tool: oneclaw tools new NAME"),
        (("read_file",), "there is a tool read_file already, from built-in"),
        (("Bad-Name",), "cannot be named 'Bad-Name'"),
        (("../escape",), "cannot be named '../escape'"),
        (("mine", "--group", "--python"), "give --group or --python, not both"),
        (("mine", "--folder", "/proc/nowhere"), "/proc/nowhere cannot be written"),
    ],
)
def test_new_says_what_is_wrong(cli: Cli, folder: Path, words: tuple[str, ...], said: str) -> None:
    refused = cli("tools", "new", *words)
    assert refused.code == 2
    assert said in refused.err
    assert "Traceback" not in refused.err
    assert not folder.exists()


def test_new_writes_into_another_folder_and_says_that_it_is_not_loaded(cli: Cli, tmp_path: Path) -> None:
    made = cli("tools", "new", "mine", "--folder", str(tmp_path / "there"))
    assert (tmp_path / "there" / "mine.json").is_file()
    assert f"oneclaw tools check {tmp_path / 'there'}" in made.out
    assert cli("tools", "check", str(tmp_path / "there")).code == 0
    assert cli("call", "mine", "text=a").code == 3
    told = cli("tools", "new", "other", "--folder", str(tmp_path / "there"), "--json").json
    assert told == {
        "files": [str(tmp_path / "there" / f"other.{end}") for end in ("json", "js")],
        "tools": ["other"],
    }


def test_new_writes_a_python_plugin(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert cli("tools", "new", "echo_it", "--python").code == 0
    assert (folder / "echo_it.py").is_file()
    assert cli("tools", "check").code == 0
    called = cli("call", "echo_it", "text=hey")
    assert (called.code, called.out) == (0, "hey\n")


@pytest.mark.parametrize("option", ["--group", "--python", "--folder=x"])
def test_the_options_of_new_are_for_new(cli: Cli, option: str) -> None:
    refused = cli("tools", "list", option)
    assert (refused.code, "are for: oneclaw tools new" in refused.err) == (2, True)


def test_check_names_file_entry_and_reason_and_ends_with_one(cli: Cli, folder: Path) -> None:
    group = [tool("a_good"), tool("a_bad", "../inject"), tool("a_gone", "gone"), tool("a_odd", zzz=1)]
    place = write_pair(folder, "a", group)
    write_pair(folder, "b", single("b"), "function execute( {")
    write_pair(folder, "c", single("c"), "const execute = eval;")
    (folder / "alone.js").write_text("")
    checked = cli("tools", "check")
    assert checked.code == 1
    lines = checked.out.splitlines()
    assert f"✓ a_good  {place}" in lines
    assert any(line.startswith(f"✗ {place}, entry 1: a_bad: the function name") for line in lines)
    assert any(line.startswith(f"✗ {place}, entry 2: a_gone: ") for line in lines)
    assert any(line.startswith(f'! {place}, entry 3: a_odd: the field "zzz"') for line in lines)
    assert any(line.startswith(f"✗ {folder / 'b.js'}: it cannot be loaded: SyntaxError") for line in lines)
    assert any(line.startswith(f"✗ {folder / 'c.json'}: c: ") for line in lines)
    assert any(line.startswith(f"✗ {folder / 'alone.js'}: its other half is missing") for line in lines)
    assert not any(line.startswith(("✓ a_gone", "✓ b", "✓ c")) for line in lines)
    assert lines[-1].endswith("5 problems, 1 warning.")
    told = cli("tools", "check", "--json")
    assert (told.code, told.json["ok"], len(told.json["problems"])) == (1, False, 6)
    assert {"place": str(place), "index": 2, "is_warning": False}.items() <= next(
        problem for problem in told.json["problems"] if problem["index"] == 2
    ).items()


def test_check_of_a_path_looks_at_that_alone(cli: Cli, folder: Path, tmp_path: Path) -> None:
    write_pair(folder, "broken", "{")
    there = tmp_path / "there"
    write_pair(there, "good", single("good"), "function execute() {}")
    write_pair(there, "bad", single("bad"), "function run() {}")
    for path in ("good.json", "good.js"):
        checked = cli("tools", "check", str(there / path))
        assert (checked.code, checked.out) == (0, f"✓ good  {there / 'good.json'}\n1 tool, 0 problems.\n")
    assert cli("tools", "check", str(there)).code == 1
    assert cli("tools", "check", str(there / "bad.json"), "--json").json["ok"] is False


@pytest.mark.parametrize(
    ("path", "said"), [("none.json", "is not there"), ("none", "no folder and no .json")]
)
def test_check_of_what_is_not_there_is_wrong_use(cli: Cli, tmp_path: Path, path: str, said: str) -> None:
    refused = cli("tools", "check", str(tmp_path / path))
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err


def test_a_warning_alone_is_no_failure(cli: Cli, folder: Path) -> None:
    write_pair(folder, "none", [])
    checked = cli("tools", "check")
    assert (checked.code, "! " in checked.out) == (0, True)


def test_problems_are_told_by_the_list_and_the_doctor(cli: Cli, folder: Path) -> None:
    write_pair(folder, "a", [tool("a_good"), tool("a_bad", "1")])
    write_pair(folder, "b", "{")
    listed = cli("tools")
    assert listed.code == 0
    assert "2 problems: oneclaw tools check\n" in listed.err
    assert "a_good" in listed.out
    assert "a_bad" not in listed.out
    assert isinstance(cli("tools", "--json").json, list)
    finding = next(one for one in cli("doctor", "--json").json if one["topic"] == "tool files")
    assert finding["state"] == "warn"
    assert "a.json, entry 1: a_bad" in finding["text"]
    assert "(and 1 more)" in finding["text"]
    assert "oneclaw tools check" in finding["remedy"]


def test_the_doctor_finds_nothing_where_nothing_is_wrong_and_an_override_of_nothing(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    write_pair(folder, "a", [tool("a_good")])
    findings = {one["topic"]: one for one in cli("doctor", "--json").json}
    assert findings["tool files"]["state"] == "ok"
    assert findings["tool files"]["text"].startswith("1 tool from outside")
    assert findings["javascript"]["state"] == "ok"
    (tmp_path / "s.toml").write_text('[tools]\noverride = ["read_fil"]\n')
    findings = cli("--config", str(tmp_path / "s.toml"), "doctor", "--json").json
    finding = next(one for one in findings if one["topic"] == "tool files")
    assert (finding["state"], "'read_fil'" in finding["text"]) == ("warn", True)


EXAMPLES: list[dict[str, Any]] = [
    {"arguments": {"who": "you"}, "result": "hi you"},
    {"arguments": {}, "error": "validation_error"},
    {"arguments": {"who": "me"}},
]


def test_test_runs_the_examples_through_the_engine(cli: Cli, folder: Path) -> None:
    write_pair(folder, "a", [tool("a_hi", parameters=WHO, examples=EXAMPLES), tool("a_other")], HI)
    tested = cli("tools", "test", "a_hi")
    assert (tested.code, tested.out.splitlines()[-1]) == (0, "3 of 3 examples hold.")
    assert cli("tools", "test", "a").code == 0  # the whole group
    assert cli("log", "--tool", "a_hi", "--json").json[0]["tool"] == "a_hi"


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ({"arguments": {"who": "you"}, "result": "hello"}, 'it should give "hello", but it gave "hi you"'),
        ({"arguments": {"who": "you"}, "result": 7}, 'it should give 7, but it gave "hi you"'),
        (
            {"arguments": {"who": "you"}, "error": "timeout"},
            'it should fail with timeout, but it gave "hi you"',
        ),
        ({"arguments": {}, "result": "hi"}, "it gave validation_error: "),
    ],
)
def test_an_example_that_does_not_hold_is_said_and_ends_with_one(
    cli: Cli, folder: Path, example: dict[str, Any], said: str
) -> None:
    write_pair(folder, "a", [tool("a_hi", parameters=WHO, examples=[example])], HI)
    tested = cli("tools", "test", "a_hi")
    assert tested.code == 1
    assert said in tested.out
    (row,) = cli("tools", "test", "a_hi", "--json").json
    assert (row["ok"], said in row["why"]) == (False, True)


def test_a_failing_example_shows_its_log(cli: Cli, folder: Path) -> None:
    source = "function execute() { console.log('was here'); throw new Error('broken'); }"
    write_pair(folder, "a", single("a", examples=[{}]), source)
    tested = cli("tools", "test", "a")
    assert tested.code == 1
    assert "log: was here" in tested.out


@pytest.mark.parametrize(
    ("source", "result", "holds"),
    [
        ("return {a: [1, 2]}", {"a": [1, 2]}, True),
        ("return {a: [1, 2]}", {"a": [2, 1]}, False),
        ("return 7", 7, True),
        ("return '7'", "7", True),
        ("return true", 1, False),
        ("return", None, True),
        ("return 0", None, False),
        ("return 'null'", None, False),
    ],
)
def test_results_are_compared_as_values(
    cli: Cli, folder: Path, source: str, result: Any, holds: bool
) -> None:
    write_pair(folder, "a", single("a", examples=[{"result": result}]), f"function execute() {{ {source}; }}")
    assert cli("tools", "test", "a").code == (0 if holds else 1)


def test_a_tool_without_examples_says_how_to_add_them(cli: Cli, folder: Path) -> None:
    write_pair(folder, "a", single("a"))
    tested = cli("tools", "test", "a")
    assert (tested.code, "a has no examples: add `examples`" in tested.out) == (0, True)
    assert cli("tools", "test", "nothing_here").code == 3


def test_reload_shows_what_there_is(cli: Cli, folder: Path) -> None:
    place = write_pair(folder, "a", [tool("a_hi"), tool("a_bad", "1")])
    shown = cli("tools", "reload")
    assert (shown.code, shown.out) == (0, f"a_hi\tuser\t{place}\n")
    assert "1 problem: oneclaw tools check" in shown.err
    told = cli("tools", "reload", "--json").json
    [found] = told["tools"]
    assert (found["name"], found["origin"], found["place"]) == ("a_hi", "user", str(place))
    assert [problem["index"] for problem in told["problems"]] == [1]


def test_trust_loads_the_tools_of_a_project_and_untrust_leaves_them_out(cli: Cli, tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_pair(
        project / ".oneclaw" / "tools", "build", single("build"), "function execute() { return 'ok'; }"
    )
    here = ("--workspace", str(project))
    untrusted = cli(*here, "tools")
    assert "build" not in untrusted.out
    assert "1 problem: oneclaw tools check" in untrusted.err
    assert f"oneclaw tools trust {project}" in cli(*here, "tools", "check").out
    assert cli(*here, "call", "build").code == 3
    trusted = cli(*here, "tools", "trust")
    assert (trusted.code, "Loaded: build" in trusted.out) == (0, True)
    assert (cli(*here, "call", "build").out, cli(*here, "tools", "check").code) == ("ok\n", 0)
    assert "is already trusted" in cli("tools", "trust", str(project)).out
    # Trust is in that folder alone.
    other = tmp_path / "other"
    write_pair(other / ".oneclaw" / "tools", "build", single("build"))
    assert cli("--workspace", str(other), "call", "build").code == 3
    gone = cli("tools", "untrust", str(project), "--json")
    assert gone.json == {"folder": str(project), "trusted": False, "changed": True, "tools": []}
    assert cli(*here, "call", "build").code == 3
    assert "was not trusted" in cli("tools", "untrust", str(project)).out


def test_trust_without_a_folder_says_which_one_is_meant(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = cli("tools", "trust")
    assert "No folder is named, so this is about the workspace " in private.err
    assert "(private folder). Another one: oneclaw tools trust FOLDER" in private.err
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(project)
    assert cli("tools", "trust").out.startswith(f"{project} is trusted: ")
    shown = cli("skills", "untrust")
    assert shown.out.startswith(f"{project} is no longer trusted")
    assert "(git repository). Another one: oneclaw skills untrust FOLDER" in shown.err


def test_a_folder_that_is_not_there_cannot_be_trusted(cli: Cli, tmp_path: Path) -> None:
    refused = cli("tools", "trust", str(tmp_path / "nowhere"))
    assert (refused.code, "is no folder" in refused.err) == (2, True)


def test_show_why_portability_and_log_know_tools_from_files(cli: Cli, folder: Path) -> None:
    place = write_pair(folder, "a", [tool("a_hi", parameters=WHO)], HI)
    shown = cli("tools", "show", "a_hi").out
    assert "in a JavaScript worker" in shown
    assert f"user, {place}" in shown
    assert "a_hi is available" in cli("why", "a_hi").out
    assert "a_hi" in cli("tools", "portability", "a_hi").out
    assert cli("call", "a_hi", "who=you").out == "hi you\n"
    assert cli("tools", "off", "a_hi").code == 0
    assert cli("call", "a_hi", "who=you").code == 3
    assert [row["tool"] for row in cli("log", "--tool", "a_hi", "--json").json] == ["a_hi", "a_hi"]


@pytest.fixture
def typed(home: Path) -> argparse.Namespace:
    return argparse.Namespace(config=None, home=None, workspace=None, mode=None, action="list", name=None)


def test_tab_offers_tools_from_files_their_parameters_and_what_fits_each_action(
    folder: Path, typed: argparse.Namespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pair(folder, "a", [tool("a_hi", parameters=WHO)])
    write_pair(folder, "b", "{broken")
    assert tool_names("a_", typed) == ["a_hi"]
    assert "read_file" in tool_names("", typed)
    typed.name = "a_hi"
    assert call_words("", typed) == ["who="]
    assert call_words("who=", typed) == []
    typed.action = "test"
    assert "a_hi" in list(tools_words("", typed))
    assert "read_file" not in list(tools_words("", typed))
    typed.action = "new"
    assert list(tools_words("", typed)) == []
    typed.action = "check"
    (tmp_path / "there").mkdir()
    (tmp_path / "one.json").write_text("")
    (tmp_path / "one.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    assert {"one.json", "there/"} <= set(tools_words("", typed))
    assert "one.txt" not in set(tools_words("", typed))
    typed.action = "trust"
    assert "one.json" not in set(tools_words("", typed))
