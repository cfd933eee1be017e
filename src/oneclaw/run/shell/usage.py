"""How many processes a box has and how much memory they hold, as the kernel tells."""

import os
from dataclasses import dataclass

from oneclaw.guard.sandbox.tree import descendants

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Usage:
    """Processes there are, and the memory that is theirs alone."""

    processes: int
    memory_bytes: int


def usage_inside(pid: int, enough: int) -> Usage | None:
    """What the process table of `pid` holds, counted up to `enough` processes; None if it is hidden.

    While its sandbox is being made it sees the table of the machine, which counts for nothing.
    """
    table = f"/proc/{pid}/root/proc"
    try:
        if os.stat(table).st_dev == os.stat("/proc").st_dev:
            return None
        numbers = [name for name in os.listdir(table) if name.isdigit()]
    except OSError:
        return None
    if len(numbers) > enough:
        return Usage(len(numbers), 0)
    return Usage(len(numbers), sum(_memory_bytes(f"{table}/{number}") for number in numbers))


def usage_below(pid: int, enough: int) -> Usage:
    """The same of all descendants of `pid`, which adopts those that lose their parents."""
    found = descendants(pid, enough)
    if len(found) > enough:
        return Usage(len(found), 0)
    return Usage(len(found), sum(_memory_bytes(f"/proc/{number}") for number in found))


def _memory_bytes(process: str) -> int:
    try:
        with open(f"{process}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * _PAGE_BYTES
