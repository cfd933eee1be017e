"""Database protocol: the verbs all tables use.

Reading waits as writing does: no statement may hold up the event loop. `SqliteDatabase` is the one there is.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

SqlValues = Sequence[str | int | float | None]
Named = Mapping[str, str | int | float | None]
Statement = tuple[str, SqlValues]


class WriteResult(NamedTuple):
    """The effect of a statement: the key of the last row it added, and the number of rows it changed."""

    key: int
    rows: int


class Database(Protocol):
    """An open database. Each verb raises `StoreError` with one sentence when it fails."""

    @property
    def name(self) -> str:
        """Where the data is, for messages: a path or an address."""
        ...

    @property
    def process(self) -> str:
        """The name of this program among those that use the database; its open calls and runs carry it."""
        ...

    async def select(self, sql: str, values: SqlValues | Named = ()) -> list[Any]:
        """The rows of a query."""
        ...

    async def write(self, sql: str, values: SqlValues = ()) -> WriteResult:
        """Write one statement. A caller that is cancelled meanwhile has written all the same."""
        ...

    async def insert(self, sql: str, values: SqlValues, undo: str) -> int:
        """Add a row and return its key. If the caller is cancelled meanwhile, `undo` removes the row."""
        ...

    async def write_together(self, statements: Sequence[Statement]) -> list[WriteResult]:
        """Write a few statements in one transaction. A caller that is cancelled has written all the same."""
        ...

    def add_later(self, sql: str, values: SqlValues) -> None:
        """Write a statement in one transaction with the next write, or by itself a moment later.

        For a row that nothing depends on before that write. One that cannot be written is named in the log.
        """
        ...

    def take_back(self, values: SqlValues) -> bool:
        """Remove what `add_later` was given last, if it has these very values and is not written yet."""
        ...

    async def flush(self) -> None:
        """Write now what `add_later` was given."""
        ...

    async def write_all(self, statements: Sequence[Statement]) -> list[WriteResult]:
        """Write many statements or, when one fails or the caller is cancelled, none."""
        ...

    async def find_faults(self, seconds: float) -> tuple[list[str], bool]:
        """Checks integrity: the damage found, and whether the check finished within `seconds`."""
        ...

    def close(self) -> None:
        """End every call and run of this program that is still open, and release the database."""
        ...
