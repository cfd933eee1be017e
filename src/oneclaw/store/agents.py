"""Stored agents."""

import json
from time import time
from typing import Any

from oneclaw.store.column import as_stored
from oneclaw.store.database import Database

_SAVE = """
INSERT INTO agents (name, created, updated, document) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET updated = excluded.updated, document = excluded.document
"""


class Agents:
    """The agents of a store, as plain documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, name: str, document: dict[str, Any]) -> None:
        """Keep an agent, in place of one of its name; raises TypeError or ValueError for what is not JSON."""
        text = json.dumps(document, separators=(",", ":"), allow_nan=False)
        now = time()
        await self._database.write(_SAVE, (as_stored(name), now, now, text))

    async def get(self, name: str) -> dict[str, Any] | None:
        rows = await self._database.select("SELECT document FROM agents WHERE name = ?", (as_stored(name),))
        return json.loads(rows[0][0]) if rows else None

    async def all(self) -> dict[str, dict[str, Any]]:
        """Every agent by name, in alphabetical order."""
        rows = await self._database.select("SELECT name, document FROM agents ORDER BY name")
        return {name: json.loads(document) for name, document in rows}

    async def remove(self, name: str) -> bool:
        """Forget an agent; False when there was none."""
        written = await self._database.write("DELETE FROM agents WHERE name = ?", (as_stored(name),))
        return written.rows == 1
