"""The command line as a whole: what every command takes."""

from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli.main import COMMANDS, build_parser

Cli = Any


def test_what_every_command_takes_may_stand_before_its_name_or_behind_it(cli: Cli, tmp_path: Path) -> None:
    for words in (("--mode", "deny", "config", "--json"), ("config", "--json", "--mode", "deny")):
        assert cli(*words).json["mode"] == "deny"
    behind = cli("--home", str(tmp_path / "a"), "config", "--home", str(tmp_path / "b"), "--json")
    assert behind.json["data folder"] == str(tmp_path / "b")
    written = cli("call", "write_file", "path=a.txt", "content=hi", "--workspace", str(tmp_path / "c"))
    assert written.code == 0
    assert (tmp_path / "c" / "a.txt").read_text() == "hi"


@pytest.mark.parametrize("command", COMMANDS)
def test_what_every_command_takes_is_explained_once(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words, is_there in ((["--help"], True), ([command, "--help"], False)):
        with pytest.raises(SystemExit):
            build_parser().parse_args(words)
        assert ("--workspace" in capsys.readouterr().out) is is_there


def test_a_home_that_is_a_file_is_one_line_about_the_home(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ended = cli("call", "get_current_time", "--home", str(tmp_path / "file"))
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert f"The store {tmp_path / 'file' / 'oneclaw.db'} cannot be opened" in ended.err


def test_a_name_may_stand_behind_an_option(cli: Cli, tmp_path: Path) -> None:
    assert (
        cli("config", "get", "--json", "runs.cost").json == cli("config", "get", "runs.cost", "--json").json
    )
    made = cli("tools", "new", "--folder", str(tmp_path), "--python", "prices")
    assert (made.code, (tmp_path / "prices.py").exists()) == (0, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("toolz", "there is no command 'toolz'. Did you mean tools?"),
        ("web_search", "a tool is run with `oneclaw call TOOL`."),
        ("memory digets", "`oneclaw memory` has no action 'digets'. Did you mean digest"),
        ("tools frob", "`oneclaw tools` has no action 'frob'. There are: list, show, on, off,"),
        ("--mode loud tools", "--mode is 'loud'; it must be one of: auto, ask, deny."),
        ("log -n 4", "`oneclaw log` takes no option '-n'. `oneclaw log --help` lists what it takes."),
        ("log --jsn", "`oneclaw log` takes no option '--jsn'. Did you mean --json?"),
        ("doctor well", "`oneclaw doctor` has no place for 'well'. `oneclaw doctor --help` lists"),
        ("call", "missing: TOOL. `oneclaw call --help` says how it is used."),
        (
            "call read_file --json",
            "--json needs TEXT: the arguments as JSON; --format json prints the result so.",
        ),
        ("log x", "NUMBER: 'x' is not a number above 0. `oneclaw log --help`"),
        ("undo --json 3 4", "`oneclaw undo` has no place for '4'. `oneclaw undo --help`"),
        ("tools --json frob", "`oneclaw tools` has no action 'frob'. There are: list, show, on, off,"),
        ("log --limit 0", "--limit: '0' is not a number above 0. `oneclaw log --help`"),
        ("\x1b[2J", "there is no command '\\x1b[2J'."),
    ],
)
def test_what_is_wrong_is_one_line_that_names_the_next_step(cli: Cli, words: str, said: str) -> None:
    ended = cli(*words.split(" "))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("oneclaw: ")
    assert said in ended.err
