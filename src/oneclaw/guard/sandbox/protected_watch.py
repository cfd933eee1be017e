"""Watches protected files in the workspace while commands run.

Theory. A sandbox can make read-only what is there when it starts; a name that nothing stands at cannot be
closed without leaving something there. So stock is taken before a command, when no other one runs: what is
there then is the owner's, and is shown read-only. It is looked again while commands run and when one ends:
what is there now and was not then is renamed to `NAME.set-aside`, and the result says so.

A repository that a command makes, as `git clone` does, stays as long as nothing in it has git run programs.
"""

import os
import stat
import threading
import time
from collections import deque
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from oneclaw.core.session import Workspace
from oneclaw.guard.files import repository
from oneclaw.guard.files.places import fold, spell_root
from oneclaw.guard.files.protected import home_paths, is_inside, obeyed_by, project_paths

FOLDERS = 1_000
"""How many folders are looked through for repositories, the upper ones first."""
CLOSED = 10
"""How many repositories are closed that run nothing; each takes some milliseconds when a sandbox starts."""
ENTRIES = 10_000
"""How many entries of one folder."""
MANY_ENTRIES = 10_000
"""To look through so many takes some ten milliseconds."""
SUFFIX = ".set-aside"
_BULKY = frozenset(
    ("node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".cache", "target")
)
"""Folders that are looked through last."""
_SETTLED_NS = 50_000_000
"""A folder changed as lately as this may change again without its time being another."""
_PASS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LAST = 100


class _Folder(NamedTuple):
    inode: int
    changed_ns: int
    folders: tuple[str, ...]
    names: frozenset[str]
    entries: int


_Walked = list[tuple[str, frozenset[str]]]
"""Folders, each with the names in it that count."""


class Lookout:
    """Looks after one workspace, for all of its sandboxes.

    pins  whether a sandbox can show things read-only; where not, repositories are looked at all the time
    """

    def __init__(self, workspace: Workspace, *, pins: bool = True) -> None:
        self._workspace = workspace
        self._pins = pins
        self._tops = _tops(workspace)
        self._closed = {_real(root.folder) for root in workspace.roots if root.access == "none"}
        self._narrow = {_real(root.folder) for root in workspace.roots if root.access != "write"}
        self._fixed = self._find_fixed()
        self._folders: dict[str, _Folder] = {}
        self._projects: set[str] = set()
        self._known: dict[str, str] = {}
        self._git: dict[str, str] = {}
        self._inner: set[str] = set()
        self._made: set[str] = set()
        self._told: deque[str] = deque(maxlen=_LAST)
        self._running = 0
        self._looking = threading.Lock()
        self.is_large = False
        """Whether a walk may take long: it is better made in another thread first."""

    def _find_fixed(self) -> dict[str, str]:
        """Files obeyed in one place only: the user's home, and narrowed roots."""
        found = {path: who for path, who in home_paths().items() if _is_in(path, self._tops)}
        for path in self._narrow:
            is_hidden = _is_in(path, self._closed - {path}) or "/.git/" in path
            if _is_in(path, self._tops) and path not in self._tops and not is_hidden:
                found[path] = "OneClaw, which your settings let it only read"
        return found

    def take_stock(self) -> frozenset[str]:
        """Paths that commands may not change; refreshed unless a command runs."""
        with self._looking:
            return self._take_stock()

    def _take_stock(self) -> frozenset[str]:
        if not self._running:
            walked = self._walk()
            found = _repositories(walked)
            some = list(found)[:CLOSED]
            self._made = {git for git in found if self._is_watched(git, is_one_of_many=git not in some)}
            self._git = {git: dot for git, dot in found.items() if git not in self._made}
            for git in self._git:
                if _is_in(git, self._tops):
                    _make_hooks(git)
            self._inner = {inner for git in self._git for inner in repository.inner_folders(git)}
            self._projects = {*self._tops, *(os.path.dirname(dot) for dot in self._git.values())}
            paths = [*self._obeyed(walked), *(dot for dot in self._git.values() if dot.endswith("/.git"))]
            paths += [path for git in self._git for path in repository.obeyed_in(git)]
            there = (path for path in paths if path not in self._git and os.path.lexists(path))
            self._known = {path: _target(path) for path in there}
        return frozenset(path for path, target in self._known.items() if not target and self._is_theirs(path))

    def begin(self) -> None:
        """A command starts."""
        self._running += 1

    def end(self) -> list[str]:
        """A command has ended: what was set aside, in sentences."""
        self.look()
        with self._looking:
            self._running -= 1
            told = list(self._told)
            self._told.clear()
        return told

    def look(self) -> None:
        """Set aside what was made since stock was taken, unless the last command has ended meanwhile.

        It may be called from another thread: where commands make many folders, it takes long.
        """
        with self._looking:
            if self._running:
                self._look()

    def _look(self) -> None:
        walked = self._walk()
        for path, who in self._obeyed(walked).items():
            if self._known.get(path) != _target(path):
                self._set_aside(path, f"it is run or obeyed without asking by: {who}")
        for git, dot in _repositories(walked).items():
            if git in self._git:
                self._look_inside(git)
            elif harm := self._harm(git, dot):
                self._set_aside(dot, f"{harm} has git run programs, or could")
            else:
                self._made.add(git)

    def _look_inside(self, git: str) -> None:
        for path in repository.obeyed_in(git):
            if path in self._known or not os.path.lexists(path):
                continue
            inner = os.path.dirname(path)
            if inner == git or inner in self._inner:
                self._set_aside(path, "git obeys it")
            elif harm := repository.harm_in(inner):
                self._set_aside(inner, f"{harm} has git run programs, or could")

    def _is_watched(self, git: str, *, is_one_of_many: bool) -> bool:
        """Whether a folder of git is looked at after each command, and not closed: a command made it, or that
        would take too long."""
        is_open = git in self._made or is_one_of_many or not self._pins
        return is_open and not repository.harm_in(git)

    def _harm(self, git: str, dot: str) -> str:
        if os.path.islink(dot):
            return "the link"
        if not _is_in(os.path.realpath(git), self._tops):
            return "the folder outside of the workspace that it names"
        return repository.harm_in(git)

    def _is_theirs(self, path: str) -> bool:
        """Whether commands could change it: the owner has not said otherwise of it."""
        is_narrow = any(is_inside(path, root) for root in self._narrow if _is_in(root, self._tops))
        return not is_narrow and any(is_inside(path, top) for top in self._tops)

    def _obeyed(self, walked: _Walked) -> dict[str, str]:
        """Protected files that exist, and the programs that obey them; Git's own folder excluded."""
        obeyed = dict(self._fixed)
        for folder, names in walked:
            if folder in self._projects:
                for parts, who in project_paths().items():
                    if parts[0] in names:
                        obeyed["/".join((folder, *parts))] = who
        for git, dot in self._git.items():
            folder, hooks = os.path.dirname(dot), repository.hooks_path(git)
            path = os.path.normpath(os.path.join(folder, hooks)) if hooks else ""
            if path and _is_in(path, self._tops) and not is_inside(folder, path):
                obeyed[path] = "git"
        return {path: who for path, who in obeyed.items() if os.path.lexists(path) and self._is_obeyed(path)}

    def _is_obeyed(self, path: str) -> bool:
        """Whether the owner has not opened it by name; what is not on the list is obeyed all the same."""
        return bool(obeyed_by(self._workspace, path)) or not any(
            root.access == "write"
            and is_inside(path, _real(root.folder))
            and _real(root.folder) not in self._tops
            for root in self._workspace.roots
        )

    def _walk(self) -> _Walked:
        """The folders of the workspace, the upper ones first."""
        walked: _Walked = []
        seen: dict[str, _Folder] = {}
        todo, last = deque(self._tops), deque[str]()
        while (todo or last) and len(walked) < FOLDERS:
            path = (todo or last).popleft()
            folder = self._read(path)
            if folder is None or path in self._closed:
                continue
            seen[path] = folder
            walked.append((path, folder.names))
            if not repository.is_git_folder(set(folder.names)):
                for name in folder.folders:
                    (last if name in _BULKY else todo).append(f"{path}/{name}")
        now = time.time_ns()
        self._folders = {path: one for path, one in seen.items() if one.changed_ns < now - _SETTLED_NS}
        self.is_large = sum(one.entries for one in seen.values()) > MANY_ENTRIES
        return walked

    def _read(self, path: str) -> _Folder | None:
        try:
            status = os.lstat(path)
            known = self._folders.get(path)
            if known is not None and known[:2] == (status.st_ino, status.st_ctime_ns):
                return known
            if not stat.S_ISDIR(status.st_mode):
                return None
            folders, names, entries = _entries(path)
        except OSError:
            return None
        return _Folder(status.st_ino, status.st_ctime_ns, tuple(sorted(folders)[:FOLDERS]), names, entries)

    def _set_aside(self, path: str, why: str) -> None:
        top = max((top for top in self._tops if is_inside(path, top)), key=len, default="")
        if not top:
            return
        with suppress(OSError):
            new = _rename(top, os.path.relpath(path, top).split("/"))
            shown = os.path.relpath(path, top)
            self._told.append(f"{shown} was renamed to {new}: {why}. Only the owner can bring it back.")


def _entries(path: str) -> tuple[list[str], frozenset[str], int]:
    """The folders in a folder, the names in it that count, and how many entries were looked at.

    Of a very large one, not all folders.
    """
    counted, folders, names, count = _counted(), list[str](), set[str](), 0
    with os.scandir(path) as entries:
        for count, entry in enumerate(entries, 1):
            if count > ENTRIES:
                names = set(counted.values())
                break
            if name := counted.get(fold(entry.name)):
                names.add(name)
            if entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
    return folders, frozenset(name for name in names if os.path.lexists(f"{path}/{name}")), count


def _repositories(walked: _Walked) -> dict[str, str]:
    """The folders of git, each with what leads to it: a `.git`, or the HEAD of a bare one."""
    found: dict[str, str] = {}
    for folder, names in walked:
        dot = f"{folder}/.git"
        if ".git" in names and os.path.islink(dot):
            found[os.path.realpath(dot)] = dot
        elif ".git" in names:
            found |= {at: dot for at in (dot if os.path.isdir(dot) else repository.pointed_to(dot),) if at}
        elif repository.is_git_folder(set(names)) and f"/.git{SUFFIX}" not in folder:
            found[folder] = f"{folder}/HEAD"
    return found


def _rename(top: str, parts: list[str]) -> str:
    """Rename what stands at a path below a folder, past no link; the new name."""
    folder = os.open(top, _PASS)
    try:
        for name in parts[:-1]:
            below = os.open(name, _PASS, dir_fd=folder)
            os.close(folder)
            folder = below
        taken = set(os.listdir(folder))
        tries = (
            f"{parts[-1]}{SUFFIX}{'' if number == 1 else f'-{number}'}" for number in range(1, len(taken) + 2)
        )
        new = next(name for name in tries if name not in taken)
        os.rename(parts[-1], new, src_dir_fd=folder, dst_dir_fd=folder)
        return new
    finally:
        os.close(folder)


def _make_hooks(git: str) -> None:
    """Have a folder of git hold one for hooks, as git makes it: what is not there cannot be closed."""
    with suppress(OSError):
        if os.path.lexists(f"{git}/HEAD") and not os.path.lexists(f"{git}/commondir"):
            os.mkdir(f"{git}/hooks")


@cache
def _counted() -> dict[str, str]:
    """The names that count, by how they read where capitals and small letters are one."""
    names = (".git", *repository.TELLING, *(parts[0] for parts in project_paths()))
    return {fold(name): name for name in names}


def _tops(workspace: Workspace) -> list[str]:
    """The folders that commands may write, but for those inside of others."""
    said = {_real(root.folder): root.access for root in workspace.roots}
    folders = {_real(workspace.folder), *(path for path, access in said.items() if access == "write")}
    found = sorted(path for path in folders if said.get(path, "write") == "write" and os.path.isdir(path))
    return [path for path in found if not _is_in(path, set(found) - {path})]


def _real(folder: os.PathLike[str]) -> str:
    return spell_root(os.fspath(folder)).real


def _target(path: str) -> str:
    """Where a link leads, by its text; empty for what is none."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _is_in(path: str, folders: list[str] | set[str]) -> bool:
    return any(is_inside(path, folder) for folder in folders)
