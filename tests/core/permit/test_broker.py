"""Each prompt gets exactly one answer, and nobody waits for ever."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from oneclaw.core.event import Event, QuestionAnswered, QuestionAsked
from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import ANSWERS, PermissionAnswer, Question, Reply
from oneclaw.core.session import Session

LATER = 60.0


def prompt(call_id: str = "c1", **changes: Any) -> Question:
    values: dict[str, Any] = {
        "call_id": call_id, "tool": "shell", "session": "s", "agent": "a", "needs": ("shell",), "digest": "d",
        "text": "May I?",
    }  # fmt: skip
    return Question(**(values | changes))


class Person:
    """A front that notes what it is shown."""

    def __init__(self, broker: Broker) -> None:
        self.shown: list[Question] = []
        self.withdrawn: list[str] = []
        self.unbind = broker.bind(self.shown.append, self.withdrawn.append)


def asking(broker: Broker, *prompts: Question) -> list["asyncio.Task[Reply]"]:
    return [asyncio.create_task(broker.ask(one)) for one in prompts]


async def settle() -> None:
    """Let every task that can run do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def asked(*prompts: Question, **options: Any) -> tuple[Broker, Person, list["asyncio.Task[Reply]"]]:
    """A broker with one front, at which these prompts are open."""
    broker = Broker(seconds=LATER, **options)
    person = Person(broker)
    tasks = asking(broker, *prompts)
    await settle()
    return broker, person, tasks


async def test_the_answer_reaches_the_call_that_asked() -> None:
    question = prompt()
    broker, person, (task,) = await asked(question)
    assert person.shown == [question]
    assert broker.pending() == (question,)
    assert broker.answer(question.id, "once")
    assert (await task).outcome == "once"
    assert broker.pending() == ()
    assert person.withdrawn == [question.id]


async def test_the_first_answer_wins() -> None:
    question = prompt()
    broker, _, (task,) = await asked(question)
    assert broker.answer(question.id, "no")
    assert not broker.answer(question.id, "once")
    assert (await task).outcome == "no"
    assert not broker.answer(question.id, "once")


async def test_an_unknown_prompt_cannot_be_answered() -> None:
    assert not Broker().answer("nothing", "once")


async def test_with_nobody_bound_the_answer_is_no_at_once() -> None:
    reply = await Broker(seconds=LATER).ask(prompt())
    assert (reply.outcome, reply.reason) == ("nobody", "Nobody is there to ask.")


async def test_a_prompt_times_out() -> None:
    broker = Broker(seconds=0.01)
    person = Person(broker)
    question = prompt()
    reply = await broker.ask(question)
    assert reply.outcome == "timeout"
    assert "0.01 seconds" in reply.reason
    assert person.withdrawn == [question.id]
    assert not broker.answer(question.id, "once")


async def test_when_the_last_front_leaves_all_that_is_open_is_denied() -> None:
    broker = Broker(seconds=LATER)
    one, other = Person(broker), Person(broker)
    tasks = asking(broker, *(prompt(f"c{number}") for number in range(3)))
    await settle()
    one.unbind()
    one.unbind()
    assert len(broker.pending()) == 3
    other.unbind()
    replies = await asyncio.gather(*tasks)
    assert {reply.outcome for reply in replies} == {"nobody"}
    assert "closed" in replies[0].reason
    assert broker.why_nobody(Session())


async def test_prompts_are_shown_one_at_a_time_in_order() -> None:
    questions = [prompt(f"c{number}") for number in range(4)]
    broker, person, tasks = await asked(*questions)
    assert broker.pending() == tuple(questions)
    for number, question in enumerate(questions):
        assert person.shown == questions[: number + 1]
        broker.answer(question.id, "once")
    assert person.shown == questions
    await asyncio.gather(*tasks)


async def test_any_open_prompt_may_be_answered_and_is_then_not_shown() -> None:
    questions = [prompt(f"c{number}") for number in range(3)]
    broker, person, tasks = await asked(*questions)
    broker.answer(questions[1].id, "no")
    broker.answer(questions[0].id, "once")
    broker.answer(questions[2].id, "once")
    assert person.shown == [questions[0], questions[2]]
    assert [reply.outcome for reply in await asyncio.gather(*tasks)] == ["once", "no", "once"]


async def test_a_front_that_comes_later_is_shown_what_is_open() -> None:
    broker = Broker(seconds=LATER)
    first = Person(broker)
    question = prompt()
    (task,) = asking(broker, question)
    await settle()
    second = Person(broker)
    assert second.shown == [question]
    broker.answer(question.id, "once")
    assert first.withdrawn == second.withdrawn == [question.id]
    await task


async def test_a_cancelled_call_withdraws_its_prompt() -> None:
    events: list[Event] = []
    one, other = prompt("c1"), prompt("c2")
    broker, person, tasks = await asked(one, other, emit=events.append)
    tasks[0].cancel()
    await settle()
    assert tasks[0].cancelled()
    assert broker.pending() == (other,)
    assert person.withdrawn == [one.id]
    assert person.shown == [one, other]
    assert QuestionAnswered(one.id, "c1", one.session, "withdrawn") in events
    assert not broker.answer(one.id, "once")
    broker.answer(other.id, "once")
    await tasks[1]


async def test_a_call_cancelled_this_very_moment_cannot_be_answered_any_more() -> None:
    question = prompt()
    broker, _, (task,) = await asked(question)
    task.cancel()
    assert not broker.answer(question.id, "once")
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_answer_that_came_before_the_cancel_is_kept() -> None:
    kept: list[Reply] = []
    broker = Broker(seconds=LATER)
    Person(broker)
    question = prompt()
    task = asyncio.create_task(broker.ask(question, {}, kept.append))
    await settle()
    assert broker.answer(question.id, "never")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [reply.outcome for reply in kept] == ["never"]


async def test_only_kept_answers_are_remembered_and_only_for_the_prompt_answered() -> None:
    kept: list[tuple[str, str]] = []
    broker = Broker(seconds=LATER)
    Person(broker)

    async def outcomes(answer: PermissionAnswer) -> list[str]:
        questions = [prompt("c1"), prompt("c2")]
        tasks = [
            asyncio.create_task(
                broker.ask(one, {}, lambda reply, id=one.id: kept.append((id, reply.outcome)))
            )
            for one in questions
        ]
        await settle()
        broker.answer(questions[0].id, answer)
        broker.answer(questions[1].id, "no")
        assert all(id == questions[0].id for id, _ in kept)
        return [reply.outcome for reply in await asyncio.gather(*tasks)]

    assert await outcomes("once") == ["once", "no"]
    assert await outcomes("no") == ["no", "no"]
    assert kept == []
    assert await outcomes("session") == ["session", "session"]
    assert [outcome for _, outcome in kept] == ["session"]


def refuse(_: Question) -> None:
    raise RuntimeError("no screen")


async def test_a_front_that_raises_counts_as_nobody() -> None:
    broker = Broker(seconds=LATER)
    broker.bind(refuse)
    reply = await broker.ask(prompt())
    assert (reply.outcome, reply.reason) == ("nobody", "The question could not be shown (RuntimeError).")


async def test_another_front_can_answer_what_one_could_not_show() -> None:
    broker = Broker(seconds=LATER)
    broker.bind(refuse)
    person = Person(broker)
    question = prompt()
    (task,) = asking(broker, question)
    await settle()
    assert person.shown == [question]
    person.unbind()
    reply = await task
    assert reply.outcome == "nobody"
    assert "RuntimeError" in reply.reason


async def test_a_front_that_fails_once_is_shown_the_next_prompt() -> None:
    broker = Broker(seconds=LATER)
    seen: list[str] = []

    def show(question: Question) -> None:
        seen.append(question.call_id)
        if question.call_id == "bad":
            raise ValueError
        broker.answer(question.id, "once")

    broker.bind(show)
    replies = await asyncio.gather(*asking(broker, prompt("bad"), prompt("good")))
    assert [reply.outcome for reply in replies] == ["nobody", "once"]
    assert seen == ["bad", "good"]


async def test_a_front_may_answer_while_it_is_shown_a_prompt_however_many_wait() -> None:
    broker = Broker(seconds=LATER)
    patient = Person(broker)
    tasks = asking(broker, *(prompt(f"c{number}") for number in range(2_000)))
    await settle()

    def agree(question: Question) -> None:
        broker.answer(question.id, "once")

    broker.bind(agree)
    assert {reply.outcome for reply in await asyncio.gather(*tasks)} == {"once"}
    assert len(patient.withdrawn) == len(patient.shown)


@pytest.mark.parametrize("does_fail", [False, True])
async def test_a_front_that_unbinds_while_it_is_shown_a_prompt_is_shown_no_more(does_fail: bool) -> None:
    broker = Broker(seconds=LATER)
    shown: list[Question] = []
    unbind: list[Callable[[], None]] = []

    def show(question: Question) -> None:
        shown.append(question)
        if len(shown) == 2:
            unbind[0]()
            if does_fail:
                raise RuntimeError

    unbind.append(broker.bind(show))
    person = Person(broker)
    questions = [prompt(f"c{number}") for number in range(4)]
    tasks = asking(broker, *questions)
    await settle()
    for question in questions:
        broker.answer(question.id, "once")
    await asyncio.gather(*tasks)
    assert shown == questions[:2]
    assert person.shown == questions


async def test_a_front_that_cannot_withdraw_harms_nobody() -> None:
    broker = Broker(seconds=LATER)

    def fail(_: str) -> None:
        raise RuntimeError

    shown: list[Question] = []
    broker.bind(shown.append, fail)
    tasks = asking(broker, prompt("c1"), prompt("c2"))
    await settle()
    for question in broker.pending():
        assert broker.answer(question.id, "once")
    assert [reply.outcome for reply in await asyncio.gather(*tasks)] == ["once", "once"]


async def test_events_tell_of_the_question_and_of_its_one_answer() -> None:
    events: list[Event] = []
    question = prompt(needs=("shell", "changes"))
    broker, _, (task,) = await asked(question, emit=events.append)
    broker.answer(question.id, "session")
    broker.answer(question.id, "no")
    await task
    assert events == [
        QuestionAsked(
            question.id, "c1", "shell", "s", "a", "shell, changes", "May I?", "permission", ANSWERS
        ),
        QuestionAnswered(question.id, "c1", question.session, "session"),
    ]


OTHERS: list[tuple[PermissionAnswer, dict[str, Any], bool]] = [
    # the answer, what the other prompt differs in, whether the answer settles it
    ("session", {}, True),
    ("session", {"session": "t"}, False),
    ("session", {"tool": "mail"}, False),
    ("session", {"needs": ("shell", "mail")}, False),
    ("session", {"digest": "changed"}, False),
    ("session", {"about": "another host"}, False),
    ("agent", {"session": "t"}, True),
    ("agent", {"session": "t", "agent": "b"}, False),
    ("always", {"session": "t", "agent": "b"}, True),
    ("always", {"session": "t", "agent": "b", "digest": "changed"}, False),
    ("never", {"session": "t", "agent": "b", "digest": "changed", "about": "x"}, True),
    ("never", {"needs": ("shell", "mail")}, True),
    ("never", {"needs": ("mail",)}, False),
    ("never", {"tool": "mail"}, False),
    ("once", {}, False),
    ("no", {}, False),
]


@pytest.mark.parametrize(("answer", "changes", "is_settled"), OTHERS)
async def test_a_kept_answer_settles_the_prompts_it_covers(
    answer: PermissionAnswer, changes: dict[str, Any], is_settled: bool
) -> None:
    one, other = prompt("c1"), prompt("c2", **changes)
    broker, person, tasks = await asked(one, other)
    broker.answer(one.id, answer)
    assert (broker.pending() == ()) is is_settled
    assert (other not in person.shown) is is_settled
    broker.answer(other.id, "no")
    replies = await asyncio.gather(*tasks)
    assert replies[1].outcome == (answer if is_settled else "no")


async def test_an_answer_with_a_pattern_settles_only_what_fits_it() -> None:
    broker = Broker(seconds=LATER)
    Person(broker)
    questions = [prompt("c1"), prompt("c2"), prompt("c3")]
    paths = ["src/a", "src/b", "etc/c"]
    tasks = [
        asyncio.create_task(broker.ask(one, {"path": path}))
        for one, path in zip(questions, paths, strict=True)
    ]
    await settle()
    with pytest.raises(ValueError, match="does not match the call"):
        broker.answer(questions[0].id, "session", pattern={"path": "lib/*"})
    assert broker.answer(questions[0].id, "session", pattern={"path": "src/*"}, seconds=60)
    assert broker.pending() == (questions[2],)
    broker.answer(questions[2].id, "no")
    replies = await asyncio.gather(*tasks)
    assert [reply.outcome for reply in replies] == ["session", "session", "no"]
    assert (replies[0].pattern, replies[0].seconds) == ({"path": "src/*"}, 60)


@pytest.mark.parametrize(
    ("answer", "options"),
    [
        ("yes", {}),
        ("timeout", {}),
        ("session", {}),
        ("once", {"seconds": 5}),
        ("never", {"pattern": {"path": "x"}}),
        ("always", {"seconds": 0}),
        ("always", {"seconds": float("nan")}),
    ],
)
async def test_what_cannot_be_answered_so_raises_and_leaves_the_prompt_open(
    answer: Any, options: dict[str, Any]
) -> None:
    question = prompt(answers=tuple(one for one in ANSWERS if one != "session"))
    broker, _, (task,) = await asked(question)
    with pytest.raises(ValueError):
        broker.answer(question.id, answer, **options)
    assert broker.pending() == (question,)
    broker.answer(question.id, "no")
    await task


async def test_a_thread_can_answer() -> None:
    question = prompt()
    broker, _, (task,) = await asked(question)
    with pytest.raises(ValueError):
        await asyncio.to_thread(broker.answer_threadsafe, question.id, "perhaps")
    assert await asyncio.to_thread(broker.answer_threadsafe, question.id, "once")
    assert not await asyncio.to_thread(broker.answer_threadsafe, question.id, "no")
    assert (await task).outcome == "once"


async def test_answering_as_a_thread_from_the_loop_itself_does_not_wait_for_ever() -> None:
    question = prompt()
    broker, _, (task,) = await asked(question)
    assert broker.answer_threadsafe(question.id, "once")
    assert (await task).outcome == "once"


def test_a_thread_that_answers_when_the_loop_is_gone_is_told_no() -> None:
    broker = Broker(seconds=0.01)
    assert not broker.answer_threadsafe("any", "once")
    broker.bind(lambda _: None)
    asyncio.run(broker.ask(prompt()))
    assert not broker.answer_threadsafe("any", "once")
