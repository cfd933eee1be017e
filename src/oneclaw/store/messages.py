"""Conversations as they happen: one row per message, the summary of the older ones, and what answers took."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Any

from oneclaw.core.errors import StoreError
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, TextPart, Usage, UserMessage
from oneclaw.core.session import Session
from oneclaw.store.column import NAME_CHARS, as_stored, bounded
from oneclaw.store.db import Database
from oneclaw.store.message_json import from_json, to_json
from oneclaw.store.redaction import redact_message
from oneclaw.store.sessions import ENSURE, describe_session
from oneclaw.store.writer import Values

_APPEND = """
INSERT INTO messages (session, number, created, role, model, input, output, cached, cache_written, reasoning,
    cost, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_TOUCH = "UPDATE sessions SET updated = ?, title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?"
_SUMMARISE = """
INSERT INTO summaries (session, through, created, text) VALUES (?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET
    through = excluded.through, created = excluded.created, text = excluded.text
"""
_TOKENS = "input, output, cached, cache_written, reasoning"
_TITLE_CHARS = 80
_LAG_SECONDS = 5.0
_MOST_TOKENS = 10**12  # what a provider says is not checked, and SQLite cannot add up numbers of any size
_LOST = "(A message stood here that can no longer be read.)"
_NO_TOKENS = (None, None, None, None, None)

log = logging.getLogger("oneclaw")


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

    def __init__(self, database: Database, redact: Callable[[str], str] = identity) -> None:
        self._database = database
        self.redact = redact
        self._next: dict[str, int] = {}  # session → the number its next message gets
        self._touched: dict[str, float] = {}

    async def append(self, session: Session, message: Message, *, cost: float | None = None) -> int:
        """Keep a message as the last of its session; returns its number. It is kept when this returns."""
        name = as_stored(session.id)
        if not name:
            raise StoreError("A message belongs to a session, and this session has no id.")
        if self.redact is not identity:
            message = redact_message(message, self.redact)
        now = time()
        row = (now, *_columns(message), cost, to_json(message))
        if name not in self._next:
            await self._begin(session, name)
        number = await self._insert(name, row)
        # To touch the session with every message would cost a third more: its time may lag a little.
        if isinstance(message, UserMessage) or now - self._touched.get(name, 0.0) >= _LAG_SECONDS:
            self._touched[name] = now
            await self._database.write(_TOUCH, (now, _title(message), name))
        return number

    async def _begin(self, session: Session, name: str) -> None:
        await self._database.write(ENSURE, describe_session(session))
        self._next.setdefault(name, self._last(name) + 1)

    async def _insert(self, name: str, row: tuple[Any, ...]) -> int:
        while True:
            # Taken before anything is waited for: two appends at once get two numbers.
            number = self._next.get(name) or self._last(name) + 1
            self._next[name] = number + 1
            try:
                written = await self._database.write(_APPEND, (name, number, *row))
            except StoreError:
                self._next.pop(name, None)  # nobody knows now whether the number is taken
                if self._database.select("SELECT 1 FROM sessions WHERE id = ?", (name,)):
                    raise
                raise StoreError(
                    f"The session {name} was removed from the store {self._database.path}; begin a new one."
                ) from None
            if written.rows:
                return number
            # Another program writes to the same session: go on after its last message.
            self._next[name] = max(self._next.get(name, 1), self._last(name) + 1)

    def _last(self, name: str) -> int:
        return self._database.select(
            "SELECT coalesce(max(number), 0) FROM messages WHERE session = ?", (name,)
        )[0][0]

    def load(self, session_id: str, *, after: int = 0) -> list[StoredMessage]:
        """The messages of a session in their order, those with a higher number than `after`.

        Answers with nothing in them are kept for what they took, and are not among them.
        One that cannot be read is named in the log; another stands in its place, or none for results: their
        calls are given others when the conversation is mended.
        """
        rows = self._database.select(
            "SELECT number, created, cost, role, content FROM messages WHERE session = ? AND number > ?"
            " ORDER BY number",
            (as_stored(session_id), after),
        )
        loaded: list[StoredMessage] = []
        for number, created, cost, role, content in rows:
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

    async def summarise(self, session_id: str, text: str, through: int) -> None:
        """Keep the text that stands for the messages up to the number `through`; they stay as well."""
        row = (as_stored(session_id), through, time(), bounded(self.redact(text)))
        await self._database.write(_SUMMARISE, row)

    def summary(self, session_id: str) -> tuple[str, int] | None:
        """The last summary of a session, and the number of the last message it stands for."""
        rows = self._database.select(
            "SELECT text, through FROM summaries WHERE session = ?", (as_stored(session_id),)
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def usage(self, session_id: str) -> tuple[Usage, float | None, int]:
        """The tokens of a session, what they cost in US dollars where prices are known, and its answers."""
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _TOKENS.split(", "))
        (*tokens, cost, answers) = self._database.select(
            f"SELECT {sums}, sum(cost), count(*) FROM messages WHERE session = ? AND role = 'assistant'",  # noqa: S608
            (as_stored(session_id),),
        )[0]
        return Usage(*tokens), cost, answers

    def rounds(self, session_id: str | None = None, limit: int = 50) -> list[Round]:
        """The last answers, newest first, of one session or of all."""
        where, values = ("", ()) if session_id is None else (" AND session = ?", (as_stored(session_id),))
        order = "id" if session_id is None else "number"
        rows = self._database.select(
            f"SELECT session, number, created, coalesce(model, ''), {_TOKENS}, cost FROM messages"  # noqa: S608
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


def _columns(message: Message) -> Values:
    """Role, model and tokens of a message."""
    if isinstance(message, AssistantMessage):
        usage = message.usage
        return (
            "assistant",
            bounded(message.model, NAME_CHARS) or None,
            min(usage.input, _MOST_TOKENS),
            min(usage.output, _MOST_TOKENS),
            min(usage.cached, _MOST_TOKENS),
            min(usage.cache_written, _MOST_TOKENS),
            min(usage.reasoning, _MOST_TOKENS),
        )
    return ("results" if isinstance(message, ResultsMessage) else "user", None, *_NO_TOKENS)
