"""Opens files inside the workspace and its roots, and refuses everything else.

Callers name files by text and get open files; nobody else in the product opens a path that a model wrote.
How a path is followed safely stands in `descent.py`, hard links in `links.py`, writing in `replace.py`.
"""

import errno
import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files import replace
from oneclaw.guard.files.descent import Descent, Spot
from oneclaw.guard.files.effect import Ask, Effects, Keep
from oneclaw.guard.files.links import Links
from oneclaw.guard.files.places import identity
from oneclaw.guard.files.refusal import explained, need_regular, need_write, need_write_bit, protected
from oneclaw.guard.files.replace import CheckBefore
from oneclaw.guard.files.route import Route, parse, spell
from oneclaw.guard.files.tree import ENTRIES, Asked, EntryKind, TreeEntry, TreeWalk, kind_of_mode

ChangeBytes = Callable[[BinaryIO | None, BinaryIO], object]
"""Writes the new content from the old; the old is None where there is no file yet."""

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class OpenFolder:
    """A folder of the workspace, held open while its `with` block runs."""

    __slots__ = ("_descent", "_links", "_prefix", "_route")

    def __init__(self, descent: Descent, links: Links, path: str, route: Route) -> None:
        self._descent = descent
        self._links = links
        self._route = route
        top = "/" if path.startswith("/") else ""
        self._prefix = f"{top}{'/'.join(route.parts)}/" if route.parts else top

    def walk(self, enter: Asked = lambda entry: True, entries: int = ENTRIES) -> TreeWalk:
        """Everything below it, in order; links are not followed. `enter` is asked before each folder."""
        return TreeWalk(self._descent, enter, entries)

    def status(self, entry: TreeEntry) -> os.stat_result | None:
        """Status of the current entry itself, not of its link target."""
        return self._descent.status(entry.name)

    def target(self, entry: TreeEntry) -> str:
        """The text of a link just handed out; empty when it is gone."""
        try:
            return os.readlink(entry.name, dir_fd=self._descent.fd)
        except OSError:
            return ""

    def open(self, entry: TreeEntry) -> BinaryIO:
        """Open the file just handed out, for reading."""
        spot = Spot(entry.name, self._descent.status(entry.name), self._descent.access)
        path = self.path_of(entry)
        with explained(self._descent, path, self._route, "read"):
            return os.fdopen(open_checked(self._descent, spot, path, os.O_RDONLY, self._links), "rb")

    def path_of(self, entry: TreeEntry) -> str:
        """The path under which other tools find the entry."""
        return f"{self._prefix}{entry.path}"


def open_file(workspace: Workspace, path: str) -> BinaryIO:
    """Open a regular file for reading."""
    route = parse(workspace, path)
    with Descent(workspace) as descent, explained(descent, path, route, "read"):
        spot = descent.find(route.base, route.parts, route.is_folder)
        return os.fdopen(open_checked(descent, spot, path, os.O_RDONLY, Links(workspace)), "rb")


@contextmanager
def open_folder(workspace: Workspace, path: str) -> Generator[OpenFolder]:
    """Open a folder for listing and walking."""
    route = parse(workspace, path)
    with Descent(workspace) as descent, explained(descent, path, route, "read"):
        descent.find(route.base, route.parts, is_folder=True)
        if descent.access == "none":
            raise protected(path)
        yield OpenFolder(descent, Links(workspace), path, route)


def kind_of(workspace: Workspace, path: str) -> EntryKind:
    """Whether a path leads to a file, a folder or something else, links followed."""
    route = parse(workspace, path)
    with Descent(workspace) as descent, explained(descent, path, route, "read"):
        spot = descent.find(route.base, route.parts, route.is_folder)
        if spot.access == "none":
            raise protected(path)
        if spot.status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return kind_of_mode(spot.status.st_mode)


def replace_file(
    workspace: Workspace,
    path: str,
    data: bytes,
    check: CheckBefore,
    ask: Ask | None = None,
    keep: Keep | None = None,
) -> None:
    """Write a file anew in one step, whatever it held; folders on the way are made. See `Effects`."""
    effects = Effects(workspace, check, ask, keep)
    _write(effects, path, lambda old, new: new.write(data), is_change=False)


def change_file(
    workspace: Workspace,
    path: str,
    change: ChangeBytes,
    check: CheckBefore,
    ask: Ask | None = None,
    keep: Keep | None = None,
) -> None:
    """Write a file anew in one step from what it held; folders on the way are made. See `Effects`.

    No other change made through here comes between. `change` may be called a second time.
    """
    _write(Effects(workspace, check, ask, keep), path, change, is_change=True)


def _write(effects: Effects, path: str, change: ChangeBytes, *, is_change: bool) -> None:
    workspace, check = effects.workspace, effects.check
    route = parse(workspace, path)
    make = None if route.is_folder else effects.maker(path)
    with Descent(workspace) as descent, explained(descent, path, route, "write"):
        spot = descent.find(route.base, route.parts, route.is_folder, make)
        need_write(spot.access, path)
        effects.permit(descent.path_of(spot.name), path)
        check()
        folder = replace.open_folder(descent.fd)
        try:
            if is_change:
                replace.lock(folder, check)
                spot = Spot(spot.name, descent.status(spot.name), spot.access)
            _replace(descent, spot, path, folder, change, effects, is_locked=is_change)
        finally:
            os.close(folder)


def _replace(
    descent: Descent,
    spot: Spot,
    path: str,
    folder: int,
    change: ChangeBytes,
    effects: Effects,
    *,
    is_locked: bool,
) -> None:
    real, keep, name, check = descent.path_of(spot.name), effects.keep, spot.name, effects.check
    with ExitStack() as stack:
        old, status = None, spot.status
        if status is not None:
            # Opened for writing too: a file that may not be written may not be replaced either.
            fd = open_checked(descent, spot, path, os.O_RDWR, Links(effects.workspace))
            old = stack.enter_context(os.fdopen(fd, "rb"))
            status = os.fstat(fd)

        def write(new: BinaryIO) -> object:
            if old is not None:
                old.seek(0)
            return change(old, new)

        def kept(new: BinaryIO) -> None:
            if keep is not None:
                keep.put(real, old, new)

        replace.replace(folder, name, status, write, check, kept, is_locked=is_locked)


def open_checked(descent: Descent, spot: Spot, path: str, flags: int, links: Links) -> int:
    """Open an entry of the folder the descent stands in; every check is made on what was opened."""
    if spot.access == "none":
        raise protected(path)
    if spot.status is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    # Asked before as well as after: opening a FIFO or a device can have effects of its own.
    _need_kind(spot.status.st_mode, path, flags)
    try:
        fd = os.open(spot.name, flags | _FLAGS, dir_fd=descent.fd)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.EAGAIN, "it was exchanged for a link meanwhile") from None
        raise
    try:
        status = os.fstat(fd)
        _need_kind(status.st_mode, path, flags)
        here = descent.here
        access = descent.places.access_below(here.identity, spot.name, identity(status), here.access)
        if access == "none":
            raise protected(path)
        if flags != os.O_RDONLY:
            need_write(access, path)
        if status.st_nlink > 1 and not links.are_inside(fd):
            raise ToolError(
                f"Access denied: {spell(path)} has {status.st_nlink} hard links, and not all of them were"
                f" found inside the workspace (by looking at {ENTRIES:,} entries); copy the file to use it.",
                Kind.PATH_NOT_ALLOWED,
            )
    except BaseException:
        os.close(fd)
        raise
    return fd


def _need_kind(mode: int, path: str, flags: int) -> None:
    need_regular(mode, path)
    if flags & os.O_RDWR:
        need_write_bit(mode, path)
