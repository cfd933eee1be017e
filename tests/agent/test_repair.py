"""Any list of messages becomes a valid conversation."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent.validity import faults, is_valid

from oneclaw.agent import repair as module
from oneclaw.agent.repair import NO_BEGINNING, NO_RESULT, is_sound, lost, repair_conversation
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)

HELLO = UserMessage("hello")


def asks(*ids: str, text: str = "", name: str = "look") -> AssistantMessage:
    parts: list[Any] = [TextPart(text)] if text else []
    return AssistantMessage(
        (*parts, *(CallPart(ToolCall(name, {"of": each}, each)) for each in ids)), "calls"
    )


def gets(*ids: str, tool: str = "look", value: Any = "") -> ResultsMessage:
    return ResultsMessage(tuple(ToolResult(each, tool, value or f"result of {each}") for each in ids))


def told(messages: list[Message]) -> str:
    """The conversation in short: u, a(ids), r(ids); 1? is a lost result, 1=x a result with the value x."""
    said: list[str] = []
    for message in messages:
        if isinstance(message, UserMessage):
            said.append("u")
        elif isinstance(message, ResultsMessage):
            said.append(f"r({','.join(map(shown, message.results))})")
        else:
            said.append(f"a({','.join(each.id for each in message.calls)})")
    return " ".join(said)


def shown(result: ToolResult) -> str:
    if result.kind is Kind.INTERRUPTED:
        return f"{result.call_id}?"
    is_plain = result.value == f"result of {result.call_id}"
    return result.call_id if is_plain else f"{result.call_id}={result.value}"


def results_of(messages: list[Message]) -> dict[str, ToolResult]:
    found = [each for message in messages if isinstance(message, ResultsMessage) for each in message.results]
    return {each.call_id: each for each in found}


# ---------------------------------------------------------------------- what is valid stays


def test_a_valid_conversation_is_given_back_as_it_is() -> None:
    messages: list[Message] = [HELLO, asks("1", "2"), gets("1", "2"), asks(text="done"), HELLO]
    mended = repair_conversation(messages)
    assert mended.messages is messages
    assert mended.notes == ()


def test_nothing_stays_nothing() -> None:
    assert repair_conversation([]).messages == []
    assert repair_conversation(iter([HELLO])).messages == [HELLO]


def test_only_what_is_broken_is_made_anew() -> None:
    messages: list[Message] = [HELLO, asks("1"), gets("1"), asks("2")]
    mended = repair_conversation(messages).messages
    assert [mended[index] is messages[index] for index in range(4)] == [True] * 4
    assert told(mended) == "u a(1) r(1) a(2) r(2?)"


def test_a_long_valid_conversation_is_only_looked_through() -> None:
    messages: list[Message] = [HELLO]
    for number in range(20_000):
        messages += [asks(str(number)), gets(str(number))]
    repair_conversation(messages)  # the calls of an answer are found once and kept with it
    begun = time.process_time()
    assert repair_conversation(messages).messages is messages
    assert time.process_time() - begun < 5.0


def test_a_long_broken_conversation_takes_time_by_its_length_alone() -> None:
    messages: list[Message] = [asks("same") for _ in range(8_000)]
    messages += [gets("same") for _ in range(8_000)]
    begun = time.process_time()
    assert is_sound(repair_conversation(messages).messages)
    assert time.process_time() - begun < 5.0  # by the square of its length it would take minutes


# ---------------------------------------------------------------------- calls without results


def test_a_call_without_a_result_gets_an_error_that_says_so() -> None:
    mended = repair_conversation([HELLO, asks("1"), HELLO])
    assert told(mended.messages) == "u a(1) r(1?) u"
    result = results_of(mended.messages)["1"]
    assert (result.kind, result.effects, result.message) == (Kind.INTERRUPTED, "unknown", NO_RESULT)
    assert result.tool == "look"
    assert len(mended.notes) == 1
    assert "'1'" in mended.notes[0]


def test_the_journal_knows_the_result() -> None:
    kept = ToolResult("1", "look", "from the journal", effects="done")
    mended = repair_conversation(
        [HELLO, asks("1", "2")], lambda call_id: kept if call_id == "1" else None
    ).messages
    found = results_of(mended)
    assert found["1"] is kept
    assert found["2"].message == NO_RESULT


def test_the_journal_is_not_asked_where_there_is_a_result() -> None:
    asked: list[str] = []

    def journal(call_id: str) -> None:
        asked.append(call_id)

    repair_conversation([HELLO, asks("1"), gets("1"), asks("2")], journal)
    assert asked == ["2"]


# ---------------------------------------------------------------------- results and their calls


def both(first: str, second: str) -> ResultsMessage:
    return ResultsMessage((ToolResult("c", "look", first), ToolResult("c", "look", second)))


REPAIRS: dict[str, tuple[list[Message], str, str]] = {
    "the last answer before a crash": ([HELLO, asks("1", "2")], "u a(1,2) r(1?,2?)", ""),
    "some results are missing": (
        [HELLO, asks("3", "4", "5"), gets("4"), HELLO],
        "u a(3,4,5) r(3?,4,5?) u",
        "",
    ),
    "a result without a call": ([HELLO, gets("1"), HELLO], "u u", "without a call"),
    "a result at the beginning": ([gets("1"), HELLO, HELLO], "u u", "without a call"),
    "results at the end": ([HELLO, HELLO, gets("1", "2")], "u u", "without a call"),
    "results of nothing": ([HELLO, HELLO, ResultsMessage(())], "u u", ""),
    "two results of one call": (
        [HELLO, asks("1"), gets("1", value="first"), gets("1", value="other")],
        "u a(1) r(1=first)",
        "second result",
    ),
    "another order": ([HELLO, asks("1", "2", "3"), gets("3", "1", "2")], "u a(1,2,3) r(1,2,3)", "in order"),
    "several messages": ([HELLO, asks("1", "2"), gets("1"), gets("2")], "u a(1,2) r(1,2)", ""),
    "a result behind other messages": (
        [HELLO, asks("1"), HELLO, asks(text="x"), gets("1")],
        "u a(1) r(1) u a()",
        "",
    ),
    "calls split over two answers": (
        [HELLO, asks("1"), asks("2"), gets("1", "2")],
        "u a(1) r(1) a(2) r(2)",
        "",
    ),
    "a result before its call": ([HELLO, gets("1"), asks("1")], "u a(1) r(1)", ""),
    "a second result and a later call of its id": (
        [HELLO, asks("1"), gets("1"), gets("1", value="again"), asks("1")],
        "u a(1) r(1) a(1-2) r(1-2?)",
        "",
    ),
    "an id that comes back": (
        [HELLO, asks("c"), gets("c", value="one"), asks("c"), gets("c", value="two"), asks("c")],
        "u a(c) r(c=one) a(c-2) r(c-2=two) a(c-3) r(c-3?)",
        "",
    ),
    "an id twice in one answer": (
        [HELLO, asks("c", "c"), both("one", "two")],
        "u a(c,c-2) r(c=one,c-2=two)",
        "",
    ),
    "a result of the nearest call before it": (
        [HELLO, asks("c"), HELLO, asks("c"), gets("c", value="x")],
        "u a(c) r(c?) u a(c-2) r(c-2=x)",
        "",
    ),
}


@pytest.mark.parametrize("case", REPAIRS)
def test_each_call_gets_its_one_result_behind_it(case: str) -> None:
    messages, repaired, note = REPAIRS[case]
    mended = repair_conversation(messages)
    assert told(mended.messages) == repaired
    assert note in " ".join(mended.notes).lower()
    assert mended.notes


# ---------------------------------------------------------------------- ids and names


def test_names_made_for_ids_do_not_change_when_the_conversation_goes_on() -> None:
    messages: list[Message] = [HELLO, asks("", ""), gets("", ""), asks("call_1"), gets("call_1"), asks("")]
    whole = repair_conversation(messages).messages
    for length in range(1, len(messages)):
        begun = repair_conversation(messages[:length]).messages
        assert told(whole).startswith(told(begun[:-1]))


def test_results_without_ids_go_by_the_name_of_their_tool() -> None:
    first, second = ToolCall("read", {}, ""), ToolCall("write", {}, "")
    answer = AssistantMessage((CallPart(first), CallPart(second)), "calls")
    results = ResultsMessage((ToolResult("", "write", "w"), ToolResult("", "read", "r")))
    mended = repair_conversation([HELLO, answer, results]).messages
    assert is_valid(mended)
    assert [(each.tool, each.value) for each in results_of(mended).values()] == [
        ("read", "r"),
        ("write", "w"),
    ]


def test_a_result_without_an_id_takes_what_the_others_leave() -> None:
    results = ResultsMessage((ToolResult("", "", "for b"), ToolResult("a", "look", "for a")))
    found = results_of(repair_conversation([HELLO, asks("a", "b"), results]).messages)
    assert (found["a"].value, found["b"].value, found["b"].tool) == ("for a", "for b", "look")


def test_a_call_of_no_tool_gets_a_name() -> None:
    mended = repair_conversation([HELLO, asks("1", name=""), gets("1", tool="")]).messages
    answer = mended[1]
    assert isinstance(answer, AssistantMessage)
    assert answer.calls[0].name == results_of(mended)["1"].tool == module.NAMELESS


def test_the_parts_around_a_renamed_call_stay() -> None:
    parts = (
        ThoughtPart("hm", {"signature": "s"}),
        TextPart("text"),
        CallPart(ToolCall("look", "{}", "", fault="cut"), {"id": "fc"}),
        ForeignPart({"type": "x"}),
    )
    mended = repair_conversation([HELLO, AssistantMessage(parts, "calls", "w", "m")]).messages
    answer = mended[1]
    assert isinstance(answer, AssistantMessage)
    assert (answer.parts[0], answer.parts[1], answer.parts[3]) == (parts[0], parts[1], parts[3])
    assert answer.parts[2] == CallPart(ToolCall("look", "{}", "call_1", fault="cut"), {"id": "fc"})
    assert (answer.wire, answer.model) == ("w", "m")


# ---------------------------------------------------------------------- messages that say nothing


@pytest.mark.parametrize(
    "message",
    [
        AssistantMessage(()),
        AssistantMessage((TextPart(""), ThoughtPart(" \n"))),
        UserMessage(""),
        UserMessage(" \n\t"),
    ],
)
def test_a_message_that_says_nothing_is_left_out(message: Message) -> None:
    mended = repair_conversation([HELLO, message, HELLO])
    assert mended.messages == [HELLO, HELLO]
    assert len(mended.notes) == 1


@pytest.mark.parametrize(
    "message",
    [
        UserMessage("", (Image(b"x", "image/png"),)),
        AssistantMessage((ThoughtPart("", {"signature": "s"}),)),
        AssistantMessage((ForeignPart({"type": "search"}),)),
        AssistantMessage((TextPart("a"),)),
    ],
)
def test_a_message_with_anything_in_it_stays(message: Message) -> None:
    assert repair_conversation([HELLO, message]).messages == [HELLO, message]


@pytest.mark.parametrize("first", [asks(text="hi"), asks("1")])
def test_a_conversation_that_begins_with_an_answer_gets_a_beginning(first: Message) -> None:
    mended = repair_conversation([first, HELLO]).messages
    assert mended[0] == UserMessage(NO_BEGINNING, origin="guard")
    assert is_valid(mended)


def test_two_answers_in_a_row_stay() -> None:
    messages: list[Message] = [HELLO, asks(text="a"), asks(text="b")]
    assert repair_conversation(messages).messages is messages


# ---------------------------------------------------------------------- whatever comes

IDS = st.sampled_from(["", "a", "b", "a-2", "call_1", "call_2"])
NAMES = st.sampled_from(["look", "change", ""])
CALLS = st.builds(ToolCall, NAMES, st.just({}), IDS)
RESULTS = st.builds(
    ToolResult, IDS, NAMES, st.sampled_from(["x", 1, None]), st.sampled_from([None, Kind.TIMEOUT])
)
PARTS = st.one_of(
    st.builds(TextPart, st.sampled_from(["", " ", "text"])),
    st.builds(ThoughtPart, st.sampled_from(["", "hm"]), st.sampled_from([None, {"s": 1}])),
    st.builds(CallPart, CALLS),
    st.builds(CallPart, CALLS),
)
MESSAGES = st.lists(
    st.one_of(
        st.builds(UserMessage, st.sampled_from(["", "hi"])),
        st.builds(AssistantMessage, st.lists(PARTS, max_size=4).map(tuple)),
        st.builds(ResultsMessage, st.lists(RESULTS, max_size=4).map(tuple)),
    ),
    max_size=12,
)


@given(MESSAGES)
def test_what_is_mended_is_valid_and_needs_no_mending(messages: list[Message]) -> None:
    mended = repair_conversation(messages)
    assert faults(mended.messages) == []
    again = repair_conversation(mended.messages)
    assert again.messages is mended.messages
    assert again.notes == ()


@given(MESSAGES)
def test_what_is_valid_is_not_touched_and_what_is_changed_is_told(messages: list[Message]) -> None:
    mended = repair_conversation(messages)
    if mended.messages is messages:
        assert is_valid(messages)
    else:
        assert mended.notes


@given(MESSAGES)
def test_no_call_and_nothing_said_is_lost(messages: list[Message]) -> None:
    def said(among: list[Message]) -> list[object]:
        answers = [each for each in among if isinstance(each, AssistantMessage)]
        return [
            [each for each in among if isinstance(each, UserMessage) and each.text.strip()],
            [part for each in answers for part in each.parts if getattr(part, "text", "").strip()],
            [call.arguments for each in answers for call in each.calls],
        ]

    mended = [
        each for each in repair_conversation(messages).messages if getattr(each, "origin", "") != "guard"
    ]
    assert said(mended) == said(messages)


@given(MESSAGES)
def test_every_real_result_is_one_that_was_given(messages: list[Message]) -> None:
    given_ = [
        (each.value, each.kind)
        for message in messages
        if isinstance(message, ResultsMessage)
        for each in message.results
    ]
    for result in results_of(repair_conversation(messages).messages).values():
        if result.message == NO_RESULT:
            assert result == lost(ToolCall(result.tool, {}, result.call_id))
        else:
            given_.remove((result.value, result.kind))


# ---------------------------------------------------------------------- the guards have teeth


def test_without_the_check_a_broken_conversation_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(_: object) -> bool:
        return True

    broken: list[Message] = [HELLO, asks("1")]
    assert not is_valid(broken)
    monkeypatch.setattr(module, "is_sound", always)
    assert faults(repair_conversation(broken).messages) == ["answer 1 asks for ['1'] and gets []"]
