"""What a terminal shows, at the widths people have: nothing is broken inside a word, nothing pushed off."""

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.text import Text
from tests.cli.vt import ONECLAW, Terminal, environment, script

from oneclaw.cli.command_name import command_name
from oneclaw.cli.running_call import RunningCall, add_arguments, going_line
from oneclaw.cli.terminal import folded
from oneclaw.core.permit.grant import Grant
from oneclaw.core.settings.schema import SETTINGS
from oneclaw.store.store import Store

Cli = Any
pytestmark = pytest.mark.slow


def on_screen(
    words: list[str], home: Path, program: tuple[str, ...] = ONECLAW, columns: int = 80, **more: str
) -> str:
    """All that a command leaves on a terminal."""
    variables = environment(home, **more)
    with Terminal(*words, environment=variables, columns=columns, program=program) as terminal:
        assert terminal.end() in (0, 1), terminal.raw
        return terminal.raw.replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_log_has_one_line_a_call_and_its_number_however_narrow_the_screen(
    home: Path, cli: Cli, columns: int
) -> None:
    cli("call", "write_file", "path=a.txt", "content=" + "long words " * 30)
    cli("call", "read_file", "path=../nowhere.txt")
    lines = on_screen(["log"], home, NO_COLOR="1", columns=columns).splitlines()
    assert max(map(len, lines)) <= columns
    assert [line.split()[0] for line in lines[2:]] == ["2", "1"]
    assert ["✗" in line for line in lines[2:]] == [True, False]
    assert "read_file" in lines[2]
    assert lines[3].endswith("…")


def test_without_colour_a_table_is_still_a_table(home: Path) -> None:
    lines = on_screen(["tools"], home, NO_COLOR="1").splitlines()
    assert "\t" not in "".join(lines)
    assert lines[0].split() == ["TOOL", "NEEDS", "LABEL"]
    assert {line.index("files.") for line in lines if " files." in line} == {lines[0].index("NEEDS")}


@pytest.mark.parametrize(
    "words", [["tools"], ["features"], ["log"], ["memory"], ["models"], ["tools", "show", "read_file"]]
)
def test_on_a_narrow_screen_nothing_is_pushed_off_and_no_mark_is_lost(
    home: Path, cli: Cli, words: list[str]
) -> None:
    cli("call", "memory_store", "key=城市 🏔", "value=" + "東京 " * 30)
    lines = on_screen(words, home, NO_COLOR="1", columns=40).splitlines()
    assert max(map(cell_len, lines)) <= 40
    if words == ["tools"]:
        assert {line.split()[0] for line in lines if line.endswith(("_file", "_request"))} == {"on"}
        assert "off  execute_shell_command" in lines
    if words == ["log"]:
        assert re.fullmatch(r"1  [\d:]+  ✓  memory_store", lines[0])


@pytest.mark.parametrize("columns", [40, 80])
def test_help_is_wrapped_and_in_colour_on_a_screen_and_plain_in_a_pipe(
    home: Path, cli: Cli, columns: int
) -> None:
    coloured = on_screen(["models", "--help"], home, columns=columns)
    assert "\x1b[" in coloured
    plain = on_screen(["models", "--help"], home, columns=columns, NO_COLOR="1")
    assert "\x1b[" not in plain
    assert max(map(len, plain.splitlines())) <= columns
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    piped = cli("models", "--help").out
    assert "\x1b" not in piped
    assert "  oneclaw models ollama --check      ask the server whether it answers" in piped


def test_between_the_blocks_of_an_answer_is_one_empty_line(home: Path, cli: Cli, tmp_path: Path) -> None:
    answer = "One:\n\n| a | b |\n|---|---|\n| c | d |\n\n```\ncode\n```\n\nTwo."
    cli("run", "--model", script(tmp_path, answer), "hi")
    lines = [
        line.strip() for line in on_screen(["sessions", "show", "last"], home, NO_COLOR="1").splitlines()
    ]
    said = lines[lines.index("One:") : lines.index("Two.")]
    assert [line for line in said if "─" not in line] == ["One:", "", "a  b", "c  d", "", "code", ""]


@pytest.mark.parametrize("width", [60, 80])
def test_a_call_takes_one_line_however_wide_its_letters_are(width: int) -> None:
    going = RunningCall("write_file", {"path": "漢字" * 30, "note": "x" * 50}, said="進捗 " * 3)
    assert going_line(going, width).cell_len <= width
    line = Text("✓ write_file")
    add_arguments(line, {"path": "漢字" * 30}, width - line.cell_len - 1)
    assert line.cell_len <= width
    assert line.plain.startswith("✓ write_file path=漢字漢")


@pytest.mark.parametrize(("columns", "first"), [(100, "ID "), (60, "ab12")])
def test_grants_are_a_table_where_there_is_room_and_sessions_have_short_names(
    home: Path, cli: Cli, columns: int, first: str
) -> None:
    cli("call", "get_current_time")
    grant = Grant(
        id="ab12cd34ef",
        need="shell",
        tool="execute_shell_command",
        verdict="allow",
        scope="session",
        holder="01a1e42f8db8-ff16530cc751ad7f",
        about="run: " + "echo hi; " * 9,
        digest="0" * 64,
    )
    with Store(home / "oneclaw.db") as store:
        asyncio.run(store.grants.add(grant))
    seen = on_screen(["grants"], home, NO_COLOR="1", columns=columns)
    assert seen.startswith(first)
    assert "session ff16530c" in seen
    assert max(map(len, seen.splitlines())) <= columns


def test_prose_is_folded_between_words_and_a_long_word_stays_whole() -> None:
    path = "/" + "x" * 30
    assert folded("one two three", 9) == "one two\nthree"
    assert folded("  in far enough", 9) == "  in far\n  enough"
    assert folded("a  b", 9) == "a  b"
    assert folded(f"see {path} now", 12) == f"see\n{path}\nnow"
    assert folded(f"see {path} now", 12, indent=4) == f"see {path}\n    now"
    assert folded("日本語 日本語", 8) == "日本語\n日本語"
    assert folded("one\n\ntwo", 9) == "one\n\ntwo"


def test_what_doctor_says_stands_in_its_column(home: Path) -> None:
    lines = on_screen(["doctor"], home, NO_COLOR="1", columns=60).splitlines()
    assert all(line[14:].strip() and line[13] == " " for line in lines)
    assert any(line.startswith(" " * 14) for line in lines)


def test_the_demonstration_says_how_to_go_on_where_the_shell_does_not_know_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As `make run` starts it: by its path, in a shell that has no `oneclaw`.
    folder = Path(sys.executable).parent
    monkeypatch.setattr(sys, "argv", [str(folder / "oneclaw"), "demo"])
    for path, named in (("/nowhere", os.path.relpath(sys.argv[0])), (str(folder), "oneclaw")):
        monkeypatch.setenv("PATH", path)
        assert command_name() == named


def test_the_demonstration_breaks_what_is_long_under_where_it_began(home: Path) -> None:
    shown = """
from oneclaw.cli.demo_conversation import show_call
from oneclaw.core.call import ToolResult
from oneclaw.core.event import ToolFinished
result = ToolResult("a", "write_file")
show_call(ToolFinished("a", "write_file", "", "", result), {"content": "one two three four five six"})
"""
    lines = on_screen([], home, (sys.executable, "-c", shown), NO_COLOR="1", columns=30).splitlines()
    assert [line.index(line.strip()) for line in lines] == [2, 5, 5]


@pytest.mark.covers("KAI-CO-03")
def test_off_is_not_shown_in_the_colour_of_on(home: Path, cli: Cli) -> None:
    cli("tools", "off", "http_request")
    seen = on_screen(["tools"], home)
    assert "\x1b[32mon" in seen
    assert "\x1b[31moff" in seen


def test_a_tool_is_shown_with_a_line_for_each_parameter(home: Path) -> None:
    lines = on_screen(["tools", "show", "read_file"], home, NO_COLOR="1").splitlines()
    words = {line.split()[0]: line for line in lines if line.strip()}
    assert words["path"].split()[:3] == ["path", "*", "string"]
    assert "Default: 1." in words["offset"]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("columns", [60, 80])
def test_no_setting_is_cut_off_at_the_edge(home: Path, columns: int) -> None:
    seen = on_screen(["config", "--all"], home, NO_COLOR="1", columns=columns)
    meanings = " ".join(" ".join(line.split()) for line in seen.splitlines())
    for word in {word for setting in SETTINGS for word in setting.meaning.split()}:
        assert word in meanings
