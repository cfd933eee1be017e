"""Window: what gives way and what stays, that it stays a valid conversation, and what that costs."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent.validity import faults

from oneclaw.agent.tokens import IMAGE_TOKENS, estimate
from oneclaw.agent.window import LEFT_OUT, Shrunk, Window
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Message,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    Usage,
    UserMessage,
)

PICTURE = Image(b"\x89PNG\r\n\x1a\n", "image/png")


def ask(text: str = "Go on.") -> UserMessage:
    return UserMessage(text)


def reply(text: str = "Done.") -> AssistantMessage:
    return AssistantMessage((TextPart(text),))


def a_round(number: int, value: str = "ok", images: tuple[Image, ...] = ()) -> list[Message]:
    call = ToolCall("read_file", {"path": f"{number}.txt"}, id=f"c{number}")
    result = ToolResult(call.id, call.name, value, images=images)
    return [AssistantMessage((CallPart(call),), "calls"), ResultsMessage((result,))]


def shrink(window: Window, most: int) -> Shrunk:
    """Shrink a window that must give way."""
    shrunk = window.shrink(most)
    assert shrunk is not None
    return shrunk


def result_of(message: Message) -> ToolResult:
    assert isinstance(message, ResultsMessage)
    return message.results[0]


def test_what_fits_is_left_alone() -> None:
    window = Window([ask(), reply()], overhead_tokens=100)
    before = list(window.messages)
    assert window.tokens == 100 + sum(map(estimate, before))
    assert window.shrink(window.tokens) is None
    assert window.messages == before


def test_the_count_of_a_provider_takes_the_place_of_the_guesses() -> None:
    window = Window([ask("x" * 5_000), reply()], overhead_tokens=500)
    window.measure(Usage(input=900, output=20))
    assert window.tokens == 920
    window.append(ask("and now?"))
    assert window.tokens == 920 + estimate(ask("and now?"))


def test_a_count_covers_all_up_to_the_last_answer_and_the_rest_is_guessed() -> None:
    round_ = a_round(1, "word " * 200)
    window = Window([ask(), *round_])
    window.measure(Usage(input=50, output=10))
    assert window.tokens == 60 + estimate(round_[1])


def test_a_provider_that_counts_nothing_changes_nothing() -> None:
    window = Window([ask(), reply()])
    before = window.tokens
    window.measure(Usage())
    assert window.tokens == before
    alone = Window([ask()])
    alone.measure(Usage(input=9_999))
    assert alone.tokens == estimate(ask())


def test_what_goes_with_each_request_can_change() -> None:
    window = Window([ask()])
    window.overhead_tokens = 300
    assert window.tokens == 300 + estimate(ask())
    window.append(reply())
    window.measure(Usage(input=500, output=5))
    window.overhead_tokens = 300
    assert window.tokens == 505
    window.overhead_tokens = 100
    assert 100 < window.tokens < 305


def test_thoughts_count_only_where_they_go_back() -> None:
    usage = Usage(input=100, output=60, reasoning=50)
    unsent = Window([ask(), AssistantMessage((ThoughtPart("hm"), TextPart("Yes.")))])
    unsent.measure(usage)
    assert unsent.tokens == 110
    sent = Window([ask(), AssistantMessage((ThoughtPart("hm", {"signature": "s"}), TextPart("Yes.")))])
    sent.measure(usage)
    assert sent.tokens == 160


def test_old_large_results_are_shortened_before_anything_is_left_out() -> None:
    long = "begin " + "word " * 4_000 + "end"
    messages = [ask(), *a_round(1, long), *a_round(2, long), *a_round(3, long), *a_round(4, long)]
    window = Window(messages)
    shrunk = shrink(window, window.tokens - 1)
    assert (shrunk.shortened, shrunk.dropped, shrunk.fits) == (2, 0, True)
    short, whole = result_of(window.messages[2]), result_of(messages[2])
    assert len(short.text) <= 1_200
    assert short.text.startswith("begin ")
    assert short.text.endswith("end")
    assert f"of {len(long):,} characters were left out here" in short.text
    assert "in the session's log" in short.text
    assert short.truncated_from == len(long)
    assert whole.value == long  # the message that was stored is another object
    assert window.messages[5:] == messages[5:]


def test_results_of_the_last_two_rounds_are_not_shortened_while_something_else_can_give_way() -> None:
    long = "word " * 3_000
    window = Window([ask(), *a_round(1, long), *a_round(2, long), *a_round(3, long)])
    shrunk = shrink(window, estimate(a_round(1, long)[1]) * 29 // 10)
    assert shrunk.fits
    assert [result_of(window.messages[at]).value for at in (-3, -1)] == [long, long]


def test_an_old_object_is_shortened_to_an_object() -> None:
    value = {"code": 0, "out": "word\n" * 3_000, "rows": list(range(2_000))}
    old = replace(result_of(a_round(1, "")[1]), value=value, images=(PICTURE,))
    messages: list[Message] = [ask(), a_round(1)[0], ResultsMessage((old,)), *a_round(2), *a_round(3)]
    window = Window(messages)
    window.shrink(window.tokens - 1)
    short = result_of(window.messages[2])
    assert len(short.text) <= 1_200
    assert short.value["code"] == 0
    assert short.value["out"].startswith("word\nword\n")
    assert short.value["rows"][:2] == [0, 1]
    assert "1 image was left out" in short.value["(cut)"]
    assert (short.images, short.truncated_from) == ((), len(old.text))


def test_how_much_of_a_result_is_missing_is_told_right_after_it_was_cut_twice() -> None:
    cut = replace(result_of(a_round(1, "word " * 4_000)[1]), truncated_from=100_000)
    messages: list[Message] = [ask(), a_round(1)[0], ResultsMessage((cut,)), *a_round(2), *a_round(3)]
    window = Window(messages)
    window.shrink(window.tokens - 1)
    assert "of 100,000 characters were left out here" in result_of(window.messages[2]).text


def test_pictures_in_old_results_are_left_out_with_a_note() -> None:
    messages = [
        ask(),
        *a_round(1, "a screen", (PICTURE, PICTURE)),
        *a_round(2),
        *a_round(3, "now", (PICTURE,)),
    ]
    window = Window(messages)
    shrunk = shrink(window, 2 * IMAGE_TOKENS)
    assert shrunk.fits
    old, new = result_of(window.messages[2]), result_of(window.messages[6])
    assert (old.images, new.images) == ((), (PICTURE,))
    assert old.text.startswith("a screen")
    assert "2 images were left out" in old.text


def test_a_long_error_is_shortened_as_an_error() -> None:
    failed = ToolResult("c1", "read_file", None, Kind.EXECUTION_ERROR, "bad " * 2_000)
    window = Window([ask(), a_round(1)[0], ResultsMessage((failed,)), *a_round(2), *a_round(3)])
    window.shrink(window.tokens - 1)
    result = result_of(window.messages[2])
    assert (result.status, result.kind) == ("error", Kind.EXECUTION_ERROR)
    assert len(result.message) <= 1_200


@pytest.mark.covers("KAI-SG-05")
def test_whole_exchanges_go_oldest_first() -> None:
    exchanges = [[ask(f"question {n}"), *a_round(n), reply(f"answer {n} " * 20)] for n in range(10)]
    window = Window([message for exchange in exchanges for message in exchange])
    shrunk = shrink(window, window.tokens // 2)
    assert shrunk.fits
    assert shrunk.tokens_after <= shrunk.tokens_before // 2 * 0.75
    assert shrunk.dropped % 4 == 0
    assert window.messages == [m for exchange in exchanges[shrunk.dropped // 4 :] for m in exchange]
    assert window.tokens == sum(map(estimate, window.messages))


def test_rounds_of_the_exchange_under_way_go_oldest_first_and_a_note_stands_for_them() -> None:
    rounds = [a_round(n, "some words " * 20) for n in range(50)]
    window = Window([ask("the task"), *(message for each in rounds for message in each)])
    shrunk = shrink(window, window.tokens // 2)
    assert shrunk.fits
    assert window.messages[:2] == [ask("the task"), LEFT_OUT]
    assert window.messages[2:] == [message for each in rounds[shrunk.dropped // 2 :] for message in each]
    shrink(window, window.tokens // 2)
    assert sum(message is LEFT_OUT for message in window.messages) == 1


def test_the_message_of_the_user_and_the_last_round_stay_even_where_they_do_not_fit() -> None:
    task = ask("word " * 5_000)
    window = Window([task, *a_round(1), *a_round(2), *a_round(3)])
    shrunk = shrink(window, 1_000)
    assert not shrunk.fits
    assert shrunk.tokens_after == window.tokens > 1_000
    assert window.messages == [task, *a_round(3)]
    nothing = shrink(window, 1_000)
    assert (nothing.shortened, nothing.dropped, nothing.fits) == (0, 0, False)


def test_a_fresh_result_is_shortened_to_its_room_rather_than_not_to_fit() -> None:
    window = Window([ask(), *a_round(1, "word " * 4_000)])
    shrunk = shrink(window, 2_000)
    assert (shrunk.shortened, shrunk.dropped, shrunk.fits) == (1, 0, True)
    assert len(result_of(window.messages[2]).text) > 3_000


def test_the_summary_outlives_exchanges_and_rounds_and_goes_last() -> None:
    window = Window([ask("a"), reply("one " * 200), ask("b"), reply("two " * 200), ask("c")])
    window.replace_older(2, "They spoke of a.")
    assert window.summary == "They spoke of a."
    assert window.shrink(100) is not None
    assert window.messages == [UserMessage("They spoke of a.", origin="summary"), ask("c")]
    shrunk = shrink(window, estimate(ask("c")))
    assert shrunk.fits
    assert (window.messages, window.summary) == ([ask("c")], None)


def test_a_summary_stays_where_no_other_message_could_come_first() -> None:
    window = Window([UserMessage("They spoke of a. " * 50, origin="summary"), *a_round(1)])
    shrunk = shrink(window, 100)
    assert not shrunk.fits
    assert faults(window.messages) == []


def test_what_was_counted_is_taken_off_as_it_was_counted() -> None:
    """Guesses that turned out twice too high must not make more messages go than have to."""
    messages: list[Message] = [
        each for n in range(100) for each in (ask(f"question {n} " * 20), reply("yes"))
    ]
    window, guessing = Window(messages), Window(messages)
    window.measure(Usage(input=window.tokens // 2 - 5, output=5))
    most = window.tokens - 1
    first, second = shrink(window, most), shrink(guessing, most)
    assert first.tokens_after == pytest.approx(most * 0.75, rel=0.05)
    assert first.dropped * 2 < second.dropped


def test_older_is_all_before_the_last_exchanges() -> None:
    exchanges: list[list[Message]] = [[ask(str(n)), *a_round(n), reply()] for n in range(6)]
    window = Window([message for exchange in exchanges for message in exchange])
    assert list(window.older()) == [*exchanges[0], *exchanges[1]]
    assert list(window.older(5)) == exchanges[0]
    assert window.older(6) == window.older(99) == window.older(0) == ()


def test_a_guards_message_begins_no_exchange() -> None:
    guard = UserMessage("Answer now.", origin="guard")
    window = Window([ask("a"), *a_round(1), guard, reply(), ask("b"), reply()])
    assert list(window.older(1)) == window.messages[:5]


@pytest.mark.parametrize("summary", ["What was said before.", None])
def test_a_summary_takes_the_place_of_what_is_older(summary: str | None) -> None:
    exchanges: list[list[Message]] = [[ask(str(n)), *a_round(n), reply()] for n in range(6)]
    window = Window([message for exchange in exchanges for message in exchange], overhead_tokens=50)
    older = window.older()
    window.replace_older(len(older), summary)
    lead = [] if summary is None else [UserMessage(summary, origin="summary")]
    assert window.messages == [*lead, *(message for exchange in exchanges[2:] for message in exchange)]
    assert window.tokens == 50 + sum(map(estimate, window.messages))
    assert window.older() == ()
    window.append(ask("more"))
    assert list(window.older()) == [*lead, *exchanges[2]]
    assert faults(window.messages) == []


def test_calls_are_not_parted_from_their_results_by_a_summary() -> None:
    window = Window([ask(), *a_round(1)])
    with pytest.raises(ValueError, match="between calls and their results"):
        window.replace_older(2, "x")
    with pytest.raises(ValueError, match="cannot be replaced"):
        window.replace_older(4, "x")
    assert len(window.messages) == 3


def test_what_stands_before_the_first_message_of_a_user_goes_first() -> None:
    guard = UserMessage("Answer now.", origin="guard")
    window = Window([*a_round(1), guard, *a_round(2, "word " * 50), *a_round(3)])
    shrink(window, window.tokens - 1)
    assert window.messages[:1] == [guard]
    assert faults(window.messages) == []


def test_a_conversation_without_a_message_of_the_user_is_kept_valid_too() -> None:
    window = Window([message for n in range(20) for message in a_round(n, "word " * 50)])
    shrunk = shrink(window, 300)
    assert shrunk.fits
    assert faults(window.messages) == []


# Any conversation


def repeated(word: str, times: int) -> str:
    return word * times


def alone(message: UserMessage) -> list[Message]:
    return [message]


_texts = st.builds(repeated, st.text(max_size=8), st.integers(0, 900))
_images = st.sampled_from([(), (), (PICTURE,), (PICTURE, PICTURE)])


@st.composite
def rounds(draw: st.DrawFn) -> list[Message]:
    if draw(st.integers(0, 3)) == 0:
        return [reply(draw(_texts))]
    names = [f"c{draw(st.integers(0, 10**9))}-{n}" for n in range(draw(st.integers(1, 3)))]
    parts = [CallPart(ToolCall("t", draw(_texts), id=name)) for name in names]
    kinds = st.sampled_from([None, Kind.TIMEOUT])
    results = [
        ToolResult(name, "t", draw(_texts), draw(kinds), draw(_texts), images=draw(_images)) for name in names
    ]
    return [AssistantMessage(tuple(parts), "calls"), ResultsMessage(tuple(results))]


_users = st.builds(UserMessage, _texts, _images, st.sampled_from(["user", "user", "guard", "summary"]))
_steps = st.one_of(rounds(), rounds(), st.builds(alone, _users))


@given(st.lists(_steps, max_size=25), st.lists(st.integers(1, 6_000), min_size=1, max_size=4), st.data())
def test_any_conversation_stays_valid_in_any_room(
    steps: list[list[Message]], rooms: list[int], data: st.DataObject
) -> None:
    last_user, last_round = ask("first"), None
    window = Window([last_user], overhead_tokens=200)
    for step in steps:
        for message in step:
            window.append(message)
            if isinstance(message, UserMessage) and message.origin == "user":
                last_user, last_round = message, None
            if isinstance(message, AssistantMessage):
                last_round = message
        if data.draw(st.booleans()):
            window.measure(Usage(data.draw(st.integers(0, 10_000)), data.draw(st.integers(0, 500))))
        if data.draw(st.integers(0, 4)) == 0:
            room = data.draw(st.sampled_from(rooms))
            before = window.tokens
            shrunk = window.shrink(room)
            assert (shrunk is None) == (before <= room)
            if shrunk is not None:
                assert shrunk.tokens_after == window.tokens <= shrunk.tokens_before == before
                assert shrunk.fits == (window.tokens <= room)
                check_still_there(window, last_user, last_round)
        if data.draw(st.integers(0, 9)) == 0:
            older = window.older(data.draw(st.integers(1, 4)))
            window.replace_older(len(older), data.draw(st.sampled_from([None, "A summary."])))
            check_still_there(window, last_user, last_round)


def check_still_there(window: Window, last_user: UserMessage, last_round: AssistantMessage | None) -> None:
    # Ids that come twice and messages that say nothing were so before.
    assert [each for each in faults(window.messages) if "used" not in each and "empty" not in each] == []
    at = max(n for n, message in enumerate(window.messages) if message is last_user)
    assert last_round is None or any(message is last_round for message in window.messages[at:])
    exchanges = [m for m in window.messages if isinstance(m, UserMessage) and m.origin == "user"]
    kept = window.older(1)
    assert len(exchanges) < 2 or window.messages[len(kept)] is last_user


# What it costs


def lines_run(work: Callable[[], Any]) -> int:
    """How many lines of the window and of what it calls are run."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if "oneclaw" not in frame.f_code.co_filename:
            return None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def run_rounds(window: Window, count: int, most_tokens: int, exchange_rounds: int) -> int:
    shrunk = 0
    for number in range(count):
        if number % exchange_rounds == 0:
            window.append(ask(f"question {number}"))
        for message in a_round(number, "word " * (number % 7 * 120)):
            window.append(message)
        window.measure(Usage(window.tokens - 10, 10))
        shrunk += window.shrink(most_tokens) is not None
    return shrunk


@pytest.mark.parametrize("exchange_rounds", [3, 10**9], ids=["many exchanges", "one exchange"])
def test_the_work_per_round_is_the_same_however_long_the_conversation_gets(exchange_rounds: int) -> None:
    short = lines_run(lambda: run_rounds(Window(), 250, 8_000, exchange_rounds)) / 250
    long = lines_run(lambda: run_rounds(Window(), 2_500, 8_000, exchange_rounds)) / 2_500
    assert long < short * 1.15
    wide = lines_run(lambda: run_rounds(Window(), 2_500, 80_000, exchange_rounds)) / 2_500
    assert wide < short * 1.15, "the work must not grow with the size of the window either"


def test_it_shrinks_rarely_because_it_shrinks_in_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    jumping = run_rounds(Window(), 1_000, 40_000, 4)
    monkeypatch.setattr("oneclaw.agent.window.JUMP", 1.0)
    creeping = run_rounds(Window(), 1_000, 40_000, 4)
    assert jumping * 4 < creeping
    assert jumping < 1_000 / 10
