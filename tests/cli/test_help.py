"""`oneclaw help`: the topics, one of them, a command, and a name that nothing has."""

import argparse
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment

from oneclaw.cli.completion import help_topics
from oneclaw.cli.help import LINK
from oneclaw.cli.main import COMMANDS
from oneclaw.cli.topics import FOLDER, ORDER, read_topic, topics

Cli = Any
ROOT = Path(__file__).parents[2]


def test_the_topics_are_listed_with_the_first_steps_first(cli: Cli) -> None:
    listed = cli("help").out.splitlines()
    assert listed[0] == "start\tThe first steps"
    assert [line.split("\t")[0] for line in listed] == topics()
    assert set(ORDER) < {path.stem for path in FOLDER.glob("*.md")} == set(topics())


@pytest.mark.parametrize("name", topics())
def test_a_topic_is_short_has_commands_and_names_pages_that_are_there(cli: Cli, name: str) -> None:
    shown = cli("help", name)
    assert (shown.code, shown.err) == (0, "")
    assert "    oneclaw " in shown.out or "oneclaw completion" in shown.out
    assert "```" not in shown.out
    assert len(read_topic(name).splitlines()) <= 24
    assert all(len(line) <= 82 for line in shown.out.splitlines() if line.startswith("    "))
    for _, target in LINK.findall(read_topic(name)):
        assert (ROOT / "docs" / "reference" / target).is_file()
    assert (f"oneclaw {name} --help" in shown.out) == (name in COMMANDS)


def test_a_command_without_a_topic_has_its_own_help(cli: Cli) -> None:
    shown = cli("help", "log")
    assert shown.code == 0
    assert shown.out.startswith("usage: oneclaw log")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("permission", "there is no help on 'permission'. Did you mean permissions?"),
        ("undu", "there is no help on 'undu'. Did you mean undo?"),
        ("xyzzy", "there is no help on 'xyzzy'. `oneclaw help` lists the topics."),
        ("a\x1b[31m", "there is no help on 'a\\x1b[31m'. `oneclaw help` lists the topics."),
    ],
)
def test_a_name_that_nothing_has_is_one_sentence(cli: Cli, name: str, said: str) -> None:
    told = cli("help", name)
    assert (told.code, told.out, told.err) == (2, "", f"oneclaw: {said}\n")


def test_topics_and_commands_are_completed() -> None:
    typed = argparse.Namespace()
    assert help_topics("perm", parsed_args=typed) == ["permissions"]
    assert help_topics("lo", parsed_args=typed) == ["log"]


def test_a_topic_on_a_terminal_fits_and_has_colour(tmp_path: Path) -> None:
    with Terminal("help", "undo", environment=environment(tmp_path / "home"), columns=60) as terminal:
        assert terminal.end() == 0
        assert "Undo what an agent changed" in terminal.screen.text
        assert "\x1b[1" in terminal.raw
        assert max(map(len, terminal.screen.lines)) <= 60
