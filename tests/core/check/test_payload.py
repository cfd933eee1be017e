"""Text and bytes become one object: strict JSON first, then forgiving, within limits."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.check.payload import read
from oneclaw.core.check.plain import ARGUMENT_BYTES, ArgumentsRefused
from oneclaw.core.check.repair import BLANK

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(max_size=6), JSON, max_size=5)


@given(OBJECTS, st.booleans(), st.sampled_from(["", " ", "\n\t "]))
def test_strict_json_is_read_as_it_is_with_no_repair(value: Any, ascii: bool, blanks: str) -> None:
    text = blanks + json.dumps(value, ensure_ascii=ascii) + blanks
    assert read(text) == (value, [])
    assert read(text.encode()) == (value, [])
    assert read(value) == (value, [])


def test_whole_numbers_stay_exact() -> None:
    number = 10**400 + 1
    assert read(f'{{"a": {number}, "b": -{number}, "c": {"9" * 4300}, "d": 12345678901234567890}}')[0] == {
        "a": number,
        "b": -number,
        "c": int("9" * 4300),
        "d": 12345678901234567890,
    }


@pytest.mark.parametrize("text", ["", " ", "\n\t", b"", b"  "])
def test_no_text_is_an_empty_object(text: Any) -> None:
    assert read(text) == ({}, [])


@pytest.mark.parametrize(
    ("raw", "value", "note"),
    [
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}, "control character"),
        ('{"a": "' + "x\n" * 50_000 + '"}', {"a": "x\n" * 50_000}, "control character"),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}, "byte order mark"),
        ('"{\\"a\\": 1}"', {"a": 1}, "inside a JSON string"),
        ('"{\\"a\\": 1,}"', {"a": 1}, "inside a JSON string"),
        ('"```json\\n{\\"a\\": 1}\\n```"', {"a": 1}, "inside a JSON string"),
        ('{"a": 1,}', {"a": 1}, "trailing comma"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 50 else "",
)
def test_other_text_is_forgiven_and_says_so(raw: Any, value: Any, note: str) -> None:
    found, repairs = read(raw)
    assert found == value
    assert any(note in repair.text for repair in repairs)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ('{"a": 1, "a": 2}', 'the key "a" twice'),
        ('{"x": [{"a": 1, "a": 1}]}', 'the key "a" twice'),
        ('{"a": NaN}', "NaN in the arguments"),
        ('{"a": -Infinity}', "-Infinity in the arguments"),
        ('{"a": 1e999}', "The number 1e999 in the arguments is too large"),
        ('{"a": -1' + "0" * 400 + ".5}", "is too large"),
        ('{"a": ' + "1" * 5_000 + "}", "has 5,000 digits"),
        ('{"a": ' + "1" * 3_000_000 + "}", "has 3,000,000 digits"),
        ('{"a": "\\ud800"}', "half a character (U+D800)"),
        ('{"a": ["\\udc00\\ud800"]}', "half a character (U+DC00)"),
        ('{"\\ud800": 1}', "half a character (U+D800)"),
        ('{"a": "\ud800"}', "half a character (U+D800)"),
        (b'{"a": "\xff"}', "not valid UTF-8: byte 0xff at position 7"),
        (b'{"a": "\xed\xa0\x80"}', "not valid UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not valid UTF-8: byte 0xff at position 0"),
        ('{"a": 1}'.encode("utf-16-le"), "not valid JSON"),
        ("[" * 100_000, "nested deeper than 64 levels"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested deeper than 64 levels"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested deeper than 64 levels"),
        ('{"a": "' + "x" * ARGUMENT_BYTES + '"}', "larger than 4,194,304 bytes"),
        (b"x" * 50_000_000, "larger than 4,194,304 bytes"),
        ('{"a": [' + "0," * 300_000 + "0]}", "more than 250,000 values"),
        ("[1, 2]", "must be a JSON object, not an array of 2 items"),
        ("5", "must be a JSON object, not 5"),
        ("null", "must be a JSON object, not null"),
        ('"text"', "not valid JSON (there is no JSON object in it)"),
        ('"\\"{}\\""', "must be a JSON object"),
        ("path=x", "not valid JSON"),
        ('{"a": 1', "cut off"),
        ('{"a": "' + "x" * 5_000, "cut off"),
        ('{"a": [' + "1, " * 5_000, "cut off"),
        ('{"a": tru}' + " " * 5_000, "not valid JSON (Expecting value at 6)"),
        ({"k" * ARGUMENT_BYTES: 1, "a": 1}, "larger than 4,194,304 bytes"),
        (5, "must be a JSON object, not 5"),
        (None, "must be a JSON object, not null"),
        ([("a", 1)], "must be a JSON object, not an array"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_what_is_refused_says_why_in_one_short_sentence(raw: Any, words: str) -> None:
    with pytest.raises(ArgumentsRefused) as caught:
        read(raw)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 250
    assert str(caught.value).endswith(".")


def test_long_numbers_are_refused_even_where_python_would_read_them() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(ArgumentsRefused, match="3,000,000 digits"):
            read('{"a": ' + "1" * 3_000_000 + "}")
    finally:
        sys.set_int_max_str_digits(limit)


def test_only_small_text_is_repaired() -> None:
    filler = "x" * 5_000
    with pytest.raises(ArgumentsRefused, match="not valid JSON"):
        read(f'{{"a": "{filler}",}}')
    assert read(f'{{"a": "{filler[:4_000]}",}}')[0] == {"a": filler[:4_000]}


@given(
    st.one_of(st.text(), st.binary(), st.text(alphabet='{}[]",:\\u0d8\n '), JSON, st.integers(), st.none())
)
def test_anything_is_read_or_refused_and_nothing_else(raw: Any) -> None:
    try:
        value, _ = read(raw)
    except ArgumentsRefused:
        return
    json.dumps(value, allow_nan=False).encode()


@pytest.mark.parametrize("blank", ["\x0b", "\x0c", "\u00a0", "\ufeff", "\u2028"])
def test_blanks_that_json_does_not_know_are_told(blank: str) -> None:
    for text, value in (
        (f'{{"a":{blank}"x"}}', {"a": "x"}),
        (f' {blank}{{"a": 1}}', {"a": 1}),
        (f" {blank} ", {}),
    ):
        if text.isspace() or value:
            assert read(text) == (value, [BLANK])
    assert read(" \n\t\r") == ({}, [])
    assert read(f'{{"a": "{blank}"}}')[0] == {"a": blank}  # in a string it is what it is
