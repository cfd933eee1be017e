"""Diffs on a terminal: coloured, bounded, and safe to look at."""

import pytest

from oneclaw.cli.diff import ASKED_LINES, count_of, diff_lines, diff_of, without_shown
from oneclaw.core.question import Question
from oneclaw.core.text.diff import compare
from oneclaw.core.text.display import shown


def test_each_kind_of_line_has_its_colour() -> None:
    diff = compare(b"one\n--two\n", b"one\n2\n", "notes.txt").to_json()
    assert list(diff_lines(diff)) == [
        ("--- notes.txt", "bold"),
        ("+++ notes.txt", "bold"),
        ("@@ -1,2 +1,2 @@", "cyan"),
        (" one", ""),
        ("---two", "red"),
        ("+2", "green"),
    ]


def test_a_long_diff_is_cut_and_the_rest_is_counted() -> None:
    lines = list(diff_lines(compare(None, b"x\n" * 1_000, "a").to_json(), 10))
    assert len(lines) == 11
    assert lines[-1] == ("… 993 more lines", "dim")
    assert list(diff_lines({"text": "a\nb"}, 1))[-1].text == "… 1 more line"


def test_what_could_deceive_is_escaped_and_code_stays_readable() -> None:
    (line,) = diff_lines({"text": "+a\\n\tb\x1b[2J\u202e"})
    assert line.text == "+a\\n" + "b".rjust(5) + "\\x1b[2J\\u202e"
    assert next(diff_lines({"text": " a\r"})).text == " a"
    assert next(diff_lines({"text": "+a\r"})).text == "+a\\r"


def test_lines_are_counted_where_any_changed() -> None:
    assert count_of({"added": 12, "removed": 3}) == "+12 −3"
    assert count_of({"added": 0, "removed": 0}) == ""
    assert count_of(None) == ""


def test_details_without_a_diff_have_none() -> None:
    assert diff_of(None) is None
    assert diff_of({"diff": "text"}) is None
    assert diff_of({"diff": {"text": "x"}}) == {"text": "x"}


def asked(content: str, in_diff: tuple[str, ...] = ("content",)) -> list[str]:
    """The lines of a question about a file with this content, which its diff shows."""
    arguments = {"path": "a", "content": shown(content)}
    text = "\n".join(["Asks:", "Arguments:", *(f"  {name} = {value}" for name, value in arguments.items())])
    diff = compare(None, content.encode(), "a").to_json()
    question = Question(
        tool="write_file",
        session="",
        agent="",
        text=text,
        arguments=arguments,
        diff=diff,
        in_diff=in_diff,
    )
    return without_shown(question)


def test_an_argument_that_the_diff_shows_is_not_shown_a_second_time() -> None:
    assert asked("one\n\ttwo\n") == ["Asks:", "Arguments:", "  path = a"]


@pytest.mark.parametrize(
    "content",
    ["x\n" * (ASKED_LINES - 3) + "the last line is below the cut\n", "a\x1b[2J\n", "a\u202eb\n", "a\r\n"],
    ids=["long", "control", "bidirectional", "return"],
)
def test_an_argument_that_the_diff_cuts_or_escapes_is_shown_too(content: str) -> None:
    assert asked(content)[-1] == f"  content = {shown(content)}"


def test_an_argument_that_is_not_in_the_diff_is_shown() -> None:
    assert asked("one\n", in_diff=())[-1] == '  content = "one\\n"'
