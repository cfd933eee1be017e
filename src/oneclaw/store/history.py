"""Full-text search in past conversations, best match first.

The index is brought up to date when somebody searches, from the last message it has seen.
"""

from collections.abc import Collection

from oneclaw.core.history import PastMessage
from oneclaw.core.message import Message, ResultsMessage, UserMessage
from oneclaw.core.message_json import from_json
from oneclaw.store.column import as_stored
from oneclaw.store.database import Database, Statement
from oneclaw.store.word import match_any, searchable, words_of

_PAGE = 500
_INDEXED_CHARS = 20_000
_UNSEEN = (
    "SELECT id, content FROM messages WHERE id > (SELECT through FROM history_index) ORDER BY id LIMIT ?"
)
_ADD = "INSERT OR REPLACE INTO history_text (rowid, text) VALUES (?, ?)"
_SEEN = "UPDATE history_index SET through = max(through, ?)"


class History:
    """The messages of a store, to be searched."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(
        self, query: str, agents: Collection[str], *, limit: int, without: Collection[str] = ()
    ) -> list[PastMessage]:
        """The messages of these agents' sessions that have most words of the query.

        without  sessions that are left out, as the one that asks
        """
        words = words_of(query)
        if not words or not agents:
            return []
        await self._index()
        among, out = ", ".join("?" * len(agents)), ", ".join("?" * len(without))
        # CROSS: the words first, then the rows that have them, never the other way round.
        sql = f"""SELECT messages.session, title, agent, messages.created, content
            FROM history_text CROSS JOIN messages ON messages.id = history_text.rowid
            JOIN sessions ON sessions.id = messages.session
            WHERE history_text MATCH ? AND agent IN ({among}) AND messages.session NOT IN ({out})
            ORDER BY bm25(history_text), messages.id DESC LIMIT ?"""  # noqa: S608  only our words
        values = (match_any(words), *map(as_stored, agents), *map(as_stored, without), limit)
        return [_past(*row) for row in await self._database.select(sql, values)]

    async def _index(self) -> None:
        """Take in the messages that came since the last search."""
        await self._database.flush()
        while rows := await self._database.select(_UNSEEN, (_PAGE,)):
            texts = [(key, _text(content)[:_INDEXED_CHARS]) for key, content in rows]
            added: list[Statement] = [(_ADD, (key, searchable(text) or text)) for key, text in texts if text]
            await self._database.write_all([*added, (_SEEN, (rows[-1][0],))])
            if len(rows) < _PAGE:
                return


def _past(session: str, title: str, agent: str, created: float, content: str) -> PastMessage:
    message = _read(content)
    role = "user" if isinstance(message, UserMessage) else "assistant"
    return PastMessage(session, title, agent, role, created, _text(content))


def _text(content: str) -> str:
    """The text of a person or a model; empty for results, summaries and unreadable messages."""
    message = _read(content)
    if message is None or isinstance(message, ResultsMessage):
        return ""
    return message.text if not isinstance(message, UserMessage) or message.origin == "user" else ""


def _read(content: str) -> Message | None:
    try:
        return from_json(content)
    except ValueError:
        return None
