"""Measures processes and memory of a sandbox."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from oneclaw.child.process_tree import descendants

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_MOST_FILES = 4096
"""How many open files are looked at, at a time."""


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """Processes there are, and the memory that is theirs alone."""

    processes: int
    memory_bytes: int


def processes_inside(pid: int) -> list[str] | None:
    """The folders of the processes that the process table of `pid` holds; None if it is hidden.

    While its sandbox is being made it sees the table of the machine, which counts for nothing.
    """
    table = f"/proc/{pid}/root/proc"
    try:
        if os.stat(table).st_dev == os.stat("/proc").st_dev:
            return None
        return [f"{table}/{name}" for name in os.listdir(table) if name.isdigit()]
    except OSError:
        return None


def processes_below(pid: int, enough: int) -> list[str]:
    """The same of all descendants of `pid`, which adopts those that lose their parents."""
    return [f"/proc/{number}" for number in descendants(pid, enough)]


def usage_of(processes: list[str], enough: int) -> ResourceUsage:
    """Counts processes and, where there are at most `enough`, their memory."""
    if len(processes) > enough:
        return ResourceUsage(len(processes), 0)
    return ResourceUsage(len(processes), sum(map(_memory_bytes, processes)))


def machine_bytes() -> tuple[int, int]:
    """How much memory of this machine is shared by processes, and how much its page tables take."""
    with suppress(OSError), open("/proc/meminfo", "rb") as file:
        text = file.read()
        return _kilobytes(text, b"\nShmem:"), _kilobytes(text, b"\nPageTables:")
    return 0, 0


def table_bytes(processes: Iterable[str]) -> int:
    """The page tables of these processes: they can take more than the memory that they lead to."""
    total = 0
    for process in processes:
        with suppress(OSError), open(f"{process}/status", "rb") as file:
            total += _kilobytes(file.read(), b"\nVmPTE:")
    return total


def shared_bytes(processes: Iterable[str], enough: int) -> int:
    """How much of it these hold, mapped or in files without a name, counted up to `enough`."""
    total, files, seen = 0, _MOST_FILES, set[int]()
    for process in processes:
        with suppress(OSError), open(f"{process}/smaps_rollup", "rb") as file:
            total += _kilobytes(file.read(), b"\nPss_Shmem:")
        for status in _nameless(process, files):
            files -= 1
            total += 0 if status.st_ino in seen else status.st_blocks * 512
            seen.add(status.st_ino)
        if total > enough:
            break
    return total


def _nameless(process: str, most: int) -> Iterator[os.stat_result]:
    """The files in memory that a process has open."""
    try:
        opened = os.listdir(f"{process}/fd")[:most]
    except OSError:
        return
    for fd in opened:
        with suppress(OSError):
            if os.readlink(f"{process}/fd/{fd}").startswith("/memfd:"):
                yield os.stat(f"{process}/fd/{fd}")


def _kilobytes(text: bytes, name: bytes) -> int:
    """The bytes that stand after a name, as the kernel writes them: `Name: 12 kB`."""
    number = text.partition(name)[2].split(maxsplit=1)[:1]
    return int(number[0]) << 10 if number else 0


def _memory_bytes(process: str) -> int:
    try:
        with open(f"{process}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * _PAGE_BYTES
