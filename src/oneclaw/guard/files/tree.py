"""Walks a folder in order, without following links."""

import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

from oneclaw.guard.files.descent import Descent

ENTRIES = 100_000
"""How many entries one walk looks at."""

EntryKind = Literal["file", "folder", "link", "other"]


class TreeEntry(NamedTuple):
    """One name in a folder. `path` leads there from where the walk began."""

    name: str
    path: str
    kind: EntryKind
    inode: int


Asked = Callable[[TreeEntry], bool]


class TreeWalk:
    """Goes through everything below the folder a descent stands in, sorted by name, folder by folder.

    While an entry is handed out the descent stands in its folder. Folders that are gone, cannot be read or
    are closed to tools are handed out but not entered. `is_complete` turns false when `entries` ran out.
    """

    __slots__ = ("_descent", "_enter", "_left", "is_complete")

    def __init__(self, descent: Descent, enter: Asked = lambda entry: True, entries: int = ENTRIES) -> None:
        self._descent = descent
        self._enter = enter
        self._left = entries
        self.is_complete = True

    def __iter__(self) -> Iterator[TreeEntry]:
        pending = [self.read(self._descent.fd)[::-1]]
        while pending:
            if pending[-1]:
                entry = pending[-1].pop()
                yield entry
                if entry.kind == "folder" and self._enter(entry):
                    entries = self._go_in(entry)
                    if entries is not None:
                        pending.append(entries[::-1])
            else:
                pending.pop()
                if pending:
                    self._descent.leave()

    def read(self, folder: int, below: str = "") -> list[TreeEntry]:
        """The entries of one folder, sorted by name, as far as `entries` suffices."""
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            with os.scandir(fd) as found:
                some = islice(found, self._left)
                entries = [TreeEntry(one.name, below + one.name, _kind(one), one.inode()) for one in some]
                self._left -= len(entries)
                if self._left == 0 and next(found, None) is not None:
                    self.is_complete = False
        finally:
            os.close(fd)
        entries.sort(key=lambda entry: entry.name)
        return entries

    def _go_in(self, entry: TreeEntry) -> list[TreeEntry] | None:
        try:
            below = self._descent.look(entry.name)
        except OSError:
            return None
        if below.step.access != "none":
            try:
                entries = self.read(below.fd, entry.path + "/")
            except OSError:
                pass
            else:
                self._descent.go(below)
                return entries
        os.close(below.fd)
        return None


def kind_of_mode(mode: int) -> EntryKind:
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "other"


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
