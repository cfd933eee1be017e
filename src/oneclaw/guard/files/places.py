"""The roots of a workspace as the file system knows them: by device and inode, not by their spelling."""

import os
import stat
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from oneclaw.core.session import Access, Workspace

Identity = tuple[int, int]
"""Device and inode: one folder has one identity through every link, spelling, letter case and bind mount."""

GIT = ".git"
_RANK: dict[Access, int] = {"none": 0, "read": 1, "write": 2}


def identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


class Spelling(NamedTuple):
    """How the owner wrote a root, made absolute, and the same with every link resolved.

    `names` are the folder and the folded last name of each.
    """

    given: str
    real: str
    names: tuple[tuple[str, str], ...]


class Places:
    """The workspace folder and its roots, looked up afresh for each call."""

    __slots__ = ("_access", "_files", "_names", "_real")

    def __init__(self, workspace: Workspace) -> None:
        self._real: dict[str, str] = {}
        self._files: set[str] = set()
        self._access: dict[Identity, Access] = {}
        self._names: dict[str, list[tuple[str, Access]]] = {}
        for root in workspace.roots:
            spelling = spell_root(os.fspath(root.folder))
            found = self._look_up(spelling)
            if found is not None:
                self._access[found] = narrower(self._access.get(found, root.access), root.access)
            for parent, name in spelling.names:
                self._names.setdefault(name, []).append((parent, root.access))
        found = self._look_up(spell_root(os.fspath(workspace.folder)))
        if found is not None:
            # A root that names the workspace folder itself says what may be done there.
            self._access.setdefault(found, "write")

    def _look_up(self, spelling: Spelling) -> Identity | None:
        self._real[spelling.given] = self._real[spelling.real] = spelling.real
        try:
            status = os.stat(spelling.real)
        except (OSError, ValueError):
            return None
        if not stat.S_ISDIR(status.st_mode):
            self._files.add(spelling.real)
        return identity(status)

    def at(self, path: str) -> str | None:
        """The resolved path of the root that is spelled so, if there is one."""
        return self._real.get(path)

    def is_file(self, real: str) -> bool:
        """Whether the root is a single file."""
        return real in self._files

    def access(self, found: Identity) -> Access:
        """What may be done with a root that was opened by its own path."""
        return self._access.get(found, "none")

    def access_below(self, folder: Identity, name: str, found: Identity | None, inherited: Access) -> Access:
        """What may be done with the entry `name` of a folder: the word of its own root, or its folder's.

        A root is known by what was found there, and by its name: it keeps the name while nothing stands there
        yet, or a settings file that is not yet written could be written by a tool. In a folder of git stands
        what git runs for the owner: wherever it is, it can only be read, unless a root opens it.
        """
        answer = self._access.get(found) if found is not None else None
        for parent, access in self._names.get(fold(name), ()):
            try:
                is_it = identity(os.stat(parent)) == folder
            except OSError:
                continue
            if is_it:
                answer = access if answer is None else narrower(answer, access)
        if answer is None and fold(name) == GIT:
            return narrower(inherited, "read")
        return inherited if answer is None else answer

    def readable(self) -> list[str]:
        """The resolved paths of the folders that tools may read."""
        folders = {real for real in self._real.values() if real not in self._files}
        return sorted(real for real in folders if self._access_at(real) != "none")

    def _access_at(self, real: str) -> Access:
        try:
            return self.access(identity(os.stat(real)))
        except OSError:
            return "none"


def narrower(one: Access, other: Access) -> Access:
    return one if _RANK[one] <= _RANK[other] else other


def fold(name: str) -> str:
    """Names that some file system takes for one and the same become the same text."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spell_root(folder: str) -> Spelling:
    return _resolve(folder if os.path.isabs(folder) else os.path.join(os.getcwd(), folder))


@lru_cache(maxsize=256)
def _resolve(folder: str) -> Spelling:
    # Resolved once: where a root lies does not change while the program runs.
    given, real = os.path.normpath(folder), os.path.realpath(folder)
    names = {(os.path.dirname(path), fold(os.path.basename(path))) for path in (given, real)}
    return Spelling(given, real, tuple(names))
