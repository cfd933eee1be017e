"""Lists, finds and answers questions."""

from typing import Any

from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.permit.grant import fits
from oneclaw.core.question import MISFIT, Question, Reply, read_answer
from oneclaw.core.text.display import read_shown
from oneclaw.store.questions import QuestionRecord, question_json
from oneclaw.store.store import Store

__all__ = [
    "AnswerRefused",
    "QuestionRecord",
    "answer_question",
    "check_open",
    "find_question",
    "list_questions",
    "next_step",
    "question_json",
    "why_closed",
]


class AnswerRefused(InvalidConfig):
    """An answer that does not fit its question, which stays open."""


async def list_questions(store: Store | None, *, is_open: bool, limit: int) -> list[QuestionRecord]:
    """Those that wait for an answer, or all."""
    return [] if store is None else await store.questions.list(is_open=is_open, limit=limit)


async def find_question(store: Store | None, name: str) -> QuestionRecord:
    """The question of an id or the beginning of one; raises `NotFound`."""
    record = None if store is None else await store.questions.find(name)
    if record is None:
        raise NotFound("question", name, "questions")
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
    check_open(record)
    try:
        reply = read_answer(question, answer, pattern, seconds)
        if pattern:
            check_pattern(question, pattern)
    except ValueError as error:
        raise AnswerRefused(str(error)) from None
    if not await store.questions.answer(question.id, reply, who):
        raise InvalidConfig(why_closed(await store.questions.get(question.id) or record))
    return reply


def check_open(record: QuestionRecord) -> None:
    """Raise `InvalidConfig` for a question that is open no more."""
    if not record.is_open:
        raise InvalidConfig(why_closed(record))


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


def check_pattern(question: Question, pattern: dict[str, str]) -> None:
    """Raise ValueError for a pattern that can be none, or that does not fit the call that asks.

    Where a long argument was cut for display, the program that asks decides.
    """
    given = {name: value for name, text in question.arguments.items() if (value := read_shown(text))}
    known = {name: value[0] for name, value in given.items()}
    if question.is_ruled:
        from oneclaw.guard.command.approval import check_rule, pattern_fits

        check_rule(pattern)
        does_fit = len(known) < len(question.arguments) or pattern_fits(pattern, known)
    else:
        does_fit = not pattern.keys() <= known.keys() or fits(pattern, known)
    if not does_fit:
        raise ValueError(MISFIT)


async def next_step(store: Store, record: QuestionRecord) -> str:
    """How the answer is used if no program waits for it; empty if one does."""
    run = await store.runs.get(record.question.run) if record.question.run else None
    if run is None or run.state == "running":
        return ""
    return f"Its run was {run.state}: `oneclaw resume {run.id}` goes on with the answer."
