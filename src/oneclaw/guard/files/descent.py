"""Walks paths by directory descriptors, so that no exchanged link leads out of the roots.

Theory. The kernel is never given a path of more than one component, and never follows a link for us. We stand
in a folder, by a descriptor, and open the next component below it with O_NOFOLLOW. If it is a link, we read
where it points and walk on from there, by the same rules. So what is checked is what is open: there is no
moment between a check and an open in which a name could be exchanged for another.

`..` goes back to the folder we came from and to no other: the identity must be the one seen on the way down.
Above a root there are no descriptors, only text: the path is spelled on, nothing is opened, until the text
names a root. `/proc/self/root`, `../../etc` and a link to `/` end there, without touching anything outside.
A root is the folder that stood at its path at the start, known by its identity, and no other one.

One descriptor is open at a time, however long the path.
"""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

from oneclaw.core.session import RootAccess, Workspace
from oneclaw.guard.files.places import Identity, ProtectedPlaces, identity

LINKS = 40
"""How many links one path may lead through, as in the Linux kernel."""

# O_PATH needs no read permission on the folders passed through; where it is missing, reading is asked for.
PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


MakeEntry = Callable[["Descent", str], None]


class OutsideRoots(Exception):
    """The path leads out of every root, or through a link in a closed one."""


class Exchanged(Exception):
    """Another folder stands where a root was when the program started."""


class DescentStep(NamedTuple):
    """A folder on the way down, what may be done in it, and its name in the folder above."""

    identity: Identity
    access: RootAccess
    name: str = ""


class Below(NamedTuple):
    """A folder that was opened and can be gone into."""

    fd: int
    step: DescentStep


class Spot(NamedTuple):
    """Where a path ends: the entry `name` of the folder the descent stands in.

    `name` is empty when the path ends at that folder itself; `status` is None when there is no such entry.
    `status` was true a moment ago: what matters is asked again of the opened file.
    """

    name: str
    status: os.stat_result | None
    access: RootAccess


class Descent:
    """A walk down from a root. A context manager: it holds the descriptor of the folder it stands in."""

    __slots__ = ("_base", "_links", "_steps", "_todo", "fd", "places")

    def __init__(self, workspace: Workspace) -> None:
        self.places = ProtectedPlaces(workspace)
        self.fd = -1
        self._base = ""
        self._links = 0
        self._steps: list[DescentStep] = []
        self._todo: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stand(-1)

    @property
    def here(self) -> DescentStep:
        return self._steps[-1]

    @property
    def access(self) -> RootAccess:
        return self._steps[-1].access if self._steps else "read"  # before the first step nothing is closed

    def path_of(self, name: str) -> str:
        """The path of an entry of this folder, as it was gone down: without links."""
        return os.path.join(self._base, *(step.name for step in self._steps[1:]), name)

    def find(
        self,
        base: str,
        parts: list[str],
        is_folder: bool,
        make: MakeEntry | None = None,
        *,
        follow: bool = True,
    ) -> Spot:
        """Go down `parts` from `base` to the last one, through links; `make` makes missing folders.

        With `follow` false, a link at the end of the path is the entry itself.
        """
        self._todo = parts[::-1]
        self._spell_on(base)
        while self._todo:
            name = self._todo.pop()
            if name == "..":
                self.leave()
            elif self._todo or is_folder:
                self._pass(name, make)
            else:
                status = self.status(name)
                if status is None or not follow or not stat.S_ISLNK(status.st_mode):
                    return self._spot(name, status)
                self._follow(name)
        return Spot("", os.fstat(self.fd), self.access)

    def has_passed(self, folder: Identity) -> bool:
        """Whether the descent stands in a folder or below it."""
        return any(step.identity == folder for step in self._steps)

    def is_outside_by_text(self, base: str, parts: list[str]) -> bool:
        """Whether a path leads out of every root if the folders it names are what they seem."""
        path = Path(os.path.normpath(os.path.join(base, *parts)))
        return all(self.places.at(str(folder)) is None for folder in (path, *path.parents))

    def look(self, name: str) -> Below:
        """Open a folder below this one without going there; a link is an error. The caller closes it."""
        fd = os.open(name, PASS, dir_fd=self.fd)
        try:
            found = identity(os.fstat(fd))
            access = self.places.access_below(self.here.identity, name, found, self.access)
        except BaseException:
            os.close(fd)
            raise
        return Below(fd, DescentStep(found, access, name))

    def go(self, below: Below) -> None:
        """Go down into a folder that was looked at."""
        self._stand(below.fd)
        self._steps.append(below.step)

    def leave(self) -> None:
        """Go back up to the folder we came from; above the root, go on by text alone."""
        if len(self._steps) == 1:
            self._spell_on(os.path.dirname(self._base))
            return
        fd = os.open("..", PASS, dir_fd=self.fd)
        if identity(os.fstat(fd)) != self._steps[-2].identity:
            os.close(fd)
            raise OSError(errno.EAGAIN, "a folder was moved meanwhile")
        self._stand(fd)
        self._steps.pop()

    def status(self, name: str) -> os.stat_result | None:
        """Status of a name in this folder; links are not followed."""
        try:
            return os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _spot(self, name: str, status: os.stat_result | None) -> Spot:
        found = None if status is None else identity(status)
        return Spot(name, status, self.places.access_below(self.here.identity, name, found, self.access))

    def _pass(self, name: str, make: MakeEntry | None) -> None:
        try:
            self.go(self.look(name))
        except FileNotFoundError:
            if make is None or ".." in self._todo:  # a folder is not made only to be left again
                raise
            make(self, name)
            self.go(self.look(name))
        except OSError as error:
            # A link is told as ENOTDIR or ELOOP, by the system and the flags.
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            self._follow(name)

    def _follow(self, name: str) -> None:
        if self.access == "none":
            raise OutsideRoots
        try:
            target = os.readlink(name, dir_fd=self.fd)
        except OSError as error:
            if error.errno == errno.EINVAL:  # not a link: a file stands where a folder should
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
            raise
        self._links += 1
        if self._links > LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        self._todo += components(target)[::-1]
        if target.startswith("/"):
            self._spell_on("/")

    def _spell_on(self, here: str) -> None:
        """Go on by text from `here` until the text names a root, and stand there."""
        while (real := self.places.at(here)) is None:
            if not self._todo:
                raise OutsideRoots
            name = self._todo.pop()
            here = os.path.dirname(here) if name == ".." else os.path.join(here, name)
        if self.places.is_file(real):
            real, name = os.path.split(real)
            self._todo.append(name)
            self._open_root(real, "none")
        else:
            self._open_root(real, None)

    def _open_root(self, real: str, access: RootAccess | None) -> None:
        fd = os.open(real, PASS & ~os.O_NOFOLLOW)
        found = identity(os.fstat(fd))
        self._stand(fd)
        if self.places.is_exchanged(real, found):
            raise Exchanged(real)
        self._base = real
        self._steps = [DescentStep(found, self.places.access(found) if access is None else access)]

    def _stand(self, fd: int) -> None:
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = fd


def components(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]
