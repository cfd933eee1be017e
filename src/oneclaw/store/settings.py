"""Stored switches of the owner."""

import json
from typing import Any

from oneclaw.store.database import Database


class StoredSettings:
    """The settings of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str, default: Any = None) -> Any:
        rows = await self._database.select("SELECT value FROM settings WHERE key = ?", (key,))
        return json.loads(rows[0][0]) if rows else default

    async def all(self, prefix: str = "") -> dict[str, Any]:
        """Every setting whose key begins with `prefix`, by key."""
        rows = await self._database.select(
            "SELECT key, value FROM settings WHERE substr(key, 1, ?) = ? ORDER BY key", (len(prefix), prefix)
        )
        return {key: json.loads(value) for key, value in rows}

    async def set(self, key: str, value: Any) -> None:
        """Keep a value; raises TypeError or ValueError for one that is not JSON."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
        await self._database.write(
            "INSERT INTO settings (key, value) VALUES (?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, text),
        )

    async def delete(self, key: str) -> bool:
        """Forget a setting; False when there was none."""
        return (await self._database.write("DELETE FROM settings WHERE key = ?", (key,))).rows == 1
