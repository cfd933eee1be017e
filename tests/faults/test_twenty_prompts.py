"""Twenty prompts at once, answered in any order, from tasks and threads, twice or never: one outcome each."""

import asyncio
import random
from collections import Counter
from typing import Any

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.core.event import Event, QuestionAnswered, QuestionAsked
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.question import PermissionAnswer, Question
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition

PROMPTS = 20
SESSION = Session(id="s", agent="a")
YES: tuple[PermissionAnswer, ...] = ("once", "always")
NO: tuple[PermissionAnswer, ...] = ("no", "never")


def tool(number: int) -> ToolDefinition:
    """Tools apart from each other, so that a kept answer settles its own prompt only."""
    return ToolDefinition(name=f"tool_{number}", needs=("shell",), effect="read")


class Calls:
    """Twenty calls that ask, and what became of each."""

    def __init__(self, seconds: float) -> None:
        self.events: list[Event] = []
        self.ran: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.cancelled: Counter[str] = Counter()
        self.broker = Broker(seconds=seconds, emit=self.events.append)
        self.permissions = Permissions(broker=self.broker)

    def start(self, definition: ToolDefinition | None = None) -> list["asyncio.Task[None]"]:
        return [
            asyncio.create_task(self.call(f"c{number}", definition or tool(number)))
            for number in range(PROMPTS)
        ]

    async def call(self, call_id: str, definition: ToolDefinition) -> None:
        try:
            await self.permissions.check(call_id, definition, {"call": call_id}, SESSION)
            self.ran[call_id] += 1
        except ToolError:
            self.refused[call_id] += 1
        except asyncio.CancelledError:
            self.cancelled[call_id] += 1

    async def all_open(self) -> list[Question]:
        while len(self.broker.pending()) < PROMPTS:
            await asyncio.sleep(0)
        return list(self.broker.pending())

    def check_one_outcome_each(self) -> None:
        outcomes = self.ran + self.refused + self.cancelled
        assert outcomes == Counter({f"c{number}": 1 for number in range(PROMPTS)})
        asked = [event.question_id for event in self.events if isinstance(event, QuestionAsked)]
        answered = [event.question_id for event in self.events if isinstance(event, QuestionAnswered)]
        assert len(asked) == PROMPTS
        assert sorted(asked) == sorted(answered)
        assert self.broker.pending() == ()


@pytest.mark.covers("RFC004-EC-07")
@pytest.mark.parametrize("seed", range(5))
async def test_each_call_gets_the_outcome_of_the_first_answer(seed: int) -> None:
    chance = random.Random(seed)
    calls = Calls(seconds=0.3)
    shown: list[Question] = []
    calls.broker.bind(shown.append)
    tasks = calls.start()
    prompts = await calls.all_open()
    forgotten = {prompt.id for prompt in chance.sample(prompts, 3)}
    taken: dict[str, PermissionAnswer] = {}

    async def answer(prompt: Question, answer: PermissionAnswer, is_thread: bool) -> None:
        give: Any = calls.broker.answer_threadsafe
        accepted = await asyncio.to_thread(give, prompt.id, answer) if is_thread else give(prompt.id, answer)
        if accepted:
            assert prompt.id not in taken, "two answers were taken for one prompt"
            taken[prompt.id] = answer

    answers = [prompt for prompt in prompts if prompt.id not in forgotten]
    answers += chance.sample(answers, 8)
    chance.shuffle(answers)
    await asyncio.gather(*(answer(one, chance.choice([*YES, *NO]), chance.random() < 0.5) for one in answers))
    await asyncio.gather(*tasks)

    calls.check_one_outcome_each()
    assert taken
    assert not forgotten & set(taken)
    for prompt in prompts:
        assert (calls.ran[prompt.call_id] == 1) is (taken.get(prompt.id) in YES)
    assert len({prompt.id for prompt in shown}) == len(shown)


@pytest.mark.parametrize("seed", range(10))
async def test_calls_cancelled_among_the_answers_get_one_outcome_too(seed: int) -> None:
    chance = random.Random(seed)
    calls = Calls(seconds=60)
    calls.broker.bind(lambda _: None)
    tasks = calls.start()
    prompts = await calls.all_open()
    deeds = [(task, prompt) for task, prompt in zip(tasks, prompts, strict=True)]
    chance.shuffle(deeds)
    accepted: set[str] = set()
    for task, prompt in deeds:
        steps = [
            task.cancel,
            lambda id=prompt.id: accepted.add(id) if calls.broker.answer(id, "once") else None,
        ]
        chance.shuffle(steps)
        for step in steps[: chance.choice((1, 2))]:
            step()
        if chance.random() < 0.5:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    calls.check_one_outcome_each()
    assert sum(calls.ran.values()) <= len(accepted)
    assert all(prompt.id in accepted for prompt in prompts if calls.ran[prompt.call_id])


@pytest.mark.covers("FEAT004-EC-09")
async def test_twenty_prompts_nobody_answers_are_all_denied_in_time() -> None:
    calls = Calls(seconds=0.05)
    calls.broker.bind(lambda _: None)
    await asyncio.gather(*calls.start())
    calls.check_one_outcome_each()
    assert sum(calls.refused.values()) == PROMPTS


async def test_with_the_one_way_out_taken_away_a_prompt_would_be_answered_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The twin: a queue that keeps a prompt after its answer takes a second one."""
    calls = Calls(seconds=60)
    calls.broker.bind(lambda _: None)
    tasks = calls.start()
    prompts = await calls.all_open()
    one, other = prompts[0], prompts[1]
    assert [calls.broker.answer(one.id, "once"), calls.broker.answer(one.id, "no")] == [True, False]

    def keep(*_: Any) -> None: ...

    with monkeypatch.context() as patch:
        patch.setattr(calls.broker, "_end", keep)
        taken = [calls.broker.answer(other.id, "once"), calls.broker.answer(other.id, "no")]
    assert taken == [True, True]
    for prompt in prompts:
        calls.broker.answer(prompt.id, "no")
    await asyncio.gather(*tasks)
