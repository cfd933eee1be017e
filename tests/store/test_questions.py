"""Questions in the store: answered once, by any program, and taken up by the one that asked or goes on."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import Question, Reply, read_answer
from oneclaw.store import questions
from oneclaw.store.questions import Questions, question_json
from oneclaw.store.store import Store


def question(**changes: Any) -> Question:
    now = time.time()
    values: dict[str, Any] = {
        "tool": "shell", "session": "s", "agent": "a", "run": "r", "needs": ("shell",), "digest": "d",
        "text": "May I?", "waits": True, "key": "k", "created": now, "expires": now + 60,
    }  # fmt: skip
    return Question(**(values | changes))


def unheld(reply: Reply, fits: object) -> Reply:
    return reply


def yes(asked: Question) -> Reply:
    return read_answer(asked, "once")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


async def test_a_question_comes_back_as_it_was_asked(path: Path) -> None:
    form = {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}}
    with Store(path) as store:
        asked = [
            question(),
            question(kind="form", schema=form, key="k2"),
            question(answers=("é", "b"), key="3"),
        ]
        for one in asked:
            assert await store.questions.ask(one) == (one, None)
        assert [each.question for each in await store.questions.list()] == asked


@pytest.mark.parametrize("is_guarded", [True, False])
async def test_of_two_answers_the_first_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """Without the condition that the question is open, the second answer takes the place of the first."""
    if not is_guarded:
        monkeypatch.setattr(questions, "_ANSWER", questions._ANSWER.replace(" AND state = 'open'", ""))  # pyright: ignore[reportPrivateUsage]
    asked = question()
    with Store(path) as one, Store(path) as other:
        await one.questions.ask(asked)
        first = await one.questions.answer(asked.id, yes(asked), "one")
        second = await other.questions.answer(asked.id, read_answer(asked, "no"), "other")
        record = await other.questions.get(asked.id)
        assert record is not None
        assert record.reply is not None
        assert (first, second) == (True, not is_guarded)
        assert (record.who, record.reply.outcome) == (("one", "once") if is_guarded else ("other", "no"))


async def test_fifty_programs_that_answer_at_once_give_one_answer(path: Path) -> None:
    asked = question()
    with Store(path) as store:
        await store.questions.ask(asked)
        stores = [Store(path) for _ in range(10)]
        try:
            won = await asyncio.gather(
                *(each.questions.answer(asked.id, yes(asked), str(at)) for at, each in enumerate(stores * 5))
            )
        finally:
            for each in stores:
                each.close()
        assert won.count(True) == 1


async def test_what_has_expired_cannot_be_answered(path: Path) -> None:
    asked = question(expires=time.time() - 1)
    with Store(path) as store:
        await store.questions.ask(asked)
        assert await store.questions.list() == []
        assert not await store.questions.answer(asked.id, yes(asked))
        record = await store.questions.get(asked.id)
        assert record is not None
        assert question_json(record)["state"] == "expired"


async def asking(store: Store, asked: Question) -> tuple[Broker, "asyncio.Task[Reply]"]:
    broker = Broker()
    broker.book = store.questions
    task = asyncio.create_task(broker.ask(asked))
    while not broker.pending():
        await asyncio.sleep(0)
    return broker, task


async def test_the_answer_of_another_program_reaches_the_call_that_asked_within_a_second(path: Path) -> None:
    asked = question()
    with Store(path) as store, Store(path) as other:
        broker, task = await asking(store, asked)
        assert await other.questions.answer(asked.id, yes(asked), "somebody")
        begun = time.monotonic()
        assert (await task).outcome == "once"
        assert time.monotonic() - begun < 1
        assert broker.pending() == ()
        record = await other.questions.get(asked.id)
        assert record is not None
        assert record.used is not None


@pytest.mark.parametrize("is_guarded", [True, False])
@pytest.mark.parametrize("is_killed", [True, False])
async def test_a_pattern_from_another_program_that_does_not_fit_the_call_is_a_no(
    path: Path, monkeypatch: pytest.MonkeyPatch, is_killed: bool, is_guarded: bool
) -> None:
    """Without the guard, a yes to other calls is a yes to this one. The other program may not know the call:
    a long argument is cut."""
    if not is_guarded:
        monkeypatch.setattr("oneclaw.core.permit.broker._held", unheld)
    asked = question()
    said = read_answer(asked, "always", {"path": "notes/*"})
    kept: list[Reply] = []
    with Store(path) as other, Store(path) as store:
        broker = Broker()
        broker.book = store.questions
        if is_killed:
            await other.questions.ask(asked)
            await other.questions.answer(asked.id, said)
        asking_now = question() if is_killed else asked
        task = asyncio.create_task(broker.ask(asking_now, {"path": "etc/passwd"}, kept.append))
        if not is_killed:
            while not broker.pending():
                await asyncio.sleep(0)
            await other.questions.answer(asked.id, said)
        reply = await task
    assert reply.outcome == ("no" if is_guarded else "always")
    assert ("a pattern that this call does not fit" in reply.reason) is is_guarded
    assert bool(kept) is not is_guarded


async def test_a_front_that_answers_too_late_changes_nothing(path: Path) -> None:
    """The other program was first: what is typed here before the news has come does not count."""
    asked = question()
    with Store(path) as store, Store(path) as other:
        broker, task = await asking(store, asked)
        await other.questions.answer(asked.id, read_answer(asked, "no"))
        broker.answer(asked.id, "once")
        assert (await task).outcome == "no"


@pytest.mark.parametrize("is_guarded", [True, False])
async def test_an_answer_is_used_once(path: Path, monkeypatch: pytest.MonkeyPatch, is_guarded: bool) -> None:
    """An answer that came when nobody waited is used by the run that goes on, for one call."""
    if not is_guarded:
        monkeypatch.setattr(questions, "_USE", "UPDATE questions SET ended = ? WHERE id = ?")
    asked = question()
    with Store(path) as store:
        await store.questions.ask(asked)
    with Store(path) as store:
        await store.questions.answer(asked.id, yes(asked))
        _, reply = await store.questions.ask(question())
        assert reply is not None
        assert reply.outcome == "once"
        _, reply = await store.questions.ask(question())
        assert (reply is None) is is_guarded


async def test_another_run_another_question_and_the_same_program_ask_anew(path: Path) -> None:
    asked = question()
    with Store(path) as store:
        await store.questions.ask(asked)
        assert await store.questions.ask(second := question()) == (second, None)  # two calls that are alike
    with Store(path) as store:
        for other in (question(run="r2"), question(key="k2"), question(run="")):
            assert await store.questions.ask(other) == (other, None)


async def test_a_question_of_a_dead_program_goes_on_under_its_id(path: Path) -> None:
    asked = question()
    with Store(path) as store:
        await store.questions.ask(asked)
    with Store(path) as store:
        again, reply = await store.questions.ask(question(call_id="c2"))
        assert reply is None
        assert (again.id, again.call_id, again.expires) == (asked.id, "c2", asked.expires)


async def test_secrets_are_kept_neither_in_questions_nor_in_answers(path: Path) -> None:
    asked = question(kind="text", text="Is it hunter2?", about="hunter2", answers=())
    with Store(path, redact=lambda text: text.replace("hunter2", "[REDACTED]")) as store:
        await store.questions.ask(asked)
        await store.questions.answer(asked.id, read_answer(asked, "yes, hunter2"))
        rows = await store.database.select("SELECT * FROM questions")
    assert "hunter2" not in str(rows)
    assert "yes, [REDACTED]" in str(rows)


async def test_a_cancelled_call_withdraws_its_question_and_a_closing_program_leaves_it_open(
    path: Path,
) -> None:
    with Store(path) as store:
        for is_closing, state in ((False, "withdrawn"), (True, "open")):
            asked = question(key=state)
            broker, task = await asking(store, asked)
            if is_closing:
                broker.close()
            task.cancel()
            await asyncio.wait((task,))
            await store.database.flush()
            record = await store.questions.get(asked.id)
            assert record is not None
            assert record.state == state


async def test_no_question_is_left_open_by_a_run_that_is_over(path: Path) -> None:
    from oneclaw.store.runs import RunRecord

    with Store(path) as store:
        await store.runs.start(RunRecord(id="r", session="s", root="r", agent="a", model="m", limits={}))
        await store.questions.ask(question())
        await store.runs.finish("r", "done", "m", {})
        assert await store.questions.list() == []


async def test_the_time_a_run_waited_counts_once(path: Path) -> None:
    with Store(path) as store:
        for created, ended in ((10.0, 20.0), (15.0, 25.0), (30.0, None)):
            asked = question(created=created)
            await store.questions.ask(asked)
            await store.database.write("UPDATE questions SET ended = ? WHERE id = ?", (ended, asked.id))
        assert await questions.waited(store.database, "r", 40.0) == 25.0
        assert isinstance(store.questions, Questions)
