"""Treats a file with a hard link outside the roots as outside.

Theory. A hard link cannot be told from the file: both are names of one inode, and the inode knows only how
many names it has. So a file with several names is allowed when that many names of it are found inside the
folders tools may read. The search reads names only, once in a call, and at most `tree.ENTRIES` in each root.

Names can be moved while they are counted, and a name moved from a folder already read to one not yet read
would count twice. But moving a name changes the change time of the inode; and moving the folder it is in does
not change that folder's identity, by which names are told apart. So the count holds for a file whose change
time lies before the search began.
"""

import os
import time
from contextlib import suppress

from oneclaw.core.session import Workspace
from oneclaw.guard.files.descent import Descent, Exchanged, OutsideRoots
from oneclaw.guard.files.places import Identity, identity
from oneclaw.guard.files.tree import ENTRIES, TreeWalk

# Change times come from a clock that the kernel moves on every few milliseconds.
_CLOCK_STEP_NS = 20_000_000

LinkNames = dict[Identity, set[tuple[Identity, str]]]
"""For each file its names: the folder, and the name in it."""


class Links:
    """The names found inside the readable folders, by the inode they name. Read when first needed."""

    __slots__ = ("_names", "_since_ns", "_workspace")

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._names: LinkNames | None = None
        self._since_ns = 0

    def are_inside(self, fd: int) -> bool:
        """Whether every name of the opened file lies in a folder tools may read."""
        status = os.fstat(fd)
        if status.st_nlink <= 1:
            return True
        if self._names is None:
            if time.time_ns() - status.st_ctime_ns < 2 * _CLOCK_STEP_NS:
                time.sleep(2 * _CLOCK_STEP_NS / 1e9)
            self._since_ns = time.time_ns() - _CLOCK_STEP_NS
            self._names = collect(self._workspace)
        found = self._names.get(identity(status), set())
        status = os.fstat(fd)
        return len(found) >= status.st_nlink and status.st_ctime_ns < self._since_ns


def collect(workspace: Workspace) -> LinkNames:
    """The names of every file in the readable folders; of no more than `ENTRIES` entries in each."""
    names: LinkNames = {}
    with Descent(workspace) as descent:
        for root in descent.places.readable():
            # A folder that vanishes ends the search of its root: too few are found, never too many.
            with suppress(OSError, OutsideRoots, Exchanged):
                descent.find(root, [], is_folder=True)
                for entry in TreeWalk(descent, entries=ENTRIES):
                    if entry.kind == "file":
                        folder = descent.here.identity
                        names.setdefault((folder[0], entry.inode), set()).add((folder, entry.name))
    return names
