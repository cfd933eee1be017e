"""What a person reads is what is there."""

import hashlib
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.text.display import TooDeep, one_line, quoted, read_shown, shown, visible

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
SHADY = st.text(
    st.sampled_from(
        "a b\\\"'\n\t\x00\x1b\x7f\x85\xa0\xad\u034f\u061c\u200b\u200e\u202e\u2066\u2028\u3164\ufe0f\ufeff"
        "\ud800\ue000\u0301\u2800\U000e0041\U000e0101nxu0"
    ),
    max_size=40,
)
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def unescape(text: str) -> str:
    """The inverse of `visible`, written apart from it."""
    short = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        return short.get(code) or chr(int(code[1:], 16))

    return re.sub(r"\\(\\|n|r|t|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})", one, text)


@given(ANY_TEXT | SHADY)
def test_nothing_hidden_is_left_and_nothing_is_lost(text: str) -> None:
    seen = visible(text)
    assert not {unicodedata.category(char) for char in seen} & HIDDEN
    assert all(char == " " for char in seen if unicodedata.category(char) == "Zs")
    assert unescape(seen) == text


@given(ANY_TEXT | SHADY, ANY_TEXT | SHADY)
def test_unlike_texts_look_unlike(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)
    assert (quoted(one) == quoted(other)) == (one == other)


@pytest.mark.parametrize(
    "code",
    [
        *range(0x20), *range(0x7F, 0xA1), 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x180E, 0x2000,
        *range(0x200B, 0x2010), *range(0x2028, 0x2030), *range(0x2060, 0x2070), 0x2800, 0x3000, 0x3164,
        0xD800, 0xDFFF, 0xE000, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0x1D159, 0xE0001, 0xE0041, 0xE007F,
        0xE0100, 0xE01EF, 0x10FFFF,
    ],
)  # fmt: skip
def test_each_deceiving_character_is_written_out(code: int) -> None:
    char = chr(code)
    seen = visible(f"a{char}b")
    assert char not in seen
    assert seen[0] == "a"
    assert seen[1] == "\\"
    assert seen[-1] == "b"


@pytest.mark.parametrize(
    "text", ["plain", "Ünïcödé", "日本語", "שלום", "привет", "🎉", "a\u0301", "ไทย", "x = 'y'; #"]
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_marks_do_not_pile_up_nor_sit_on_what_is_not_theirs() -> None:
    assert visible("\u0301a") == "\\u0301a"
    assert visible("a" + "\u0301" * 6) == "a" + "\u0301" * 4 + "\\u0301" * 2
    assert visible("\n\u0301") == "\\n\\u0301"
    assert visible("a\ufe0f\u0301") == "a\\ufe0f\\u0301"


def test_quotes_show_blanks_at_the_ends_and_cannot_be_closed_from_within() -> None:
    assert quoted("a ") == '"a "'
    assert quoted('x", approved = "yes') == '"x\\", approved = \\"yes"'


def test_a_value_is_shown_as_json_with_its_texts_escaped() -> None:
    value = {"list": [1, 2.5, None, True, False, "a\nb"], "deep": {"key\u202e": "\x1b[2K"}}
    assert shown(value) == (
        '{"list": [1, 2.5, null, true, false, "a\\nb"], "deep": {"key\\u202e": "\\x1b[2K"}}'
    )


def test_a_text_is_shown_whole_up_to_the_bound() -> None:
    text = "x" * 10_000
    assert shown(text) == quoted(text)


def test_a_longer_text_says_that_it_is_cut_how_long_it_is_and_its_hash() -> None:
    text = "begin" + "x" * 20_000 + "end"
    seen = shown(text)
    assert seen.startswith('"begin')
    assert seen.endswith('end"')
    assert "20008 characters in all" in seen
    assert hashlib.sha256(text.encode()).hexdigest() in seen
    assert len(seen) < 10_300


def test_two_long_texts_that_differ_only_where_it_is_cut_look_unlike() -> None:
    assert shown("x" * 9_000 + "a" + "x" * 9_000) != shown("x" * 9_000 + "b" + "x" * 9_000)
    assert shown([0] * 9_000 + [1] + [0] * 9_000) != shown([0] * 9_000 + [2] + [0] * 9_000)


def test_long_texts_inside_a_value_are_shortened_before_the_value_is() -> None:
    seen = shown({"first": "a" * 9_000, "second": "b" * 9_000, "third": "small"})
    assert seen.count("cut here for display: 9000 characters") == 2
    assert '"third": "small"' in seen


def test_a_sentence_is_shown_without_quotes_and_cut_the_same_way() -> None:
    assert one_line("a\nb") == "a\\nb"
    assert "300 characters in all" in one_line("y" * 300, 100)


def test_a_value_nested_too_deeply_is_refused_not_half_shown() -> None:
    value: Any = "core"
    for _ in range(60):
        value = [value]
    assert '"core"' in shown(value)
    for _ in range(5_000):
        value = [value]
    with pytest.raises(TooDeep):
        shown(value)


def test_what_is_not_json_is_shown_by_its_name_and_escaped() -> None:
    class Odd:
        def __repr__(self) -> str:
            return "odd\u202e"

    assert shown([Odd()]) == '["odd\\u202e"]'
    assert shown({"n": 10**5_000}).startswith('{"n": 0x')


@given(st.recursive(ANY_TEXT | SHADY | st.integers(), st.lists, max_leaves=4) | st.booleans() | st.none())
def test_what_is_shown_whole_can_be_read_back(value: Any) -> None:
    assert read_shown(shown(value)) == (value,)


def test_what_was_cut_is_not_read_back() -> None:
    assert read_shown(shown("x" * 10_001)) is None
    assert read_shown(shown(["x" * 900] * 20)) is None
