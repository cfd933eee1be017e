"""Stored requests: what was answered to each id that a client made, so that a repeat does nothing."""

import json
from collections.abc import Mapping
from time import time
from typing import Any

from oneclaw.store.column import as_stored
from oneclaw.store.database import Database

KEEP_SECONDS = 86_400.0
_CLAIM = "INSERT INTO requests (id, created) VALUES (?, ?) ON CONFLICT DO NOTHING"
_FORGET = "DELETE FROM requests WHERE created < ?"


class AnsweredRequests:
    """The requests of a store. Of two with one id, one is first, whatever program has it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, request_id: str) -> bool:
        """Be the first with an id; False when another was. Those of yesterday are forgotten."""
        now = time()
        await self._database.write(_FORGET, (now - KEEP_SECONDS,))
        return (await self._database.write(_CLAIM, (as_stored(request_id), now))).rows == 1

    async def finish(self, request_id: str, answer: Mapping[str, Any]) -> None:
        text = json.dumps(dict(answer))
        await self._database.write(
            "UPDATE requests SET answer = ? WHERE id = ?", (text, as_stored(request_id))
        )

    async def release(self, request_id: str) -> None:
        """Let the id be used again: nothing was done."""
        await self._database.write("DELETE FROM requests WHERE id = ?", (as_stored(request_id),))

    async def answer_of(self, request_id: str) -> dict[str, Any] | None:
        """The answer; None if there is none yet."""
        rows = await self._database.select(
            "SELECT answer FROM requests WHERE id = ?", (as_stored(request_id),)
        )
        return json.loads(rows[0][0]) if rows and rows[0][0] is not None else None
