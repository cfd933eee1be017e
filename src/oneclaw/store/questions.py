"""Stored questions, answered once by any program.

    open       nobody has answered, and it has not expired
    answered   `answer` is the one answer; `used` once the call that asked has taken it up
    expired    nobody answered in time
    withdrawn  the call that asked is over

Every way out of `open` is one statement that finds it open: of several that come at once, one is first.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from time import time
from typing import Any, Literal

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.question import ANSWERED, Question, Reply
from oneclaw.store.column import NAME_CHARS, as_stored, bounded
from oneclaw.store.database import Database
from oneclaw.store.redaction import redact_value

QuestionState = Literal["open", "answered", "expired", "withdrawn"]

_OWN = ("id", "run", "session", "agent", "tool", "kind", "text", "key", "created", "expires")
"""Fields of a question that have a column of their own; `call_id` has the column `call`."""
_COLUMNS = f"{', '.join(_OWN)}, call, asked, owner, process, state, ended, answer, who, used"
_ADD = f"""
INSERT INTO questions ({", ".join(_OWN)}, call, asked, process, state)
VALUES ({", ".join("?" * len(_OWN))}, ?, ?, ?, 'open')
"""  # noqa: S608  only our words
_END = (
    "UPDATE questions SET state = ?, ended = ?, answer = ?, who = ?, used = ? WHERE id = ? AND state = 'open'"
)
_ANSWER = f"{_END} AND expires > ?"
_WITHDRAW = "UPDATE questions SET state = 'withdrawn', ended = ? WHERE id = ? AND state = 'open'"
_ADOPT = "UPDATE questions SET process = ?, call = ? WHERE id = ? AND state = 'open'"
_USE = "UPDATE questions SET used = ? WHERE id = ? AND used IS NULL"
_EARLIER = "run = ? AND key = ? AND process != ? AND used IS NULL AND state IN ('open', 'answered')"
_PRUNE = "DELETE FROM questions WHERE run = '' AND created < ? AND (state != 'open' OR expires < ?)"
_DAY_SECONDS = 86_400
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """A question and how it stands. `who` gave the answer; times are seconds since 1970."""

    question: Question
    owner: str = ""
    process: str = ""
    state: QuestionState = "open"
    ended: float | None = None
    reply: Reply | None = None
    who: str = ""
    used: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether it can be answered still."""
        return self.state == "open" and self.question.expires > time()


class Questions:
    """The questions of a store; a `QuestionBook`."""

    def __init__(self, database: Database, redact: Callable[[str], str]) -> None:
        """`redact` takes known secrets out of questions and answers before they are kept."""
        self._database = database
        self._redact = redact
        self._seen = -1

    async def ask(self, question: Question) -> tuple[Question, Reply | None]:
        earlier = await self._earlier(question) if question.run else None
        if earlier is not None:
            return earlier
        await self._database.write(_ADD, self._row(question))
        return question, None

    async def flush(self) -> None:
        await self._database.flush()

    async def settle(self, question_id: str, reply: Reply, who: str = "") -> Reply:
        state = _state_of(reply)
        now = time()
        values = (state, now, self._answer(reply), bounded(who, NAME_CHARS), now, question_id)
        if (await self._database.write(_END, values)).rows:
            return reply
        record = await self.get(question_id)
        if record is None or record.reply is None or record.state != "answered":
            return Reply("withdrawn", "The question was withdrawn.")
        await self._database.write(_USE, (now, question_id))
        return record.reply

    def withdraw(self, question_id: str) -> None:
        self._database.add_later(_WITHDRAW, (time(), question_id))

    async def answered(self) -> Mapping[str, Reply]:
        rows = await self._database.select("SELECT number FROM versions WHERE name = 'questions'")
        if rows[0][0] == self._seen:
            return {}
        where = "process = ? AND state = 'answered' AND used IS NULL"
        found = await self._select(where, (self._database.process,))
        self._seen = rows[0][0]
        return {each.question.id: each.reply for each in found if each.reply is not None}

    async def answer(self, question_id: str, reply: Reply, who: str = "") -> bool:
        """Give an open question its answer; False when it is open no more.

        The program that asked takes it up, or the run does when it goes on.
        """
        now = time()
        values = (
            _state_of(reply),
            now,
            self._answer(reply),
            bounded(who, NAME_CHARS),
            None,
            question_id,
            now,
        )
        return (await self._database.write(_ANSWER, values)).rows == 1

    async def get(self, question_id: str) -> QuestionRecord | None:
        found = await self._select("id = ?", (as_stored(question_id),), 1)
        return found[0] if found else None

    async def find(self, start: str) -> QuestionRecord | None:
        """The question whose id begins with `start`, an open one first; `InvalidConfig` for several."""
        exact = await self.get(start)
        if exact is not None or not start:
            return exact
        begun = as_stored(start)
        found = await self._select("substr(id, 1, ?) = ?", (len(begun), begun), _MOST_NAMED + 1)
        found = [each for each in found if each.is_open] or found
        if len(found) > 1:
            named = ", ".join(each.question.id for each in found[:_MOST_NAMED])
            raise InvalidConfig(
                f"More than one question begins with {start[:100]!r}: {named}; give more letters."
            )
        return found[0] if found else None

    async def list(self, *, is_open: bool = True, limit: int = 50) -> "list[QuestionRecord]":
        """The open questions, oldest first; or all of them, newest first."""
        if is_open:
            return await self._select("state = 'open' AND expires > ?", (time(),), limit)
        return await self._select("TRUE", (), limit, "DESC")

    async def prune(self, days: float) -> int:
        """Forget questions outside of runs that are so many days old; others go with their runs."""
        now = time()
        return (await self._database.write(_PRUNE, (now - days * _DAY_SECONDS, now))).rows

    async def _earlier(self, question: Question) -> tuple[Question, Reply | None] | None:
        """The same question of the same run, asked by a program that is gone: a run is in one program."""
        process, now = self._database.process, time()
        for record in await self._select(_EARLIER, (question.run, question.key, process)):
            asked = record.question
            if record.state == "answered" and record.reply is not None:
                if (await self._database.write(_USE, (now, asked.id))).rows:
                    return question, record.reply
            elif asked.expires <= now:
                await self._database.write(_END, ("expired", now, None, "", now, asked.id))
            elif (await self._database.write(_ADOPT, (process, question.call_id, asked.id))).rows:
                return replace(asked, call_id=question.call_id, waits=question.waits), None
            else:  # answered this moment
                return await self._earlier(question)
        return None

    def _row(self, question: Question) -> tuple[Any, ...]:
        own = {name: getattr(question, name) for name in _OWN}
        own["text"] = bounded(self._redact(question.text))
        own |= {name: bounded(own[name], NAME_CHARS) for name in ("session", "agent", "tool")}
        rest = {
            each.name: getattr(question, each.name)
            for each in fields(question)
            if each.name not in (*_OWN, "call_id")
        }
        call = bounded(question.call_id, NAME_CHARS)
        return (*own.values(), call, _encode(redact_value(rest, self._redact)), self._database.process)

    def _answer(self, reply: Reply) -> str | None:
        if reply.outcome not in ANSWERED:
            return None
        return _encode(redact_value(asdict(reply), self._redact))

    async def _select(
        self, where: str, values: tuple[Any, ...], limit: int = -1, order: str = ""
    ) -> "list[QuestionRecord]":
        sql = f"SELECT {_COLUMNS} FROM questions WHERE {where} ORDER BY created {order} LIMIT ?"  # noqa: S608
        return [_record(row) for row in await self._database.select(sql, (*values, limit))]


def question_json(record: QuestionRecord) -> dict[str, Any]:
    """A question as plain data."""
    told = asdict(record.question) | asdict(record)
    del told["question"], told["reply"]
    if told["state"] == "open" and not record.is_open:
        told["state"] = "expired"
    reply = record.reply
    answer = None if reply is None else (reply.value if reply.outcome == "answered" else reply.outcome)
    return told | {"answer": answer}


async def waited(database: Database, run: str, until: float) -> float:
    """The seconds that a run has waited for people, up to a moment."""
    rows = await database.select(
        "SELECT created, ended FROM questions WHERE run = ? ORDER BY created", (run,)
    )
    total = reached = 0.0
    for created, ended in rows:  # several may have been open at once: the time counts once
        begun, over = max(created, reached), min(until if ended is None else ended, until)
        if over > begun:
            total, reached = total + over - begun, over
    return total


def _state_of(reply: Reply) -> QuestionState:
    if reply.outcome in ANSWERED:
        return "answered"
    return "expired" if reply.outcome == "timeout" else "withdrawn"


def _record(row: tuple[Any, ...]) -> QuestionRecord:
    names = (name.strip() for name in _COLUMNS.split(","))
    stored: dict[str, Any] = dict(zip(names, row, strict=True))
    rest = json.loads(stored["asked"])
    listed = ("needs", "answers", "in_diff", "warnings", "rules")
    lists = {name: tuple(rest.get(name, ())) for name in listed}
    own = {name: stored[name] for name in _OWN}
    answer = stored["answer"]
    return QuestionRecord(
        question=Question(call_id=stored["call"], **own, **(rest | lists)),
        reply=None if answer is None else Reply(**json.loads(answer)),
        **{name: stored[name] for name in ("owner", "process", "state", "ended", "who", "used")},
    )


_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), default=str).encode
