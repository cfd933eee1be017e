"""Marks calls and runs of dead programs as interrupted."""

import sqlite3
from pathlib import Path

from oneclaw.store.process_lease import is_alive

READ = "The program ended during this call. It only reads: it changed nothing and may be run again."
OTHER = "The program ended during this call. What it changed is unknown: look before running it again."

_END_CALLS = f"""
UPDATE calls SET
    status = 'error', kind = 'interrupted',
    effects = CASE effect WHEN 'read' THEN 'none' ELSE 'unknown' END,
    message = CASE effect WHEN 'read' THEN '{READ}' ELSE '{OTHER}' END
WHERE status = 'open' AND
"""  # noqa: S608  both texts stand above
INTERRUPT = (
    f"{_END_CALLS} run IS NULL AND process = ?",
    # A run ends after its calls: those that are open belong to a run that is going.
    f"""{_END_CALLS} id IN (
        SELECT calls.id FROM runs CROSS JOIN calls ON calls.session = runs.session AND calls.run = runs.id
        WHERE runs.state = 'running' AND runs.process = ?
    )""",  # noqa: S608
    "UPDATE runs SET state = 'interrupted' WHERE state = 'running' AND process = ?",
)
"""Interrupts the calls and runs of a dead program."""


def find_dead(connection: sqlite3.Connection, live: Path) -> list[str]:
    """The programs that have died and left calls or runs open."""
    found = connection.execute(
        "SELECT process FROM calls WHERE status = 'open' AND run IS NULL"
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
