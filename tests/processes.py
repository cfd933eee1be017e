"""The processes a test has started, and what they take."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> Iterator[int]:
    """Every process below one, at any depth."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return  # the process has ended
    for thread in threads:
        try:
            found = Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
        except OSError:
            continue  # the thread has ended
        for child in map(int, found):
            yield child
            yield from children(child)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that only waits for its parent to notice has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_until_gone(pids: Iterable[int], seconds: float = 10.0) -> bool:
    """Whether all of them end within some time."""
    pids, until = list(pids), time.monotonic() + seconds
    while not all(map(is_gone, pids)) and time.monotonic() < until:
        time.sleep(0.005)
    return all(map(is_gone, pids))


def written(path: Path) -> list[int]:
    """The numbers that a process has written to a file, once they are there with the end of the line."""
    until = time.monotonic() + 20
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < until, f"{path} was never written"
        time.sleep(0.005)
    return [int(number) for number in path.read_text().split()]


def marked(mark: str) -> list[int]:
    """The processes of this machine that have the mark among their variables."""
    found: list[int] = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                found.append(int(name))
    return found
