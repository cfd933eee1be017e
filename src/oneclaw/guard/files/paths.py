"""The door to files: what lies inside the workspace and its roots is opened, everything else is refused.

Callers name files by text and get open files; nobody else in the product opens a path that a model wrote.
How a path is followed safely stands in `descent.py`, hard links in `links.py`, writing in `replace.py`.
"""

import errno
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import BinaryIO

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files import replace
from oneclaw.guard.files.descent import Descent, Spot
from oneclaw.guard.files.links import Links
from oneclaw.guard.files.places import identity
from oneclaw.guard.files.protected import NEED, obeyed_by
from oneclaw.guard.files.refusal import explained, need_regular, need_write, need_write_bit, protected, refuse
from oneclaw.guard.files.replace import Check
from oneclaw.guard.files.route import Route, parse, spell
from oneclaw.guard.files.tree import ENTRIES, Asked, Entry, EntryKind, Walk, kind_of_mode

Change = Callable[[BinaryIO | None, BinaryIO], object]
"""Writes the new content from the old; the old is None where there is no file yet."""

Ask = Callable[[str, str], None]
"""Asks a person for a need, naming the reason, and raises `ToolError` when the answer is no."""

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Folder:
    """A folder of the workspace, held open while its `with` block runs."""

    __slots__ = ("_descent", "_links", "_prefix", "_route")

    def __init__(self, descent: Descent, links: Links, path: str, route: Route) -> None:
        self._descent = descent
        self._links = links
        self._route = route
        top = "/" if path.startswith("/") else ""
        self._prefix = f"{top}{'/'.join(route.parts)}/" if route.parts else top

    def walk(self, enter: Asked = lambda entry: True, entries: int = ENTRIES) -> Walk:
        """Everything below it, in order; links are not followed. `enter` is asked before each folder."""
        return Walk(self._descent, enter, entries)

    def status(self, entry: Entry) -> os.stat_result | None:
        """What is known of the entry just handed out, itself and not what it links to."""
        return self._descent.status(entry.name)

    def target(self, entry: Entry) -> str:
        """The text of a link just handed out; empty when it is gone."""
        try:
            return os.readlink(entry.name, dir_fd=self._descent.fd)
        except OSError:
            return ""

    def open(self, entry: Entry) -> BinaryIO:
        """Open the file just handed out, for reading."""
        spot = Spot(entry.name, self._descent.status(entry.name), self._descent.access)
        path = self.path_of(entry)
        with explained(self._descent, path, self._route, "read"):
            return os.fdopen(_open_checked(self._descent, spot, path, os.O_RDONLY, self._links), "rb")

    def path_of(self, entry: Entry) -> str:
        """The path under which other tools find the entry."""
        return f"{self._prefix}{entry.path}"


def open_file(workspace: Workspace, path: str) -> BinaryIO:
    """Open a regular file for reading."""
    route = parse(workspace, path)
    with Descent(workspace) as descent, explained(descent, path, route, "read"):
        spot = descent.find(route.base, route.parts, route.is_folder)
        return os.fdopen(_open_checked(descent, spot, path, os.O_RDONLY, Links(workspace)), "rb")


@contextmanager
def open_folder(workspace: Workspace, path: str) -> Generator[Folder]:
    """Open a folder for listing and walking."""
    route = parse(workspace, path)
    with Descent(workspace) as descent, explained(descent, path, route, "read"):
        descent.find(route.base, route.parts, is_folder=True)
        if descent.access == "none":
            raise protected(path)
        yield Folder(descent, Links(workspace), path, route)


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


def replace_file(workspace: Workspace, path: str, data: bytes, check: Check, ask: Ask | None = None) -> None:
    """Write a file anew in one step, whatever it held; folders on the way are made.

    `check` is called before each effect and stops it by raising. So is `ask`, with the need and the reason,
    before one that the owner's own programs obey is written; without it none is.
    """
    _write(workspace, path, lambda old, new: new.write(data), check, ask, is_change=False)


def change_file(
    workspace: Workspace, path: str, change: Change, check: Check, ask: Ask | None = None
) -> None:
    """Write a file anew in one step from what it held; folders on the way are made.

    No other change made through here comes between. `change` may be called a second time.
    """
    _write(workspace, path, change, check, ask, is_change=True)


def _write(
    workspace: Workspace, path: str, change: Change, check: Check, ask: Ask | None, *, is_change: bool
) -> None:
    route = parse(workspace, path)
    asked: set[str] = set()

    def permit(real: str) -> None:
        who = obeyed_by(workspace, real)
        if who and who not in asked:
            asked.add(who)
            (ask or refuse)(NEED, f"{spell(path)} is run or obeyed without asking you by: {who}.")

    def make(descent: Descent, name: str) -> None:
        here = descent.here
        need_write(descent.places.access_below(here.identity, name, None, here.access), path)
        permit(descent.path_of(name))
        check()
        replace.make_folder(descent.fd, name)

    with Descent(workspace) as descent, explained(descent, path, route, "write"):
        spot = descent.find(route.base, route.parts, route.is_folder, None if route.is_folder else make)
        need_write(spot.access, path)
        permit(descent.path_of(spot.name))
        check()
        folder = replace.open_folder(descent.fd)
        try:
            if is_change:
                replace.lock(folder, check)
                spot = Spot(spot.name, descent.status(spot.name), spot.access)
            _replace(descent, spot, path, folder, change, check, Links(workspace), is_locked=is_change)
        finally:
            os.close(folder)


def _replace(
    descent: Descent,
    spot: Spot,
    path: str,
    folder: int,
    change: Change,
    check: Check,
    links: Links,
    *,
    is_locked: bool,
) -> None:
    if spot.status is None:
        replace.replace(folder, spot.name, None, lambda new: change(None, new), check, is_locked=is_locked)
        return
    # Opened for writing too: a file that may not be written may not be replaced either.
    with os.fdopen(_open_checked(descent, spot, path, os.O_RDWR, links), "rb") as old:
        status = os.fstat(old.fileno())
        need_write_bit(status.st_mode, path)

        def write(new: BinaryIO) -> object:
            old.seek(0)
            return change(old, new)

        replace.replace(folder, spot.name, status, write, check, is_locked=is_locked)


def _open_checked(descent: Descent, spot: Spot, path: str, flags: int, links: Links) -> int:
    """Open an entry of the folder the descent stands in; every check is made on what was opened."""
    if spot.access == "none":
        raise protected(path)
    if spot.status is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    # Asked before as well as after: opening a FIFO or a device can have effects of its own.
    need_regular(spot.status.st_mode, path)
    try:
        fd = os.open(spot.name, flags | _FLAGS, dir_fd=descent.fd)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.EAGAIN, "it was exchanged for a link meanwhile") from None
        raise
    try:
        status = os.fstat(fd)
        need_regular(status.st_mode, path)
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
