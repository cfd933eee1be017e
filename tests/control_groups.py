"""Which control groups this machine lets us make, found without the code under test."""

import os
from contextlib import suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def lack_of(controller: str) -> str:
    """Why no control group of version 1 can be made for a controller here; empty when one can."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == controller:
                probe = _ROOT / controller / path.strip("/") / f"probe-{os.getpid()}"
                probe.mkdir()
                probe.rmdir()
                return ""
    return f"a control group of version 1 for {controller} cannot be made here"
