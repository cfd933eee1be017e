"""Calls written as text: each form is found however the text is cut, and examples are not run."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.providers.openai_chat import text_calls
from oneclaw.providers.openai_chat.text_calls import TextCall, TextCallPiece, TextCalls

TOOLS = ("get", "put_it")
GET = TextCall("get", "{}")


def split(text: str, chars: int = 10_000, *, is_whole: bool = True) -> list[TextCallPiece]:
    """The pieces of a text that comes in cuts of so many characters, neighbouring texts as one."""
    calls = TextCalls(TOOLS)
    pieces: list[TextCallPiece] = []
    for at in range(0, len(text), chars):
        pieces += calls.feed(text[at : at + chars])
    merged: list[TextCallPiece] = []
    for piece in (*pieces, *calls.end(is_whole)):
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    assert calls.held == ""
    return merged


def call(name: str = "get", **arguments: Any) -> TextCall:
    return TextCall(name, json.dumps(arguments, separators=(",", ":")))


FOUND: list[tuple[str, list[TextCallPiece]]] = [
    ('<tool_call>\n{"name": "get", "arguments": {"a": 1}}\n</tool_call>', [call(a=1)]),
    ('<tool_call>{"name": "get"}</tool_call>', [GET]),
    ('<tool_call>{"name": "get", "arguments": "{\\"a\\": 1}"}</tool_call>', [call(a=1)]),
    ('<tool_call>{"name": "get", "arguments": {"a": "x\ny"}}</tool_call>', [call(a="x\ny")]),
    ('<tool_call>{"function": {"name": "get", "arguments": {"a": 1}}}</tool_call>', [call(a=1)]),
    (
        'Look.\n<tool_call>{"name": "get"}</tool_call>\n<tool_call>{"name": "put_it"}</tool_call>\nDone.',
        ["Look.\n", GET, call("put_it"), "\nDone."],
    ),
    ('<tool_call>{"name": "get"}</tool_call><tool_call>{"name": "get"}</tool_call>', [GET, GET]),
    ('<tool_call>{"name": "get"}\n<tool_call>{"name": "put_it"}</tool_call>', [GET, call("put_it")]),
    ('<tool_call>{"name": "get", "arguments": {"a": "</tool_call>"}}</tool_call>', [call(a="</tool_call>")]),
    ('<tool_call>{"name": "get", "arguments": {}}', [GET]),
    ('<function=get>{"a": 1}</function>', [call(a=1)]),
    ("<function=get>\n</function>", [GET]),
    (
        "<function=get>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nx\n\ny\n</parameter>\n</function>",
        [call(a="1", b="x\n\ny")],
    ),
    ("<function=get><parameter=a></function></parameter></function>", [call(a="</function>")]),
    ("<tool_call>\n<function=get>\n<parameter=a>1</parameter>\n</function>\n</tool_call>", [call(a="1")]),
    ("<function=get><parameter=a>1</parameter></function>\n</tool_call>\n", [call(a="1")]),
    (
        '[TOOL_CALLS] [{"name": "get", "arguments": {}}, {"name": "put_it", "arguments": {"a": [1]}}]',
        [GET, call("put_it", a=[1])],
    ),
    ('Sure.\n[TOOL_CALLS]get[ARGS]{"a": 1}', ["Sure.\n", call(a=1)]),
    ('[TOOL_CALLS][{"name": "get", "arguments": {}, "id": "abcdefghi"}]\nDone.', [GET, "\nDone."]),
    ('<|python_tag|>{"name": "get", "parameters": {"a": 1}}', [call(a=1)]),
    ('<|python_tag|>{"name": "get", "parameters": {}}; {"name": "get"}<|eom_id|>', [GET, GET]),
    ('```json\n{"name": "get", "arguments": {"a": 1}}\n```', [call(a=1)]),
    ('```\n{"tool": "get", "parameters": {}}\n```\n', [GET]),
    (' \n{"name": "get", "parameters": {"a": 1}}\n', [call(a=1)]),
    ('[{"name": "get", "arguments": {}}, {"type": "function", "name": "get", "arguments": {}}]', [GET, GET]),
    (
        '<think>\nI could <tool_call>\n<tool_call>{"name": "put_it"}</tool_call></think>\n'
        '<tool_call>{"name": "get"}</tool_call>',
        ['<think>\nI could <tool_call>\n<tool_call>{"name": "put_it"}</tool_call></think>', GET],
    ),
]


@pytest.mark.parametrize(("text", "pieces"), FOUND)
def test_every_form_is_found_however_it_is_cut(text: str, pieces: list[TextCallPiece]) -> None:
    for chars in (10_000, 1, 2, 3, 5, 13, 64):
        assert split(text, chars) == pieces, chars


NOT_FOUND = [
    # an example in prose, in code, in a fence, in a list, in a quotation
    'Write <tool_call>{"name": "get"}</tool_call> to call it.',
    'Use `<tool_call>{"name": "get"}</tool_call>` for it.',
    'So:\n```\n<tool_call>{"name": "get"}</tool_call>\n```\nThat is all.',
    'So:\n````md\n```\n<tool_call>{"name": "get"}</tool_call>\n```\n````\n',
    'So:\n  ~~~xml\n<tool_call>{"name": "get"}</tool_call>\n  ~~~\n',
    'So:\n    <tool_call>{"name": "get"}</tool_call>\n',
    '> <tool_call>{"name": "get"}</tool_call>\n',
    '- [TOOL_CALLS] [{"name": "get", "arguments": {}}]',
    # a fence or an object that is not the whole answer
    'So:\n```json\n{"name": "get", "arguments": {}}\n```',
    '```json\n{"name": "get", "arguments": {}}\n```\nThis would call it.',
    '{"name": "get", "arguments": {}} would call it.',
    '```python\n{"name": "get", "arguments": {}}\n```',
    # data that only looks like a call
    '{"name": "get"}',
    '{"name": "get", "arguments": {}, "age": 5}',
    '{"name": "get", "arguments": [1]}',
    '[{"name": "get", "arguments": {}}, {"name": "Ann", "arguments": {}}]',
    "[1] A footnote.",
    # no such tool
    '<tool_call>{"name": "rm", "arguments": {}}</tool_call>',
    "<function=rm>{}</function>",
    '[TOOL_CALLS] [{"name": "get", "arguments": {}}, {"name": "rm", "arguments": {}}]',
    '[TOOL_CALLS]rm[ARGS]{"a": 1}',
    # malformed
    '<tool_call>{"name": "get", arguments: {}}</tool_call> and more',
    '<tool_call>{"name": "get", "arguments": [1]}</tool_call>',
    "<tool_call>get()</tool_call>",
    "<function=get>a=1</function>",
    "<function=get><parameter=a>1</function>",
    "<|python_tag|>print(1)",
    "[TOOL_CALLS] [",
    "<tool_call>" + "[" * 10_000 + "</tool_call>",
    "<tool_call> is how a call begins.\nThen comes JSON.",
]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_is_no_call_stays_text_to_the_letter(text: str) -> None:
    for chars in (10_000, 1, 3, 7):
        assert split(text, chars) == [text], chars


def test_without_the_fence_the_example_would_be_a_call() -> None:
    assert split('So:\n\n<tool_call>{"name": "get"}</tool_call>\n\n') == ["So:\n\n", GET]


@pytest.mark.parametrize("text", [text for text, _ in FOUND])
def test_a_call_that_was_cut_never_runs(text: str) -> None:
    """Whatever is left of an answer, no call appears that is not in the whole, and its text is not lost."""
    whole = [piece for piece in split(text) if isinstance(piece, TextCall)]
    for at in range(len(text)):
        pieces = split(text[:at], 4, is_whole=False)
        calls = [piece for piece in pieces if isinstance(piece, TextCall)]
        assert calls == whole[: len(calls)]
        if not calls:
            assert "".join(map(str, pieces)) == text[:at]


def test_a_call_without_its_closing_tag_runs_only_where_the_answer_is_whole() -> None:
    text = '<tool_call>{"name": "get", "arguments": {}}'

    assert split(text, is_whole=True) == [GET]
    assert split(text, is_whole=False) == [text]


def test_only_what_may_begin_a_call_is_held_back() -> None:
    calls = TextCalls(TOOLS)

    assert calls.feed("Hello <") == ["Hello <"]
    assert calls.feed("b> you\n<") == ["b> you\n"]
    assert calls.held == "<"
    assert calls.feed("b>\n") == ["<b>\n"]
    assert calls.feed("<tool_ca") == []
    assert calls.feed("ke is lovely") == ["<tool_cake is lovely"]
    assert calls.feed("\n<tool_call> is") == ["\n<tool_call> is"]
    assert calls.feed('\n<tool_call>{"na') == ["\n"]
    assert calls.feed('me": "get"}</tool_call> and') == [GET, " and"]
    assert calls.held == ""


def test_ordinary_answers_that_begin_like_a_call_are_shown_at_once() -> None:
    assert TextCalls(TOOLS).feed('{"city": "Oslo') == ['{"city": "Oslo']
    assert TextCalls(TOOLS).feed("```python\nprint(") == ["```python\nprint("]
    assert TextCalls(TOOLS).feed('{"name": "O') == []


@given(
    st.lists(
        st.sampled_from(
            [
                *("<tool_call>", "</tool_call>", "<function=get>", "</function>", "[TOOL_CALLS]", "```"),
                "~~~",
                *("<|python_tag|>", "<parameter=a>", "</parameter>", "<think>", "</think>", "\n", " ", "x"),
                *(
                    '{"name": "get"}',
                    '{"name": "get", "arguments": {}}',
                    '{"a": "',
                    '"}',
                    "{",
                    "[",
                    ";",
                    "json",
                ),
            ]
        ),
        max_size=12,
    ),
    st.integers(1, 9),
    st.booleans(),
)
def test_cuts_do_not_matter_and_text_is_never_lost(pieces: list[str], chars: int, is_whole: bool) -> None:
    text = "".join(pieces)
    found = split(text, is_whole=is_whole)

    assert split(text, chars, is_whole=is_whole) == found
    if not any(isinstance(piece, TextCall) for piece in found):
        assert "".join(map(str, found)) == text


@pytest.mark.parametrize(
    "unit",
    [
        '<tool_call>{"name": "get"}</tool_call>\n',
        '<tool_call>{"a": "\n',
        "<tool_call>{</tool_call>\n",
        "[TOOL_CALLS] [\n",
        "<function=get><parameter=a>\n",
        "```\n",
        "x\n",
        '{"name": "',
    ],
)
@pytest.mark.parametrize("chars", [16, 1_000_000])
def test_hostile_text_costs_time_in_proportion_to_its_length(unit: str, chars: int) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        took: list[float] = []
        for _ in range(3):  # the least: other things of the process may come in between
            start = time.process_time()
            split(text, chars)
            took.append(time.process_time() - start)
        return min(took)

    assert seconds(200_000) < 16 * max(seconds(50_000), 0.02)


def test_after_many_vain_tries_nothing_is_read_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    vain, good = "<tool_call>{]</tool_call>\n" * 40, '<tool_call>{"name": "get"}</tool_call>'

    assert split(vain + good) == [vain + good]
    monkeypatch.setattr(text_calls, "_TRIES", 100)
    assert split(vain + good) == [vain, GET]
