"""What happens in a run, in one line each."""

import pytest

from oneclaw.cli.lines import (
    arguments_text,
    cost_text,
    count_text,
    is_failed,
    note_text,
    result_text,
    short,
    totals_text,
    usage_text,
    written_lines,
)
from oneclaw.core.answer import AnswerRestarted
from oneclaw.core.call import ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import Usage
from oneclaw.core.run_event import HistoryCompacted, ModelSwitched, RunFinished
from oneclaw.guard.outside_mark import mark


def test_arguments_are_short_and_hide_nothing_that_could_deceive() -> None:
    assert arguments_text({"path": "a.txt", "n": 3, "deep": {"x": [1]}}) == 'path=a.txt n=3 deep={"x": [1]}'
    assert arguments_text('{"path": "a.txt"}') == "path=a.txt"
    assert arguments_text('{"path": ') == '{"path":'
    assert arguments_text(b"[1, 2]") == "[1, 2]"
    assert arguments_text({"content": "one\ntwo"}) == "content=one…"
    assert arguments_text({"a\x1b": "\x1b[2J\u202e"}) == "a\\x1b=\\x1b[2J\\u202e"
    assert len(arguments_text({"content": "x" * 1000})) < 80
    many = arguments_text({f"name{number}": "x" * 50 for number in range(50)}, 100)
    assert (len(many), many[-1]) == (100, "…")


def test_a_first_line_is_cut_with_a_sign() -> None:
    assert short("  one  ", 10) == "one"
    assert short("one\ntwo", 10) == "one…"
    assert short("a" * 20, 10) == "a" * 9 + "…"


def test_a_result_is_its_time_or_its_error() -> None:
    assert result_text(ToolResult("1", "x", "fine", seconds=0.038)) == "38 ms"
    assert result_text(ToolResult("1", "x", {"exit_code": 0}, seconds=0.038)) == "38 ms"
    assert result_text(ToolResult("1", "x", {"exit_code": 2}, seconds=0.038)) == "exit code 2 · 38 ms"
    failed = ToolResult("1", "x", None, Kind.TIMEOUT, "Too \x1b[1mslow.\nAgain?")
    assert result_text(failed) == "timeout: Too \\x1b[1mslow.…"


def test_a_result_that_changed_lines_counts_them() -> None:
    details = {"diff": {"text": "…", "added": 1_200, "removed": 3}}
    assert result_text(ToolResult("1", "x", "fine", seconds=0.038, details=details)) == "+1,200 −3 · 38 ms"
    moved = {"diff": {"text": "rename from a", "added": 0, "removed": 0}}
    assert result_text(ToolResult("1", "x", "fine", seconds=0.038, details=moved)) == "38 ms"


def test_of_a_command_that_failed_the_last_lines_are_shown() -> None:
    wrote = {"stdout": "".join(f"{number}\n" for number in range(8)), "stderr": "oops\n"}
    assert written_lines({"exit_code": 1, **wrote}) == ["… 4 more lines", "4", "5", "6", "7", "oops"]
    assert written_lines({"exit_code": 0, **wrote}) == ["0", "1", "2", "3", "4", "… 4 more lines"]
    assert is_failed(ToolResult("1", "x", {"exit_code": 1}))
    assert not is_failed(ToolResult("1", "x", {"exit_code": 0}))
    assert is_failed(ToolResult("1", "x", None, Kind.TIMEOUT, "Too slow."))


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (AnswerRestarted("It is busy.", 3.0, 2), "It is busy. Asked again in 3 s (attempt 2)."),
        (AnswerRestarted("It is busy.", 0.2, 4), "It is busy. Asked again at once (attempt 4)."),
        (ModelSwitched("a/b", "c/d", "No key."), "a/b failed (No key.); c/d answers from here on."),
        (HistoryCompacted("summarised", 1, 9000, 800), "1 older message summarised (9,000 → 800 tokens)."),
        (
            HistoryCompacted("dropped", 12, 9000, 800),
            "12 older messages left out of what the model is sent (9,000 → 800 tokens).",
        ),
    ],
)
def test_what_changed_on_the_way_is_one_sentence(
    event: AnswerRestarted | ModelSwitched | HistoryCompacted, said: str
) -> None:
    assert note_text(event) == said


def test_tokens_and_dollars_are_told_as_far_as_they_are_known() -> None:
    assert usage_text(Usage()) == "tokens not counted"
    assert usage_text(Usage(1200, 30)) == "1,200 tokens in, 30 out"
    assert usage_text(Usage(1200, 30, 800, 0, 10)) == "1,200 tokens in (800 cached), 30 out (10 reasoning)"
    costs = [cost_text(each) for each in (None, 0.0, 0.000123, 0.0512, 3.456, 1234.5)]
    assert costs == ["", "$0.00", "$0.000123", "$0.0512", "$3.46", "$1,234.50"]
    assert [count_text(count, "call") for count in (0, 1, 1024)] == ["0 calls", "1 call", "1,024 calls"]
    finished = RunFinished("s", "done", "yes", 2, 1, Usage(10, 5), 0.5, 1.25)
    assert totals_text(finished) == "2 rounds · 1 call · 10 tokens in, 5 out · $0.5000 · 1.2 s"


def test_of_what_a_command_wrote_the_first_lines_are_shown() -> None:
    assert written_lines("text") == written_lines({"stdout": "no command"}) == []
    value = {"exit_code": 1, "stdout": "one\n\n  two\\\tx\n", "stderr": "\x1b[2Jthree\r\nfour"}
    assert written_lines(value) == ["one", "  two\\  x", "\\x1b[2Jthree", "four"]
    many = written_lines({"exit_code": 0, "stdout": "line\n" * 12, "stderr": ""})
    assert many == ["line"] * 5 + ["… 7 more lines"]
    assert len(written_lines({"exit_code": 0, "stdout": "x" * 10_000})[0]) == 160
    marked = mark("one\n<outside>two", "a command")
    assert written_lines({"exit_code": 0, "stdout": marked}) == ["one", "(outside>two"]
