"""Malformed JSON is read in one way or not at all, and what was forgiven is named."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oneclaw.core.check.payload import read_number
from oneclaw.core.check.repair import BLANK, MalformedJson, TruncatedJson, repair, repair_whole


def mend(text: str) -> tuple[Any, list[str], bool]:
    value, repairs = repair(text, 64, read_number)
    return value, [each.text for each in repairs], any(each.ambiguous for each in repairs)


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}, "code fence"),
        ('```\n{"a": 1}```', {"a": 1}, "code fence"),
        ('```json\n{"a": 1}', {"a": 1}, "code fence"),
        ('{"a": 1,}', {"a": 1}, "trailing comma"),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}, "trailing comma"),
        ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}, "True, False and None"),
        ('{path: "x", max_count: 3}', {"path": "x", "max_count": 3}, "unquoted key"),
        ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}, "comment"),
        ('{"a": 1, # one\n "b": 2}', {"a": 1, "b": 2}, "comment"),
        ('{"a": "x\ty", }', {"a": "x\ty"}, "control character"),
        ('{"a": "it\\\'s"}', {"a": "it's"}, "quote after a backslash"),
        (
            '{"url": "http://x//y", "b": "# no comment",}',
            {"url": "http://x//y", "b": "# no comment"},
            "comma",
        ),
        ('{"a": "```js\\nx\\n```",}', {"a": "```js\nx\n```"}, "trailing comma"),
    ],
)
def test_a_slip_with_one_reading_is_forgiven(text: str, value: Any, note: str) -> None:
    found, notes, is_ambiguous = mend(text)
    assert found == value
    assert any(note in each for each in notes), notes
    assert not is_ambiguous


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        ("{'a': 'b'}", {"a": "b"}, "double quotes"),
        ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}, "double quotes"),
        ("{'a': 'it\\'s'}", {"a": "it's"}, "double quotes"),
        ("{“a”: “b”}", {"a": "b"}, "double quotes"),
        ('{"pattern": "\\d+\\.txt"}', {"pattern": "\\d+\\.txt"}, "backslash"),
        ('{"path": "C:\\Users\\x"}', {"path": "C:\\Users\\x"}, "backslash"),
        ('{"a": "\\u12"}', {"a": "\\u12"}, "backslash"),
        ('Sure, here it is: {"a": 1} Anything else?', {"a": 1}, "around"),
        ('<tool_call>{"a": 1}</tool_call>', {"a": 1}, "around"),
        ('read_file({"a": 1})', {"a": 1}, "around"),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', {"a": 1}, "around"),
    ],
)
def test_a_slip_with_more_than_one_reading_is_marked(text: str, value: Any, note: str) -> None:
    found, notes, is_ambiguous = mend(text)
    assert found == value
    assert any(note in each for each in notes), notes
    assert is_ambiguous


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a',
        '{"a"',
        '{"a":',
        '{"a": 1',
        '{"a": 1,',
        '{"a": [1, 2',
        '{"a": {"b": 1}',
        '{"a": "half a str',
        '{"a": "ends in a backslash\\',
        "{'a': 'half",
        '```json\n{"a": "half\n```',
        'Sure: {"a": "half',
        '{"a": 1 // comment',
        '{"a": 1 /* comment',
        '{"a": "b}',
    ],
)
def test_a_cut_text_is_refused(text: str) -> None:
    with pytest.raises(TruncatedJson):
        mend(text)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=4,
    ),
    st.data(),
)
@example({"a": "}"}, None)
def test_no_object_cut_anywhere_is_ever_repaired(value: dict[str, Any], data: st.DataObject | None) -> None:
    text = json.dumps(value, ensure_ascii=False)
    ends = range(1, len(text)) if data is None else [data.draw(st.integers(1, len(text) - 1))]
    for end in ends:
        with pytest.raises(MalformedJson):
            mend(text[:end])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON object"),
        ("path=foo", "no JSON object"),
        ('{"a": 1}{"a": 2}', "more than one"),
        ('{"a": 1} or {"a": 2}', "more than one"),
        ('[{"a": 1}]', "could be a part"),
        ('{"a": 1}}', "could be a part"),
        ('{"a": 1}, "b": 2}', "could be a part"),
        ('{"a": 1} "b"', "could be a part"),
        ('[TOOL] {"a": 1}', "could be a part"),
        ('{"a": 1, "a": 2,}', "twice"),
        ('{"a" 1}', "should, after the key"),
        ('{"a": 1 "b": 2}', "between two values"),
        ('{"a": "he said "hi" to me"}', "between two values"),
        ("{'a': 'it's'}", "between two values"),
        ('{"a": foo}', "where a value should"),
        ('{"a": undefined}', "where a value should"),
        ('{"a": NaN,}', "where a value should"),
        ('{"a": 007,}', "where a value should"),
        ('{"a": 1.,}', "where a value should"),
        ('{"a": 0x1F,}', "where a value should"),
        ("{1: 2}", "where a key should"),
        ('{,"a": 1}', "where a key should"),
        ('{"a": ,}', "where a value should"),
        ('{"a": 1,,}', "where a key should"),
        ('{"a":' * 70 + "1" + "}" * 70, "nested too deeply"),
    ],
)
def test_what_could_be_read_in_another_way_is_refused(text: str, reason: str) -> None:
    with pytest.raises(MalformedJson, match=reason) as caught:
        mend(text)
    assert len(str(caught.value)) < 200


def test_a_whole_value_is_repaired_without_looking_around() -> None:
    assert repair_whole("['a', 'b',]", 64, read_number)[0] == ["a", "b"]
    with pytest.raises(MalformedJson):
        repair_whole("['a'] and more", 64, read_number)


@given(st.text(alphabet="{}[]\"',:`\\/*#\n ab1-.eTrunl", max_size=60))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    try:
        value, _, _ = mend(text)
    except MalformedJson:
        return
    assert isinstance(value, dict)
    json.dumps(value)


BLANKS = ["\x0b", "\x0c", "\u00a0", "\ufeff", "\u2028", "\u3000", "\x85", "\x1f"]
"""Blanks of other languages, none of JSON's."""


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize(
    "text",
    ['{B"a": "x"}', '{"a"B: "x"}', '{"a":B"x"}', '{"a": "x"B}', 'B{"a": "x"}', '{"a": "x"}B', '{"a": "x"B,}'],
)
def test_another_blank_than_jsons_is_noted(text: str, blank: str) -> None:
    found, notes, is_ambiguous = mend(text.replace("B", blank))
    assert found == {"a": "x"}
    assert BLANK.text in notes
    assert not is_ambiguous


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize(
    ("text", "value"),
    [("{Ba: 1}", {"a": 1}), ("{aB: 1}", {"a": 1}), ('{"a":B1}', {"a": 1}), ('{"a": trueB}', {"a": True})],
)
def test_a_blank_that_may_be_a_part_of_a_word_is_a_guess(text: str, value: Any, blank: str) -> None:
    found, _, is_ambiguous = mend(text.replace("B", blank))
    assert found == value
    assert is_ambiguous


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\u2028", "\u2029", "\x85"])
@pytest.mark.parametrize("mark", ["//", "#"])
def test_a_comment_whose_end_is_unsure_is_a_guess(mark: str, end: str) -> None:
    found, _, is_ambiguous = mend(f'{{"a": 1, {mark} one{end} "b": 2\n}}')
    assert found == {"a": 1}
    assert is_ambiguous
    assert not mend(f'{{"a": 1, {mark} one\r\n "b": 2}}')[2]  # the line end of Windows is one


def test_another_blank_after_a_whole_value_is_noted() -> None:
    assert repair_whole("['a']\u00a0", 64, read_number)[1][-1] == BLANK
