"""Stored grants."""

import json
from collections.abc import Sequence
from typing import Any

from oneclaw.core.errors import StoreError
from oneclaw.core.permit.grant import Grant
from oneclaw.store.column import as_stored
from oneclaw.store.database import Database

_COLUMNS = "id, tool, need, verdict, scope, holder, pattern, about, digest, created, expires"
_MARKS = ", ".join("?" * 11)


class Grants:
    """The grants of a store. `version` is as the last `refresh` found it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.version = -1

    async def refresh(self) -> None:
        self.version = -1  # where the store cannot be read, nothing that was known holds
        rows = await self._database.select("SELECT number FROM versions WHERE name = 'grants'")
        self.version = rows[0][0]

    async def of(self, tool: str) -> Sequence[Grant]:
        return await self._select("WHERE tool = ?", (tool,))

    async def all(self) -> Sequence[Grant]:
        return await self._select("", ())

    async def add(self, grant: Grant) -> None:
        row = (
            grant.id,
            grant.tool,
            grant.need,
            grant.verdict,
            grant.scope,
            grant.holder,
            json.dumps(dict(grant.pattern), separators=(",", ":")),
            grant.about,
            grant.digest,
            grant.created,
            grant.expires,
        )
        written = await self._write(
            f"INSERT INTO grants ({_COLUMNS}) VALUES ({_MARKS}) ON CONFLICT (id) DO NOTHING",  # noqa: S608
            row,
        )
        if not written:
            raise ValueError(f"There is already a grant {grant.id!r}.")

    async def revoke(self, grant_id: str) -> bool:
        return await self._write("DELETE FROM grants WHERE id = ?", (as_stored(grant_id),))

    async def _write(self, sql: str, values: tuple[Any, ...]) -> bool:
        written = await self._database.write(sql, values)
        await self.refresh()
        return written.rows == 1

    async def _select(self, where: str, values: tuple[str, ...]) -> list[Grant]:
        sql = f"SELECT {_COLUMNS} FROM grants {where} ORDER BY created, rowid"  # noqa: S608  only our words
        return [self._grant(row) for row in await self._database.select(sql, values)]

    def _grant(self, row: tuple[Any, ...]) -> Grant:
        names = (
            "id",
            "tool",
            "need",
            "verdict",
            "scope",
            "holder",
            "pattern",
            "about",
            "digest",
            "created",
            "expires",
        )
        fields = dict(zip(names, row, strict=True))
        try:
            return Grant(**{**fields, "pattern": json.loads(fields["pattern"])})
        except (TypeError, ValueError) as error:
            raise StoreError(
                f"The store {self._database.name} holds a grant {row[0]!r} that is not one ({error});"
                " revoke it with `oneclaw grants revoke`."
            ) from error
