"""An entry of the workspace that is to be moved or copied, and the place where it goes.

A folder is moved with all that is in it, so all of it is looked at first: nothing inside may be closed to
tools, and a file that the owner's own programs obey is asked about.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files.descent import Descent, Spot
from oneclaw.guard.files.effect import Effects
from oneclaw.guard.files.places import fold, identity, spell_root
from oneclaw.guard.files.protected import telling_names
from oneclaw.guard.files.refusal import explained, need_regular, need_write, need_write_bit
from oneclaw.guard.files.route import parse, spell
from oneclaw.guard.files.state import FileState, state_at
from oneclaw.guard.files.tree import ENTRIES, TreeWalk

HASHED_BYTES = 32 << 20
"""Larger files are compared by their size when a move is undone."""


class AlreadyThere(ToolError):
    """A file stands at the destination, and nobody said that it may be replaced."""

    def __init__(self, path: str) -> None:
        message = f"{spell(path)} is there already; choose another path, or pass overwrite=true."
        super().__init__(message, Kind.VALIDATION_ERROR, "none")
        self.path = spell(path)


@dataclass(frozen=True, slots=True)
class Moved:
    """An entry that is moved or copied.

    folder  a descriptor of the folder it is in, and `name` its name there
    path    as whoever asked named it
    real    absolute and without links, or its name in the trash
    inner   paths in a folder, relative to it, that a program may obey
    bytes   the size of a file, or of all files in a folder
    """

    folder: int
    name: str
    status: os.stat_result
    path: str
    real: str = ""
    inner: tuple[str, ...] = ()
    bytes: int = 0

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def state(self) -> FileState | None:
        return state_at(self.folder, self.name, HASHED_BYTES)


def real_path(workspace: Workspace, path: str) -> str:
    """The path without links, whether or not there is anything at it; a link at its end is not followed."""
    route = parse(workspace, path)
    with Descent(workspace) as descent, explained(descent, path, route, "read"):
        try:
            spot = descent.find(route.base, route.parts, is_folder=False, follow=False)
        except FileNotFoundError:
            # A folder on the way is gone: links after it cannot be known.
            base = spell_root(os.fspath(workspace.folder))
            text = os.path.normpath(os.path.join(base.given, path))
            return base.real + text[len(base.given) :] if text.startswith(f"{base.given}/") else text
        return descent.path_of(spot.name)


@contextmanager
def find_entry(effects: Effects, path: str) -> Generator[Moved]:
    """An entry that may be moved away; a link is the entry itself, not what it points to."""
    route = parse(effects.workspace, path)
    with Descent(effects.workspace) as descent, explained(descent, path, route, "read"):
        spot = descent.find(route.base, route.parts, is_folder=False, follow=False)
        status, real = spot.status, descent.path_of(spot.name)
        need_write(spot.access, path)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not spot.name or descent.places.has_root_in(real):
            raise refused(f"{spell(path)} is or contains a folder that the settings name; it must stay.")
        is_folder, is_link = stat.S_ISDIR(status.st_mode), stat.S_ISLNK(status.st_mode)
        if route.is_folder and not is_folder:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not is_link:
            need_write_bit(status.st_mode, path)
        if not is_link and not is_folder:
            need_regular(status.st_mode, path)
        inner, size = _survey(descent, spot.name, path) if is_folder else ((), status.st_size)
        effects.permit(real, path)
        for each in inner:
            effects.permit(f"{real}/{each}", f"{path}/{each}")
        yield Moved(descent.fd, spot.name, status, path, real, inner, size)


def _survey(descent: Descent, name: str, path: str) -> tuple[tuple[str, ...], int]:
    """Paths in a folder that a program may obey, and the bytes of its files. Raises for what is closed."""
    telling, inner, size = telling_names(), list[str](), 0
    descent.go(descent.look(name))
    walk = TreeWalk(descent)
    for entry in walk:
        here = descent.here
        if descent.places.access_below(here.identity, entry.name, None, here.access) != "write":
            closed = spell(f"{path.rstrip('/')}/{entry.path}")
            raise refused(f"{closed} may not be changed by tools, so {spell(path)} must stay as it is.")
        if fold(entry.name) in telling:
            inner.append(entry.path)
        status = descent.status(entry.name) if entry.kind == "file" else None
        size += 0 if status is None else status.st_size
    if not walk.is_complete:
        raise refused(f"{spell(path)} has more than {ENTRIES:,} entries; ask the user to do it.")
    descent.leave()
    return tuple(inner), size


@contextmanager
def find_target(
    effects: Effects, moved: Moved, path: str, *, is_exact: bool = False
) -> Generator[tuple[Descent, Spot]]:
    """Where an entry goes. Unless `is_exact`, a folder that is there takes it in under its own name.

    Missing folders on the way are made.
    """
    route = parse(effects.workspace, path)
    make_one = effects.maker(path)

    def make(descent: Descent, name: str) -> None:
        _check_outside(descent, moved, path)
        make_one(descent, name)

    effects.permit(real_path(effects.workspace, path), path)  # before a folder on the way is made
    with Descent(effects.workspace) as descent, explained(descent, path, route, "write"):
        spot = descent.find(route.base, route.parts, route.is_folder, make)
        is_itself = spot.status is not None and identity(spot.status) == identity(moved.status)
        if not is_exact and not is_itself and spot.status is not None and stat.S_ISDIR(spot.status.st_mode):
            if spot.name:
                descent.go(descent.look(spot.name))
            spot = look_again(descent, moved.name)
        _check_outside(descent, moved, path)
        need_write(spot.access, path)
        effects.permit(descent.path_of(spot.name), path)
        yield descent, spot


def look_again(descent: Descent, name: str) -> Spot:
    """The current entry of this name in the opened folder."""
    status, here = descent.status(name), descent.here
    known = None if status is None else identity(status)
    return Spot(name, status, descent.places.access_below(here.identity, name, known, here.access))


def _check_outside(descent: Descent, moved: Moved, path: str) -> None:
    if moved.is_folder and descent.has_passed(identity(moved.status)):
        raise refused(f"{spell(moved.path)} cannot be moved into itself ({spell(path)}).")


def refused(message: str) -> ToolError:
    return ToolError(message, Kind.VALIDATION_ERROR, effects="none")
