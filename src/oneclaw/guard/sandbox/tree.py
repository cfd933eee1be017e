"""The processes below a process, as the kernel lists them."""

import os


def children(pid: int) -> list[int]:
    """The children of a process, whichever of its threads started them."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
        except OSError:
            continue
    return found


def descendants(pid: int, enough: int = 1 << 30) -> list[int]:
    """All processes below one, parents before their children; it may stop when there are more than enough."""
    found = children(pid)
    for parent in found:  # grows meanwhile
        if len(found) > enough:
            break
        found += children(parent)
    return found
