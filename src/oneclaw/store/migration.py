"""Creates the store's schema and migrates it step by step."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from oneclaw.core.errors import StoreError
from oneclaw.core.memory import composed
from oneclaw.store.word import searchable

APPLICATION = 0x4F434C57  # "OCLW" in the file's header: whose database this is
PAGE_BYTES = 2048  # half the usual: a small row costs a fifth less to write, a 20 KB result the same
OLDEST = (3, 34, 0)  # of SQLite: the first that indexes parts of words
FOLDER = Path(__file__).parent / "migrations"


def steps(folder: Path = FOLDER) -> dict[int, Path]:
    """The numbered files, as `0002_what_it_does.sql`; a step once released is never changed."""
    return {int(path.name[:4]): path for path in sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))}


def prepare(connection: sqlite3.Connection) -> None:
    """Make an empty database ours."""
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    use_wal(connection)
    migrate(connection)


def use_wal(connection: sqlite3.Connection) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise sqlite3.OperationalError(f"write-ahead logging does not work here, the mode stays {mode}")


def check(connection: sqlite3.Connection, path: Path, folder: Path = FOLDER) -> int:
    """The version of the database; raises when it is not ours or is newer than this program."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(
            f"The file {path} is a database of another program; name another file for the store."
        )
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    newest = max(steps(folder))
    if version > newest:
        raise StoreError(
            f"The store {path} was written by a newer OneClaw (its tables have version {version}, this one"
            f" knows {newest}); update OneClaw, or name another file for the store."
        )
    return version


def migrate(connection: sqlite3.Connection, folder: Path = FOLDER) -> None:
    """Take each step that is missing, each in one transaction: whole or not at all."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise StoreError(
            f"This Python has SQLite {sqlite3.sqlite_version}, and the store needs"
            f" {'.'.join(map(str, OLDEST))} or newer; use a Python that has it."
        )
    for function in (searchable, composed):
        connection.create_function(function.__name__, 1, function, deterministic=True)
    for number, path in steps(folder).items():
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Asked inside the transaction: another process may just have taken the step.
            if connection.execute("PRAGMA user_version").fetchone()[0] < number:
                for statement in statements(path.read_text(encoding="utf-8")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: `executescript` would end the transaction around them."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        raise ValueError(f"A migration ends in the middle of a statement: {statement.strip()[:80]!r}")
