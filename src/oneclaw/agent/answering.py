"""Answers a stored question from any program, and says what becomes of the answer."""

from typing import Any

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.question import Reply, read_answer
from oneclaw.store.questions import QuestionRecord
from oneclaw.store.store import Store


class AnswerRefused(InvalidConfig):
    """An answer that does not fit its question, which stays open."""


async def find_question(store: Store, name: str) -> QuestionRecord:
    """The question of an id or the beginning of one; raises `InvalidConfig`."""
    record = await store.questions.find(name)
    if record is None:
        raise InvalidConfig(f"There is no question {name[:100]!r}; `oneclaw questions` lists them.")
    return record


async def answer_question(
    store: Store,
    record: QuestionRecord,
    answer: Any,
    *,
    pattern: dict[str, str] | None = None,
    seconds: float | None = None,
    who: str = "",
) -> Reply:
    """Give a question its one answer. Raises `InvalidConfig` when it is open no more."""
    question = record.question
    if not record.is_open:
        raise InvalidConfig(why_closed(record))
    try:
        reply = read_answer(question, answer, pattern, seconds)
    except ValueError as error:
        raise AnswerRefused(str(error)) from None
    if not await store.questions.answer(question.id, reply, who):
        raise InvalidConfig(why_closed(await store.questions.get(question.id) or record))
    return reply


def why_closed(record: QuestionRecord) -> str:
    """Why a question cannot be answered any more, in one sentence."""
    name = f"The question {record.question.id}"
    if record.state == "answered":
        by = f" by {record.who}" if record.who else ""
        said = record.reply
        what = "" if said is None or said.outcome == "answered" else f" ({said.outcome})"
        return f"{name} was answered already{by}{what}; the first answer counts."
    if record.state == "withdrawn":
        return f"{name} was withdrawn: the call that asked it is over."
    return f"{name} has expired: nobody answered in time. Resume its run, and it is asked again."


async def next_step(store: Store, record: QuestionRecord) -> str:
    """What makes use of the answer, where no program waits for it; empty where one does."""
    run = await store.runs.get(record.question.run) if record.question.run else None
    if run is None or run.state == "running":
        return ""
    return f"Its run was {run.state}: `oneclaw resume {run.id}` goes on with the answer."
