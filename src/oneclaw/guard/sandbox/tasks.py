"""The most tasks of one sandbox, held by the kernel: for root, whom its limits of processes do not bind.

A control group is made beside our own or below it, and what is started is put into it before it runs a word
of anybody's. Where that is not to be had, as in most containers, the program's own count is what holds.
"""

import os
from contextlib import suppress
from pathlib import Path

PREFIX = "oneclaw-tasks-"
_GROUPS = Path("/sys/fs/cgroup")
_made = 0


class TaskLimit:
    """One control group; it is empty, and can be removed, when all that was put into it is gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hold(self, pid: int) -> None:
        """Bind a process, and all it starts from now on."""
        with suppress(OSError):
            (self._folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        with suppress(OSError):
            self._folder.rmdir()


def limit_tasks(most: int) -> TaskLimit | None:
    """A group with room for so many tasks; None where there can be none, or the user is bound anyway."""
    global _made
    if os.geteuid() != 0:
        return None
    _made += 1
    for parent in _parents():
        _remove_left(parent)
        folder = parent / f"{PREFIX}{os.getpid()}-{_made}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            with open(folder / "pids.max", "r+") as file:  # never made: where it is none, nothing is held
                file.write(str(most))
        except OSError:
            folder.rmdir()
            continue
        return TaskLimit(folder)
    return None


def _parents() -> list[Path]:
    """Where a group may be made: below our own, of the newer kind also beside it if it sets no limits."""
    found: list[Path] = []
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            number, controllers, path = line.split(":", 2)
            if controllers == "pids":
                found.append(_GROUPS / "pids" / path.strip("/"))
            elif number == "0":
                for root in (_GROUPS, _GROUPS / "unified"):
                    own = root / path.strip("/")
                    found += [own, own.parent] if own != root and _is_unlimited(own) else [own]
    return found


def _is_unlimited(group: Path) -> bool:
    """Whether nothing is lost by leaving it: a service may be bound to so much memory and time."""
    for name in ("memory.max", "memory.high", "cpu.max"):
        try:
            if not (group / name).read_text().startswith("max"):
                return False
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def _remove_left(parent: Path) -> None:
    """Remove groups that were still in use when their shell was closed; one that holds a process stays."""
    with suppress(OSError):
        for folder in parent.glob(f"{PREFIX}*"):
            pid = folder.name.removeprefix(PREFIX).partition("-")[0]
            if pid == str(os.getpid()) or not os.path.exists(f"/proc/{pid}"):
                TaskLimit(folder).remove()
