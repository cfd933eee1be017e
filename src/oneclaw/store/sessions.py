"""Conversations: who talks, in which workspace, since when."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from time import time

from oneclaw.core.session import Session
from oneclaw.store.column import NAME_CHARS, as_stored, bounded
from oneclaw.store.db import Database
from oneclaw.store.writer import Values

ENSURE = """
INSERT INTO sessions (id, agent, workspace, title, created, updated) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
"""
_COLUMNS = "id, agent, workspace, title, created, updated"
_TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A conversation as the store holds it; times are seconds since 1970."""

    id: str
    agent: str
    workspace: Path
    title: str
    created: float
    updated: float


class Sessions:
    """The sessions of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, agent: str, workspace: Path, title: str = "") -> SessionRecord:
        now = time()
        record = SessionRecord(new_id(), agent, workspace, bounded(title, _TITLE_CHARS), now, now)
        row = (record.id, bounded(agent, NAME_CHARS), bounded(str(workspace)), record.title, now, now)
        await self._database.write(ENSURE, row)
        return record

    def get(self, session_id: str) -> SessionRecord | None:
        sql = f"SELECT {_COLUMNS} FROM sessions WHERE id = ?"  # noqa: S608  only our words
        rows = self._database.select(sql, (as_stored(session_id),))
        return _record(rows[0]) if rows else None

    def list(self, *, agent: str | None = None, limit: int = 50) -> list[SessionRecord]:
        """The sessions used last, newest first."""
        where = "TRUE" if agent is None else "agent = ?"
        sql = f"SELECT {_COLUMNS} FROM sessions WHERE {where} ORDER BY updated DESC, id DESC LIMIT ?"  # noqa: S608
        values = (limit,) if agent is None else (agent, limit)
        return [_record(row) for row in self._database.select(sql, values)]

    async def touch(self, session_id: str, title: str | None = None) -> bool:
        """Say that the session was used now, and name it; False when there is none of this id."""
        written = await self._database.write(
            "UPDATE sessions SET updated = ?, title = coalesce(?, title) WHERE id = ?",
            (time(), None if title is None else bounded(title, _TITLE_CHARS), as_stored(session_id)),
        )
        return written.rows == 1


def new_id() -> str:
    """A session's id: by time when sorted, not to be guessed (64 random bits)."""
    return f"{int(time() * 1000):012x}-{secrets.token_hex(8)}"


def describe_session(session: Session) -> Values:
    """The row of a session that a call names and nobody created."""
    now = time()
    return (
        bounded(session.id, NAME_CHARS),
        bounded(session.agent, NAME_CHARS),
        bounded(str(session.workspace.folder)),
        "",
        now,
        now,
    )


def _record(row: tuple[str, str, str, str, float, float]) -> SessionRecord:
    session_id, agent, workspace, title, created, updated = row
    return SessionRecord(session_id, agent, Path(workspace), title, created, updated)
