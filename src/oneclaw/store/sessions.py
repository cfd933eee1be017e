"""Stored sessions."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import Usage
from oneclaw.core.session import Session
from oneclaw.store.column import NAME_CHARS, as_stored, bounded
from oneclaw.store.database import Database, SqlValues

LAST = "last"
"""The word for the session used last, where an id is asked for."""

ENSURE = """
INSERT INTO sessions (id, agent, workspace, title, created, updated, parent) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
"""
_COLUMNS = "id, agent, workspace, title, created, updated, parent"
_TALKED = "EXISTS (SELECT 1 FROM messages WHERE messages.session = sessions.id)"
_ANSWERED = "EXISTS (SELECT 1 FROM messages WHERE messages.session = sessions.id AND role = 'assistant')"
_FAILED = (
    "EXISTS (SELECT 1 FROM runs WHERE runs.session = sessions.id)"
    " AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.session = sessions.id AND state != 'failed')"
)
_LISTED = f"{_TALKED} AND ({_ANSWERED} OR NOT ({_FAILED}))"
_TOTALS = """
SELECT chosen.*, coalesce(max(messages.number), 0), coalesce(sum(input), 0), coalesce(sum(output), 0),
    coalesce(sum(cached), 0), coalesce(sum(cache_written), 0), coalesce(sum(reasoning), 0), sum(cost)
FROM chosen LEFT JOIN messages ON messages.session = chosen.id
GROUP BY chosen.id ORDER BY chosen.updated DESC, chosen.id DESC
"""
_REMOVE = """
DELETE FROM sessions WHERE id IN (
    WITH RECURSIVE gone (id) AS (
        SELECT ? UNION SELECT sessions.id FROM sessions JOIN gone ON sessions.parent = gone.id
    )
    SELECT id FROM gone
)
"""
_TITLE_CHARS = 200
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A conversation as the store holds it; times are seconds since 1970.

    `parent` is the session that asked this one, as when an agent asks another.
    """

    id: str
    agent: str
    workspace: Path
    title: str
    created: float
    updated: float
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SessionTotals:
    """A session with its number of messages, its tokens, and its cost in US dollars where known."""

    session: SessionRecord
    messages: int
    usage: Usage
    cost: float | None


class Sessions:
    """The sessions of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, agent: str, workspace: Path, title: str = "", *, parent: str | None = None
    ) -> SessionRecord:
        now = time()
        asked_by = as_stored(parent) or None
        record = SessionRecord(new_id(), agent, workspace, bounded(title, _TITLE_CHARS), now, now, asked_by)
        row = (
            record.id,
            bounded(agent, NAME_CHARS),
            bounded(str(workspace)),
            record.title,
            now,
            now,
            asked_by,
        )
        await self._database.write(ENSURE, row)
        return record

    async def get(self, session_id: str) -> SessionRecord | None:
        found = await self._select("id = ?", (as_stored(session_id),), 1)
        return found[0] if found else None

    async def find(self, start: str) -> SessionRecord | None:
        """The session whose id begins with `start`, or the one used last for the word `last`.

        The second half of an id, after the hyphen, may be begun as well: first halves are times, and much
        alike. Raises `InvalidConfig` when several begin so. `last` is the last that a person talked in.
        """
        if start == LAST:
            found = await self._select(f"parent IS NULL AND {_TALKED}", (), 1)
            return found[0] if found else None
        exact = await self.get(start)
        if exact is not None or not start:
            return exact
        begins = "substr(id, 1, ?) = ? OR substr(id, instr(id, '-') + 1, ?) = ?"
        begun = as_stored(start)
        found = await self._select(begins, (len(begun), begun, len(begun), begun), _MOST_NAMED + 1)
        if len(found) > 1:
            named = ", ".join(each.id for each in found[:_MOST_NAMED])
            more = " and others" if len(found) > _MOST_NAMED else ""
            raise InvalidConfig(
                f"More than one session begins with {start[:100]!r}: {named}{more}; give more letters."
            )
        return found[0] if found else None

    async def list(self, *, agent: str | None = None, limit: int = 50) -> list[SessionRecord]:
        """The sessions used last, newest first."""
        if agent is None:
            return await self._select("TRUE", (), limit)
        return await self._select("agent = ?", (agent,), limit)

    async def totals(
        self, *, agent: str | None = None, limit: int = 50, is_empty_shown: bool = False
    ) -> "list[SessionTotals]":
        """The sessions used last, newest first, with what was said in them and what it took.

        Sessions without a message, as those of single calls, and those whose runs all failed before any
        answer are left out unless `is_empty_shown`.
        """
        wanted = "TRUE" if is_empty_shown else _LISTED
        if agent is not None:
            wanted += " AND agent = ?"
        values = (limit,) if agent is None else (agent, limit)
        chosen = f"SELECT {_COLUMNS} FROM sessions WHERE {wanted} ORDER BY updated DESC, id DESC LIMIT ?"  # noqa: S608
        rows = await self._database.select(f"WITH chosen AS ({chosen}) {_TOTALS}", values)
        return [SessionTotals(_record(row[:7]), row[7], Usage(*row[8:13]), row[13]) for row in rows]

    async def touch(self, session_id: str, title: str | None = None) -> bool:
        """Say that the session was used now, and name it; False when there is none of this id."""
        written = await self._database.write(
            "UPDATE sessions SET updated = ?, title = coalesce(?, title) WHERE id = ?",
            (time(), None if title is None else bounded(title, _TITLE_CHARS), as_stored(session_id)),
        )
        return written.rows == 1

    async def remove(self, session_id: str) -> bool:
        """Forget a session with its messages, calls and grants, and the sessions it asked; False for none.

        What must stay together goes together: it is one statement (and a trigger of the table).
        """
        return (await self._database.write(_REMOVE, (as_stored(session_id),))).rows > 0

    async def _select(self, where: str, values: tuple[Any, ...], limit: int) -> "list[SessionRecord]":
        sql = f"SELECT {_COLUMNS} FROM sessions WHERE {where} ORDER BY updated DESC, id DESC LIMIT ?"  # noqa: S608
        return [_record(row) for row in await self._database.select(sql, (*values, limit))]


def new_id() -> str:
    """A session's id: by time when sorted, not to be guessed (64 random bits)."""
    return f"{int(time() * 1000):012x}-{secrets.token_hex(8)}"


def describe_session(session: Session, title: str = "", now: float | None = None) -> SqlValues:
    """The row of a session that a call or a message names and nobody created."""
    now = time() if now is None else now
    return (
        bounded(session.id, NAME_CHARS),
        bounded(session.agent, NAME_CHARS),
        bounded(str(session.workspace.folder)),
        title,
        now,
        now,
        (bounded(session.parent.id, NAME_CHARS) or None) if session.parent is not None else None,
    )


def _record(row: tuple[Any, ...]) -> SessionRecord:
    session_id, agent, workspace, title, created, updated, parent = row
    return SessionRecord(session_id, agent, Path(workspace), title, created, updated, parent)
