"""Identifies workspace roots by device and inode."""

import os
import stat
import unicodedata
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from oneclaw.core.session import RootAccess, Workspace

Identity = tuple[int, int]
"""Device and inode: one folder has one identity through every link, spelling, letter case and bind mount."""

GIT = ".git"
_RANK: dict[RootAccess, int] = {"none": 0, "read": 1, "write": 2}


def identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


class Spelling(NamedTuple):
    """How the owner wrote a root, made absolute, and the same with every link resolved.

    `names` are the folder and the folded last name of each. `identity` is that of a pinned folder.
    """

    given: str
    real: str
    names: tuple[tuple[str, str], ...]
    identity: Identity | None = None


class ProtectedPlaces:
    """The workspace folder and its roots, looked up afresh for each call."""

    __slots__ = ("_access", "_files", "_names", "_pins", "_real")

    def __init__(self, workspace: Workspace) -> None:
        self._real: dict[str, str] = {}
        self._pins: dict[str, Identity] = {}
        self._files: set[str] = set()
        self._access: dict[Identity, RootAccess] = {}
        self._names: dict[str, list[tuple[str, RootAccess]]] = {}
        closed = [
            f"{spell_root(os.fspath(root.folder)).real}/" for root in workspace.roots if root.access == "none"
        ]
        for root in workspace.roots:
            spelling = spell_root(os.fspath(root.folder))
            # Tools cannot exchange what lies in a closed root: of those there may be one for each session.
            if root.access != "none" and not spelling.real.startswith(tuple(closed)):
                spelling = pin(os.fspath(root.folder))
            found = self._look_up(spelling)
            if found is not None:
                self._access[found] = narrower(self._access.get(found, root.access), root.access)
            for parent, name in spelling.names:
                self._names.setdefault(name, []).append((parent, root.access))
        found = self._look_up(pin(os.fspath(workspace.folder)))
        if found is not None:
            # A root that names the workspace folder itself says what may be done there.
            self._access.setdefault(found, "write")

    def _look_up(self, spelling: Spelling) -> Identity | None:
        self._real[spelling.given] = self._real[spelling.real] = spelling.real
        if spelling.identity is not None:
            self._pins[spelling.real] = spelling.identity
        try:
            status = os.stat(spelling.real)
        except (OSError, ValueError):
            return None
        if self.is_exchanged(spelling.real, identity(status)):
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

    def is_exchanged(self, real: str, found: Identity) -> bool:
        """Whether what stands at the path of a root is not the folder that was pinned there."""
        return self._pins.get(real, found) != found

    def has_root_in(self, path: str) -> bool:
        """Whether a root is a path, or lies below it."""
        return any(real == path or real.startswith(f"{path}/") for real in self._real.values())

    def access(self, found: Identity) -> RootAccess:
        """Access to a root opened by its own path."""
        return self._access.get(found, "none")

    def access_below(
        self, folder: Identity, name: str, found: Identity | None, inherited: RootAccess
    ) -> RootAccess:
        """Access to the entry `name` of a folder: that of its own root, or its folder's.

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

    def _access_at(self, real: str) -> RootAccess:
        try:
            return self.access(identity(os.stat(real)))
        except OSError:
            return "none"


def narrower(one: RootAccess, other: RootAccess) -> RootAccess:
    return one if _RANK[one] <= _RANK[other] else other


def fold(name: str) -> str:
    """Names that some file system takes for one and the same become the same text."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spell_root(folder: str) -> Spelling:
    folder = folder if os.path.isabs(folder) else os.path.join(os.getcwd(), folder)
    return _pinned.get(folder) or _resolve(folder)


def pin(folder: str) -> Spelling:
    """Remember which folder stands at a path; from here on no other one there is taken for it.

    A command that may write beside a root could exchange the root for a link to any folder of this machine.
    A file is not pinned: programs save a file by exchanging it.
    """
    spelling = spell_root(folder)
    if spelling.identity is None:
        with suppress(OSError, ValueError):
            fd = os.open(spelling.real, _PINNED)
            try:
                spelling = spelling._replace(identity=identity(os.fstat(fd)))
            finally:
                os.close(fd)
            _pinned[os.path.join(os.getcwd(), folder)] = spelling
    return spelling


_PINNED = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_pinned: dict[str, Spelling] = {}
"""The folders that were pinned while this program runs, by their absolute spelling."""


@lru_cache(maxsize=256)
def _resolve(folder: str) -> Spelling:
    # Resolved once: where a root lies does not change while the program runs.
    given, real = os.path.normpath(folder), os.path.realpath(folder)
    names = {(os.path.dirname(path), fold(os.path.basename(path))) for path in (given, real)}
    return Spelling(given, real, tuple(names))
