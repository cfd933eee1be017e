"""Patterns find the lines they match, each line on its own, and never stall."""

import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oneclaw.core.text.regex import InvalidPattern, LinePattern


def lines(pattern: str, text: str, *, ignore_case: bool = False) -> list[tuple[str, int]]:
    data = text.encode()
    found = (line for line in LinePattern(pattern, ignore_case=ignore_case).find(data) if line is not None)
    return [(data[line.start : line.end].decode(), line.column) for line in found]


def test_matching_lines_come_in_order_with_their_column() -> None:
    assert lines("b+", "abb\nxx\nb\n\nccb") == [("abb", 1), ("b", 0), ("ccb", 2)]
    assert lines("B", "abb\nxx", ignore_case=True) == [("abb", 1)]
    assert lines("é|€", "aé\n€") == [("aé", 1), ("€", 0)]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^b", ["bc"]),
        ("a$", ["a", "ca"]),
        (r"\Ab", ["bc"]),
        (r"a\z", ["a", "ca"]),
        ("(?-m)^b", ["bc"]),
        (r"\s", []),
        (r"a\s*b", []),
        (r"a[^x]b", []),
        ("^$", [""]),
        ("", ["a", "bc", "", "ca"]),
        ("(?s)a.b", []),
        (r"\bca\b", ["ca"]),
    ],
)
def test_a_match_does_not_reach_over_a_line(pattern: str, found: list[str]) -> None:
    assert [line for line, _ in lines(pattern, "a\nbc\n\nca\n")] == found


@given(
    st.lists(st.text("ab \n", max_size=30), max_size=8).map("".join),
    st.lists(
        st.sampled_from(["a", "b", r"\s", "^", "$", "[^a]", "*", "|", "(a|b)+", r"\b", "."]), max_size=5
    ).map("".join),
)
def test_any_pattern_finds_what_python_finds_line_by_line(text: str, pattern: str) -> None:
    try:
        expected = re.compile(pattern)
        LinePattern(pattern)
    except (re.error, InvalidPattern):
        assume(False)
        raise
    rows = text.removesuffix("\n").split("\n") if text else []
    assert [line for line, _ in lines(pattern, text)] == [row for row in rows if expected.search(row)]


def test_pieces_of_a_long_text_join_without_a_seam() -> None:
    text = "".join(f"row {number} {'x' * (number % 97)}\n" for number in range(20_000))
    assert len(lines("^row [0-9]+ x*$", text)) == 20_000
    assert [line.split()[1] for line, _ in lines("^row 1[0-9]{4} $", text)] == [
        str(number) for number in range(10_000, 20_000) if number % 97 == 0
    ]


def test_a_line_without_end_is_searched_in_parts() -> None:
    text = b"x" * 3_000_000 + b"needle" + b"x" * 3_000_000 + b"\nneedle\n"
    pattern = LinePattern("needle")
    found = list(pattern.find(text))
    assert found.count(None) >= 6
    assert [text[line.start + line.column :][:6] for line in found if line is not None] == [b"needle"] * 2
    assert [text.count(b"\n", 0, line.start) for line in found if line is not None] == [0, 1]


@pytest.mark.parametrize(
    "pattern",
    ["(", "[", "a(?=b)", r"(a)\1", "*", "(?P<n", "a{1001}", "\ud800", "x" * 1001, r"((\pL{1,50}){1,5}){1,5}"],
)
def test_what_cannot_be_used_is_refused_with_the_reason(pattern: str) -> None:
    with pytest.raises(InvalidPattern) as caught:
        LinePattern(pattern)
    assert str(caught.value)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){12}", "(a|a)*b", r"^(([a-z])+.)+[A-Z]([a-z])+$"]
)
def test_patterns_that_stall_others_do_not_stall(pattern: str) -> None:
    began = time.monotonic()
    lines(pattern, "a" * 50_000 + "!\n" + "aaaa!\n" * 1_000)
    assert time.monotonic() - began < 10  # milliseconds; the machine may be busy
