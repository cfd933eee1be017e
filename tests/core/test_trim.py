"""Trimming: the limit holds, the length is named, and no character is torn apart."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.trim import safe_cut, trim

How = Literal["head", "middle"]


def test_text_that_fits_is_left_alone() -> None:
    assert trim("abc", 3).text == "abc"
    assert trim("abc", 3).truncated_from is None


def test_the_head_is_kept_and_the_length_named() -> None:
    cut = trim("x" * 30_000, 20_000)
    assert len(cut.text) <= 20_000
    assert cut.truncated_from == 30_000
    assert "of 30,000 characters" in cut.text
    assert cut.text.startswith("xxxx")


def test_the_middle_goes_and_both_ends_stay() -> None:
    cut = trim("START" + "x" * 30_000 + "END", 1_000, "middle")
    assert cut.text.startswith("START")
    assert cut.text.endswith("END")
    assert len(cut.text) <= 1_000


def test_the_file_that_holds_the_whole_is_named() -> None:
    cut = trim("x" * 30_000, 1_000, kept_in="/s/call_1.txt")
    assert "/s/call_1.txt" in cut.text
    assert "read_file" in cut.text


@pytest.mark.parametrize("text", ["e\u0301", "👩\u200d🔬", "👍🏽", "☝️", "\r\n"])
def test_a_cut_does_not_tear_a_character_from_its_marks(text: str) -> None:
    assert safe_cut("ab" + text + "cd", 3) == 2


@given(st.text(max_size=400), st.integers(0, 300), st.sampled_from(["head", "middle"]))
def test_the_limit_always_holds_and_what_is_shown_was_there(text: str, chars: int, how: How) -> None:
    cut = trim(text, chars, how)
    assert len(cut.text) <= chars or cut.text == text
    assert (cut.truncated_from is None) == (len(text) <= chars)
    cut.text.encode("utf-8", "surrogatepass")


@given(st.text(max_size=50), st.integers(-5, 60))
def test_a_safe_cut_is_never_past_the_place_asked_for(text: str, at: int) -> None:
    assert 0 <= safe_cut(text, at) <= max(0, min(at, len(text)))
