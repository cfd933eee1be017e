"""Stored messages for runs of other programs, until the model reads them or they are withdrawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from secrets import token_hex
from time import time

from oneclaw.core.message import UserMessage
from oneclaw.core.message_json import from_json, to_json
from oneclaw.store.column import as_stored
from oneclaw.store.database import Database
from oneclaw.store.redaction import redact_message

_ADD = """
INSERT INTO queued_messages (id, run, created, content)
SELECT ?, id, ?, ? FROM runs WHERE id = ? AND state = 'running'
"""


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message that waits for a run."""

    id: str
    run: str
    message: UserMessage


class QueuedMessages:
    """The queued messages of a store. Whoever removes one has it: the run that reads it, or a person."""

    def __init__(self, database: Database, redact: Callable[[str], str]) -> None:
        """`redact` takes known secrets out of what was said before it is kept."""
        self._database = database
        self._redact = redact

    async def add(self, run: str, message: UserMessage) -> str:
        """Queue a message for a run; returns its id, or nothing when the run is over."""
        message_id = token_hex(8)
        kept = redact_message(message, self._redact)
        row = (message_id, time(), to_json(kept), as_stored(run))
        return message_id if (await self._database.write(_ADD, row)).rows else ""

    async def of_runs(self, runs: Sequence[str]) -> list[WaitingMessage]:
        """Those that wait for one of these runs, in their order."""
        marks = ", ".join("?" * len(runs))
        rows = await self._database.select(
            f"SELECT id, run, content FROM queued_messages WHERE run IN ({marks}) ORDER BY created",  # noqa: S608
            tuple(runs),
        )
        read = ((message_id, run, from_json(content)) for message_id, run, content in rows)
        return [
            WaitingMessage(message_id, run, message)
            for message_id, run, message in read
            if isinstance(message, UserMessage)
        ]

    async def remove(self, message_id: str) -> bool:
        """Take a message out of the queue; False when somebody did before."""
        sql = "DELETE FROM queued_messages WHERE id = ?"
        return (await self._database.write(sql, (as_stored(message_id),))).rows == 1
