"""A pattern taken apart says what it said as a whole."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.check.pattern import take_apart


@pytest.mark.parametrize(
    "pattern",
    ["a", "(?!a)b", "^a", "^(?!a)b|c", "^(?=a)*b", "^(?=a)?b", "^(?!a", "^a(?!b)", "^(?<=a)b", "(^(?!a)b)"],
)
def test_other_patterns_are_left_whole(pattern: str) -> None:
    assert take_apart(pattern) == []


PATTERNS = [
    r"^(?!\s*$).+",
    r"^(?=.*[A-Z])(?=.*\d).{3,}$",
    r"^(?!.*\.\.)[\w./-]+$",
    r"^(?!(a|b)[)|])x?(y|z|a|b)",
    r"^(?=a\)|b)[ab()|)]+",
    r"^(?!)",
    r"^(?=)",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text(alphabet="aAbxyz1./)(| \\", max_size=8))
def test_the_pieces_agree_with_the_whole(pattern: str, text: str) -> None:
    pieces = take_apart(pattern)
    assert pieces
    by_pieces = all((re.search(piece.pattern, text) is not None) is piece.is_wanted for piece in pieces)
    assert by_pieces is (re.search(pattern, text) is not None)
