"""Stored messages, summaries and token usage."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import time
from typing import Any

from oneclaw.core.call import Image
from oneclaw.core.envelope import Envelope
from oneclaw.core.errors import StoreError
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, TextPart, Usage, UserMessage
from oneclaw.core.message_json import from_json, to_json
from oneclaw.core.session import Session
from oneclaw.store.column import NAME_CHARS, as_stored, bounded
from oneclaw.store.database import Database, SqlValues, Statement
from oneclaw.store.redaction import redact_message
from oneclaw.store.sessions import describe_session

_TOKENS = ("input", "output", "cached", "cache_written", "reasoning")
_LAST = "(SELECT coalesce(max(number), 0) FROM messages WHERE session = ?1)"
_ADD_RESULTS = f"""
INSERT INTO messages (number, session, created, content, run, role)
VALUES ({_LAST} + 1, ?1, ?2, ?3, ?4, 'results')
"""  # noqa: S608  only our words
_BEGIN = """
INSERT INTO sessions (id, agent, workspace, title, created, updated, parent) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    updated = excluded.updated, title = CASE title WHEN '' THEN excluded.title ELSE title END
"""
_TOUCH = "UPDATE sessions SET updated = ?, title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?"
_SUMMARISE = """
INSERT INTO summaries (session, through, created, text) VALUES (?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET
    through = excluded.through, created = excluded.created, text = excluded.text
"""
_TITLE_CHARS = 80
_LAG_SECONDS = 5.0
_MOST_TOKENS = 10**12  # what a provider says is not checked, and SQLite cannot add up numbers of any size
_LOST = "(A message stood here that can no longer be read.)"

log = logging.getLogger("oneclaw")
Row = dict[str, str | int | float]
"""The columns of a row that are not null."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the store holds it. `created` is seconds since 1970, `cost` US dollars where known."""

    number: int
    created: float
    message: Message
    cost: float | None


@dataclass(frozen=True, slots=True)
class Round:
    """One answer of a model: when, of which session, and what it took."""

    session: str
    number: int
    created: float
    model: str
    usage: Usage
    cost: float | None


def identity(text: str) -> str:
    return text


class Messages:
    """The messages of a store. `redact` takes known secrets out of what is said before it is kept."""

    def __init__(
        self,
        database: Database,
        redact: Callable[[str], str] = identity,
        *,
        sessions: set[str] | None = None,
    ) -> None:
        """`sessions` are the ids of those that have their row, or get it with the next write."""
        self._database = database
        self.redact = redact
        self._known: set[str] = set() if sessions is None else sessions
        self._touched: dict[str, float] = {}
        self._event: tuple[AssistantMessage, Envelope, str] | None = None
        self._results: tuple[str, SqlValues, str] | None = None

    def tell_event(self, message: AssistantMessage, envelope: Envelope, finished: str) -> None:
        """Have the row of an answer that is added next hold its event and the calls that finished before."""
        self._event = message, envelope, finished

    def add(self, session: Session, message: Message, *, cost: float | None = None) -> None:
        """Keep a message as the last of its session: with the next row that is written, or a moment later.

        So it is safe before a call begins, for its row in the journal is written first. The results of calls
        come without secrets, and are in the journal already. They go into the row of the answer that follows,
        where their own is not written by then.
        """
        if isinstance(message, ResultsMessage) and session.run and session.id in self._known:
            content = to_json(message)
            values = (session.id, time(), content, session.run)
            self._results = session.id, values, content
            self._database.add_later(_ADD_RESULTS, values)
            return
        for statement in self._statements(session, message, cost, isinstance(message, ResultsMessage)):
            self._database.add_later(*statement)

    async def append(self, session: Session, message: Message, *, cost: float | None = None) -> int:
        """Keep a message as the last of its session; returns its number. It is kept when this returns."""
        name = as_stored(session.id)
        was_known = name in self._known
        self._results = None  # they keep their row: this one may be given up while it waits
        statements = self._statements(session, message, cost, is_clean=False)
        await self._database.flush()
        try:
            written = await self._database.write_together(statements)
        except StoreError:
            self._known.discard(name)  # nobody knows now whether it is there
            sql = "SELECT 1 FROM sessions WHERE id = ?"
            if not was_known or await self._database.select(sql, (name,)):
                raise
            raise StoreError(
                f"The session {name} was removed from the store {self._database.name}; begin a new one."
            ) from None
        at = 0 if was_known else 1  # after the row of the session
        return (await self._database.select("SELECT number FROM messages WHERE id = ?", (written[at].key,)))[
            0
        ][0]

    async def flush(self) -> None:
        """Have every message that was added be safe."""
        await self._database.flush()

    def _statements(
        self, session: Session, message: Message, cost: float | None, is_clean: bool
    ) -> list[Statement]:
        name = session.id
        if name not in self._known:
            name = as_stored(name)
            if not name:
                raise StoreError("A message belongs to a session, and this session has no id.")
        said, now = message, time()
        content = to_json(message)
        if not is_clean and self.redact is not identity and self._may_tell(content, message):
            clean = redact_message(message, self.redact)
            if clean is not message:
                message, content = clean, to_json(clean)
        statements: list[Statement] = []
        is_known = name in self._known
        if not is_known:
            self._known.add(name)
            self._touched[name] = now
            statements.append((_BEGIN, describe_session(session, _title(message), now)))
        row: Row = {"session": name, "created": now, "content": content}
        if session.run:
            row["run"] = session.run
        if isinstance(message, AssistantMessage):
            _describe_answer(row, message, cost)
            told, self._event = self._event, None
            if told is not None and told[0] is said:
                _describe_event(row, told[1], told[2])
            if self._results is not None:
                self._take_results(row, name)
        else:
            row["role"] = "user" if isinstance(message, UserMessage) else "results"
        statements.append((_insert(tuple(row)), tuple(row.values())))
        # To touch the session with every message would cost a third more: its time may lag a little.
        if is_known and (
            isinstance(message, UserMessage) or now - self._touched.get(name, 0.0) >= _LAG_SECONDS
        ):
            self._touched[name] = now
            statements.append((_TOUCH, (now, _title(message), name)))
        return statements

    def _take_results(self, row: Row, session: str) -> None:
        """Have the row of an answer hold the results before it, where their own row is not written yet."""
        held, self._results = self._results, None
        if held is not None and held[0] == session and self._database.take_back(held[1]):
            row["results"] = held[2]

    def _may_tell(self, content: str, message: Message) -> bool:
        """Whether a message may hold a secret. Its JSON tells, unless something in it is encoded."""
        if '"bytes":' in content or (isinstance(message, UserMessage) and message.images):
            return True
        if "\\" in content:
            content = content.replace('\\"', '"')  # as in the arguments of a call, which come as JSON text
            if "\\" in content:
                return True
        return self.redact(content) != content

    async def last(self, session_id: str) -> int:
        """The number of the last message of a session; 0 where there is none."""
        rows = await self._database.select(
            "SELECT coalesce(max(number), 0) FROM messages WHERE session = ?", (as_stored(session_id),)
        )
        return rows[0][0]

    async def load(self, session_id: str, *, after: int = 0, limit: int = -1) -> list[StoredMessage]:
        """The messages of a session in their order, those with a higher number than `after`.

        Of no more than `limit` rows, where that is not negative.

        Answers with nothing in them are kept for what they took, and are not among them.
        One that cannot be read is named in the log; another stands in its place, or none for results: their
        calls are given others when the conversation is mended.
        """
        rows = await self._database.select(
            "SELECT number, created, cost, role, content, results FROM messages"
            " WHERE session = ? AND number > ? ORDER BY number LIMIT ?",
            (as_stored(session_id), after, limit),
        )
        loaded: list[StoredMessage] = []
        for number, created, cost, role, content, results in rows:
            if results is not None and number - 1 > after:
                before = self._read(session_id, number - 1, "results", results)
                if before is not None:
                    loaded.append(StoredMessage(number - 1, created, before, None))
            message = self._read(session_id, number, role, content)
            if message is not None and not _says_nothing(message):
                loaded.append(StoredMessage(number, created, message, cost))
        return loaded

    def _read(self, session_id: str, number: int, role: Any, content: Any) -> Message | None:
        try:
            return from_json(content)
        except ValueError as error:
            log.warning("Message %d of session %s cannot be read: %s.", number, session_id, error)
        if role == "results":
            return None
        return AssistantMessage((TextPart(_LOST),)) if role == "assistant" else UserMessage(_LOST)

    async def images_of(self, session_id: str, call_id: str) -> tuple[Image, ...]:
        """The pictures in the latest result of a call; none where it has none, or is not kept yet."""
        await self._database.flush()
        rows = await self._database.select(
            "SELECT number FROM messages WHERE session = ? AND role = 'assistant' AND instr(content, ?) > 0"
            " ORDER BY number DESC LIMIT 5",
            (as_stored(session_id), json.dumps(call_id, ensure_ascii=False)),
        )
        for (number,) in rows:
            following = await self.load(session_id, after=number, limit=2)
            message = following[0].message if following else None
            for result in message.results if isinstance(message, ResultsMessage) else ():
                if result.call_id == call_id:
                    return result.images
        return ()

    async def first_of_run(self, session_id: str, run: str) -> int | None:
        """The number of the first message of a run; None where the session has none of it."""
        rows = await self._database.select(
            "SELECT min(number) FROM messages WHERE session = ? AND run = ?",
            (as_stored(session_id), as_stored(run)),
        )
        return rows[0][0]

    async def number_of_user(self, session_id: str, count: int) -> int | None:
        """The number of the user's last message but `count - 1`; None where there are fewer."""
        await self._database.flush()
        rows = await self._database.select(
            "SELECT number FROM messages WHERE session = ? AND role = 'user'"
            " AND instr(content, '\"origin\":') = 0 ORDER BY number DESC LIMIT 1 OFFSET ?",
            (as_stored(session_id), count - 1),
        )
        return rows[0][0] if rows else None

    async def summarise(self, session_id: str, text: str, through: int) -> None:
        """Keep the text that stands for the messages up to the number `through`; they stay as well."""
        row = (as_stored(session_id), through, time(), bounded(self.redact(text)))
        await self._database.write(_SUMMARISE, row)

    async def summary(self, session_id: str) -> tuple[str, int] | None:
        """The last summary of a session, and the number of the last message it stands for."""
        rows = await self._database.select(
            "SELECT text, through FROM summaries WHERE session = ?", (as_stored(session_id),)
        )
        return (rows[0][0], rows[0][1]) if rows else None

    async def usage(self, session_id: str) -> tuple[Usage, float | None, int]:
        """The tokens of a session, what they cost in US dollars where prices are known, and its answers."""
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _TOKENS)
        rows = await self._database.select(
            f"SELECT {sums}, sum(cost), count(*) FROM messages WHERE session = ? AND role = 'assistant'",  # noqa: S608
            (as_stored(session_id),),
        )
        *tokens, cost, answers = rows[0]
        return Usage(*tokens), cost, answers

    async def rounds(self, session_id: str | None = None, limit: int = 50) -> list[Round]:
        """The last answers, newest first, of one session or of all."""
        where, values = ("", ()) if session_id is None else (" AND session = ?", (as_stored(session_id),))
        order = "id" if session_id is None else "number"
        rows = await self._database.select(
            f"SELECT session, number, created, coalesce(model, ''), {', '.join(_TOKENS)}, cost FROM messages"  # noqa: S608
            f" WHERE role = 'assistant'{where} ORDER BY {order} DESC LIMIT ?",
            (*values, limit),
        )
        return [_round(*row) for row in rows]


def _round(session: str, number: int, created: float, model: str, *counts: Any) -> Round:
    *tokens, cost = counts
    return Round(session, number, created, model, Usage(*(each or 0 for each in tokens)), cost)


def _title(message: Message) -> str:
    """The title a message gives a session that has none: the beginning of what a user says first."""
    if not isinstance(message, UserMessage) or message.origin != "user":
        return ""
    title = " ".join(message.text[: 10 * _TITLE_CHARS].split())
    return bounded(title if len(title) <= _TITLE_CHARS else f"{title[: _TITLE_CHARS - 1]}…")


def _says_nothing(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not message.parts


def _describe_answer(row: Row, message: AssistantMessage, cost: float | None) -> None:
    """Put what an answer took into its row."""
    row["role"] = "assistant"
    if message.model:
        row["model"] = bounded(message.model, NAME_CHARS)
    if cost is not None:
        row["cost"] = cost
    usage = message.usage
    if usage.input or usage.output or usage.cached or usage.cache_written or usage.reasoning:
        row.update(zip(_TOKENS, _tokens(usage), strict=True))


def _describe_event(row: Row, envelope: Envelope, finished: str) -> None:
    row["created"], row["event"], row["event_first"] = envelope.time, envelope.number, envelope.first
    if finished:
        row["finished"] = finished


@lru_cache
def _insert(names: tuple[str, ...]) -> str:
    """The statement for a row of these columns; the first is its session."""
    places = ", ".join(f"?{place}" for place in range(1, len(names) + 1))
    step = 2 if "results" in names else 1  # the results have the number before that of their answer
    return f"INSERT INTO messages (number, {', '.join(names)}) VALUES ({_LAST} + {step}, {places})"  # noqa: S608


def _tokens(usage: Usage) -> tuple[int, ...]:
    tokens = (usage.input, usage.output, usage.cached, usage.cache_written, usage.reasoning)
    return tokens if max(tokens) <= _MOST_TOKENS else tuple(min(each, _MOST_TOKENS) for each in tokens)
