"""The processes a test has started, and what they take."""

from collections.abc import Iterator
from pathlib import Path


def children(pid: int) -> Iterator[int]:
    """Every process below one, at any depth."""
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = file.read_text().split()
        except OSError:
            continue  # the thread has ended
        for child in map(int, found):
            yield child
            yield from children(child)
