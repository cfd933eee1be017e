"""The log of a store, read by its format: how many commits stand in it."""

import struct
from pathlib import Path


def commits(path: Path) -> int:
    """The commits in the log: the frames that say how large the database is after them."""
    log = path.with_name(path.name + "-wal").read_bytes()
    if not log:
        return 0
    page = struct.unpack(">I", log[8:12])[0]
    frames = range(32, len(log) - page, 24 + page)
    return sum(struct.unpack(">II", log[at : at + 8])[1] > 0 for at in frames)
