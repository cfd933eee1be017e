"""Values, names and places in messages: short, plain, and what they are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.check.problem import SHOWN_CHARS, json_path, name_type, nearest, quote, render_path, show

VALUES: list[tuple[Any, str, str]] = [
    ("ten", '"ten"', 'the string "ten"'),
    ('a"\n', '"a\\"\\n"', 'the string "a\\"\\n"'),
    (5, "5", "the integer 5"),
    (5.5, "5.5", "the number 5.5"),
    (True, "true", "the boolean true"),
    (None, "null", "null"),
    ([1], "an array of 1 item", "an array of 1 item"),
    ([1] * 2_000, "an array of 2,000 items", "an array of 2,000 items"),
    ({}, "an empty object", "an empty object"),
    ({"a": 1}, 'an object with "a"', 'an object with "a"'),
    (dict.fromkeys("abcd"), 'an object with "a", "b", "c" …', 'an object with "a", "b", "c" …'),
    (10**100, "an integer of about 99 digits", "an integer of about 99 digits"),
    (b"x", "a Python bytes", "a Python bytes"),
]


@pytest.mark.parametrize(("value", "short", "typed"), VALUES, ids=[typed for _, _, typed in VALUES])
def test_a_value_is_shown_short_and_with_its_type(value: Any, short: str, typed: str) -> None:
    assert show(value) == short
    assert name_type(value) == typed


@given(st.text(max_size=300))
def test_a_quoted_text_prints_and_stays_short(text: str) -> None:
    assert quote(text).isprintable()
    assert len(quote(text)) <= 2 * SHOWN_CHARS + 1


@pytest.mark.parametrize(
    ("path", "rendered", "in_a_document"),
    [
        ((), "", "$"),
        (("a",), "a", "$.a"),
        (("a", 0, "b"), "a[0].b", "$.a[0].b"),
        ((0,), "[0]", "$[0]"),
        (("a b", "$ref"), '["a b"].$ref', '$["a b"].$ref'),
        (("a\ufe0f", "b\u200c"), '["a\\ufe0f"]["b\\u200c"]', '$["a\\ufe0f"]["b\\u200c"]'),
    ],
)
def test_a_place_is_written_as_a_path(path: Any, rendered: str, in_a_document: str) -> None:
    assert render_path(path) == rendered
    assert json_path(path) == in_a_document


def test_a_place_stays_short_however_deep_it_is() -> None:
    assert len(render_path(("x" * 1_000,) * 1_000)) < 1_200


def test_the_nearest_name_is_found_if_any_is_near() -> None:
    assert nearest("file_pat", ["file_path", "offset"]) == "file_path"
    assert nearest("zzz", ["file_path", "offset"]) is None
    assert nearest("x" * 1_000_000, [f"name{number}" for number in range(10_000)]) is None
