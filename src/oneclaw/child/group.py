"""Group: a control group, by which the kernel limits memory and tasks of processes, and kills all of them.

A group is made below our own group; with version 2, beside it too. A child is put into it before it runs code
of others. One `Group` has a folder in each hierarchy that is mounted, since versions 1 and 2 are often mixed.
Where no group can be made, as in most containers, only the limits that the program checks itself hold.

The name of a group says which program made it, so the next program removes the groups of one that was killed.
"""

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

PREFIX = "oneclaw-"
_ROOT = Path("/sys/fs/cgroup")
_PROCESSES, _KILL = "cgroup.procs", "cgroup.kill"
_MEMORY = {
    "memory.max": ("memory.swap.max", "0"),
    "memory.limit_in_bytes": ("memory.memsw.limit_in_bytes", ""),
}
"""The file that limits memory, in version 2 and 1; with it the file that limits swap, and its value: no swap,
or memory and swap together as much as memory."""
_TCP_MEMORY = "memory.kmem.tcp.limit_in_bytes"
"""In version 1, the memory of TCP sockets is counted apart, and only where it has a limit."""
_OUT_OF_MEMORY = {"memory.max": "memory.events", "memory.limit_in_bytes": "memory.oom_control"}
_KILL_ROUNDS = 100
_REMOVE_TRIES, _REMOVE_SECONDS = 400, 0.005


class Group:
    """One control group: a folder in each hierarchy.

    holds_memory  whether it limits memory
    holds_tasks   whether it limits processes and threads
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        counted = (
            folder / counts
            for folder in folders
            for limit, counts in _OUT_OF_MEMORY.items()
            if (folder / limit).exists()
        )
        self._counts = next(counted, None)
        self._opened = -1
        self._killed = 0
        self.holds_memory = self._counts is not None
        self.holds_tasks = any((folder / "pids.max").exists() for folder in folders)

    @property
    def files(self) -> tuple[Path, ...]:
        """A process that writes 0 to each of these files joins it."""
        return tuple(folder / _PROCESSES for folder in self._folders)

    def hold(self, pid: int) -> None:
        """Put a process into it, and all it starts from now on."""
        for file in self.files:
            _set(file, str(pid))

    def inner(self, tasks: int) -> "Group":
        """A group inside of this one, with a limit of tasks; groups inside share its memory."""
        for folder in self._folders:
            for controller in ("+memory", "+pids"):
                _set(folder / "cgroup.subtree_control", controller)
        name = _name()
        return Group(
            [made for folder in self._folders if (made := _make(folder, name, {}, {"pids.max": tasks}))]
        )

    def killed(self) -> int:
        """How many of its processes the kernel has killed for want of memory; also known after `remove`."""
        if self._counts is None:
            return self._killed
        with suppress(OSError, ValueError, IndexError):
            if self._opened < 0:  # it stays open: each command has it read, and has to be quick
                self._opened = os.open(self._counts, os.O_RDONLY | os.O_CLOEXEC)
            self._killed = int(os.pread(self._opened, 4096, 0).partition(b"oom_kill ")[2].split()[0])
        return self._killed

    def remove(self) -> None:
        """Kill everything in it, and remove it."""
        self.killed()  # reads it for the last time
        if self._opened >= 0:
            os.close(self._opened)
        self._opened, self._counts = -1, None
        for folder in self._folders:
            _kill(folder)
        for folder in self._folders:
            _remove(folder)


def make_group(memory_bytes: int = 0, tasks: int = 0) -> Group | None:
    """A group with these limits, 0 for no limit; None where none can be made."""
    wanted = {name: value for name, value in (("memory", memory_bytes), ("pids", tasks)) if value}
    name, folders = _name(), list[Path]()
    for parents, limits in _hierarchies(wanted):
        for parent in parents:
            _clean(parent)
        if made := _first(parents, name, limits):
            folders.append(made)
    return Group(folders) if folders else None


def _hierarchies(wanted: Mapping[str, int]) -> Iterator[tuple[list[Path], dict[str, int]]]:
    """Of each hierarchy, the folders in which a group may be made, and the limits to set there.

    In version 2, a group beside our own is not bound by our own limits: it is made only where those are none.
    """
    older = {"memory": "memory.limit_in_bytes", "pids": "pids.max"}
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if controllers in wanted:
            yield [_ROOT / controllers / path.strip("/")], {older[controllers]: wanted[controllers]}
        elif number == "0":
            for root in (_ROOT, _ROOT / "unified"):
                own = root / path.strip("/")
                if (own / _PROCESSES).exists():
                    parents = [own, own.parent] if own != root and _is_unlimited(own) else [own]
                    yield parents, {f"{name}.max": value for name, value in wanted.items()}


def _first(parents: Sequence[Path], name: str, limits: Mapping[str, int]) -> Path | None:
    """The first group that can be made with all limits; else one with some, or one that can be killed."""
    for needed in (limits, dict[str, int]()):
        for parent in parents:
            made = _make(parent, name, needed, limits)
            if made is not None and (needed or (made / _KILL).exists()):
                return made
            if made is not None:
                made.rmdir()
    return None


def _make(parent: Path, name: str, needed: Mapping[str, int], wished: Mapping[str, int]) -> Path | None:
    folder = parent / name
    try:
        folder.mkdir()
    except OSError:
        return None
    were_set = {file for file, value in wished.items() if _set(folder / file, str(value))}
    if not needed.keys() <= were_set:
        folder.rmdir()
        return None
    for file in were_set & _MEMORY.keys():
        swap, most = _MEMORY[file]
        _set(folder / swap, most or str(wished[file]))
        _set(folder / _TCP_MEMORY, str(wished[file]))
    return folder


def _set(file: Path, value: str) -> bool:
    try:
        with open(file, "r+") as opened:  # never made: where it is none, nothing is held
            opened.write(value)
    except OSError:
        return False
    return True


def _is_unlimited(group: Path) -> bool:
    """Whether a group sets no limits, as that of a service may."""
    for name in ("memory.max", "memory.high", "cpu.max"):
        try:
            if not (group / name).read_text().startswith("max"):
                return False
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def _name() -> str:
    return f"{PREFIX}{_table()}-{os.getpid()}-{_began(os.getpid())}-{os.urandom(4).hex()}"


def _table() -> int:
    """The number of our process table: a process id in the name of a group is of one table only."""
    return os.stat("/proc/self/ns/pid").st_ino


def _began(pid: int) -> str:
    """When a process was started, in ticks of the kernel; empty when it is gone."""
    with suppress(OSError), open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[19]
    return ""


@cache
def _clean(parent: Path) -> None:
    """Once in a program: kill and remove the groups of programs that were killed."""
    with suppress(OSError):
        for folder in parent.glob(f"{PREFIX}{_table()}-*"):
            pid, began, *_ = folder.name.removeprefix(f"{PREFIX}{_table()}-").split("-")
            if _began(int(pid)) != began:
                _kill(folder)
                for inner in (*folder.glob(f"{PREFIX}*"), folder):
                    _remove(inner)


def _remove(folder: Path) -> None:
    """Remove a group whose processes were killed, once they are dead."""
    for _ in range(_REMOVE_TRIES):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_REMOVE_SECONDS)


def _kill(folder: Path) -> None:
    """Kill all processes: by one write in version 2, else one by one until none is left."""
    if _set(folder / _KILL, "1"):
        return
    for _ in range(_KILL_ROUNDS):
        left = [pid for inner in (folder, *folder.glob(f"{PREFIX}*")) for pid in _processes(inner)]
        if not left:
            return
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _processes(folder: Path) -> list[int]:
    """The process ids in a group; those of other process tables are listed as 0 and left out."""
    with suppress(OSError):
        return [pid for pid in map(int, (folder / _PROCESSES).read_text().split()) if pid]
    return []
