"""Calls and runs whose program ended before they did: they are interrupted, and say what that means."""

import sqlite3
from pathlib import Path

from oneclaw.store.presence import is_alive

READ = "The program ended during this call. It only reads: it changed nothing and may be run again."
OTHER = "The program ended during this call. What it changed is unknown: look before running it again."

INTERRUPT = (
    f"""
UPDATE calls SET
    status = 'error', kind = 'interrupted',
    effects = CASE effect WHEN 'read' THEN 'none' ELSE 'unknown' END,
    message = CASE effect WHEN 'read' THEN '{READ}' ELSE '{OTHER}' END
WHERE status = 'open' AND process = ?
""",  # noqa: S608  both texts stand above
    "UPDATE runs SET state = 'interrupted' WHERE state = 'running' AND process = ?",
)
"""What ends the calls and runs of a program that is no longer there."""


def find_dead(connection: sqlite3.Connection, live: Path) -> list[str]:
    """The programs that have died and left calls or runs open."""
    found = connection.execute(
        "SELECT process FROM calls WHERE status = 'open'"
        " UNION SELECT process FROM runs WHERE state = 'running'"
    ).fetchall()
    return [process for (process,) in found if not is_alive(live, process)]


def recover(connection: sqlite3.Connection, live: Path) -> None:
    """Close the calls and runs of programs that have died; those of the living are theirs.

    Call inside the gate.
    """
    for process in find_dead(connection, live):
        for statement in INTERRUPT:
            connection.execute(statement, (process,))
