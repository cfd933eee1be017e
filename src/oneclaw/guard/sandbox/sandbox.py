"""Chooses the sandbox by settings and machine, or refuses."""

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.core.text.file_name import file_name
from oneclaw.guard.files.refusal import check_workspace
from oneclaw.guard.sandbox import bubblewrap, landlock, seccomp
from oneclaw.guard.sandbox.etc import NAMES, NETWORK_NAMES, copy_etc
from oneclaw.guard.sandbox.places import (
    SandboxPath,
    covering,
    is_wider,
    linked_folders,
    program_places,
    workspace_places,
)
from oneclaw.guard.sandbox.protected_watch import Lookout
from oneclaw.guard.sandbox.sandbox_spec import STATES, LandlockRules, SandboxLimits, SandboxSpec
from oneclaw.guard.sandbox.scratch import Scratch

HOME = "/home/agent"
FOLDER = "/run/shell"
TMP = "/tmp"  # noqa: S108
MEMORY = Path("/dev/shm")  # noqa: S108
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
UNSAFE = "This ran without a sandbox, with all the rights of the user who runs OneClaw."

_IDENTITY = {
    "passwd": f"agent:x:{bubblewrap.USER}:{bubblewrap.USER}:agent:{HOME}:/bin/bash\n"
    "nobody:x:65534:65534::/:/bin/false\n",
    "group": f"agent:x:{bubblewrap.USER}:\nnogroup:x:65534:\n",
}
"""The users known inside the sandbox: only the agent."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")
"""Of /dev, what is nobody's: in /dev/pts are the terminals of the user, in /dev/shm is memory of programs."""
_PROC = ("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "sys", "uptime", "version")
"""Of /proc, what tells of the machine: everything else tells of its processes."""

_SSH = ("scp", "sftp", "ssh")
_SSH_AT_HOME = """#!/bin/sh
[ ! -e "$HOME/.ssh/config" ] || set -- -F "$HOME/.ssh/config" "$@"
exec {program} "$@"
"""

SandboxChoice = Literal["auto", "bubblewrap", "landlock", "none"]


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The owner's settings. `homes` holds the private homes, one for each agent."""

    homes: Path
    mode: Literal["sandbox", "native"] = DEFAULTS.shell.mode
    sandbox: SandboxChoice = DEFAULTS.shell.sandbox
    limits: SandboxLimits = field(default_factory=SandboxLimits)


class Sandbox:
    """Makes the sandboxes of shells; what works on this machine is tried once."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self._bubblewrap: tuple[tuple[str, bool] | None, str] | None = None
        self._etc: dict[bool, Path] = {}
        self._lookouts: dict[Path, Lookout] = {}
        self.scratch = Scratch()
        self._in_memory = Scratch(MEMORY)

    def close(self) -> None:
        """Remove what was made for all shells."""
        self._etc.clear()
        self.scratch.close()
        self._in_memory.close()

    def home(self, agent: str) -> Path:
        """The private home of an agent, made when it is first asked for."""
        folder = self.settings.homes / file_name(agent)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    @property
    def has_own_users(self) -> bool:
        """Whether programs inside find the agent, with its home, where they look users up."""
        return self.settings.sandbox in ("auto", "bubblewrap") and self._works()[0] is not None

    @property
    def quick(self) -> Path:
        """Where the small files of shells are: in memory if there is a place that commands do not see."""
        has_place = self.settings.mode == "sandbox" and self.has_own_users and os.access(MEMORY, os.W_OK)
        return self._in_memory.folder if has_place else self.scratch.folder

    def home_inside(self, agent: str) -> str | None:
        """The home of an agent as commands see it; None where they have the user's own."""
        if self.settings.mode == "native":
            return None
        return HOME if self.has_own_users else str(self.home(agent))

    def make_spec(
        self, session: Session, states: Path, tmp: Path, network: bool, beside: Sequence[SandboxSpec] = ()
    ) -> SandboxSpec:
        """The sandbox of a shell; `beside` are those that run now.

        Raises `ToolError` when none works and the owner allows to go without.
        """
        check_workspace(session.workspace)
        if self.settings.mode == "native":
            return _native(session, states, tmp)
        way = self.settings.sandbox
        if way == "none":
            return self._without_namespaces("none", session, states, tmp, None, UNSAFE)
        works, why = self._works() if way in ("auto", "bubblewrap") else (None, "")
        if works is not None:
            lookout = self._lookout(session.workspace, pins=True)
            closed = lookout.take_stock()
            shown = workspace_places(_closing(session.workspace, closed), [other.places for other in beside])
            _refuse_covering(shown)
            made = self._wrapped(works, session, states, tmp, network, shown)
            return replace(made, protected=closed, lookout=lookout)
        if way in ("auto", "landlock"):
            if not (missing := _what_landlock_lacks()):
                lookout = self._lookout(session.workspace, pins=False)
                closed = lookout.take_stock()
                made = self._landlocked(session, _closing(session.workspace, closed), states, tmp, network)
                return replace(made, protected=closed, lookout=lookout)
            why += f"{'; ' if why else ''}{missing}"
        raise ToolError(
            f"Commands cannot run because there is no sandbox: {why}. Only the owner can allow to go without,"
            ' by shell.sandbox = "none".',
            Kind.PERMISSION_DENIED,
            effects="none",
        )

    def _wrapped(
        self,
        works: tuple[str, bool],
        session: Session,
        states: Path,
        tmp: Path,
        network: bool,
        shown: Sequence[SandboxPath],
    ) -> SandboxSpec:
        program, can_disable = works
        places = [
            *program_places(),
            SandboxPath(self._etc_for(network), "/etc", "read"),
            SandboxPath(tmp, TMP, "write"),
            SandboxPath(self.home(session.agent), HOME, "write"),
            *shown,
            SandboxPath(states, FOLDER, "read"),
            *(SandboxPath(states / str(name), f"{FOLDER}/{name}", "write") for name in STATES),
        ]
        directory = str(session.workspace.folder.absolute())
        code = seccomp.namespace_filter(network=network)
        line = bubblewrap.command_line(
            program,
            places,
            network=network,
            can_disable=can_disable,
            has_filter=bool(code),
            directory=directory,
            shared_bytes=self.settings.limits.memory_bytes,
        )
        return SandboxSpec(
            "bubblewrap",
            line,
            environment(HOME, "agent"),
            FOLDER,
            directory,
            has_own_pids=True,
            filter=code,
            places=frozenset(place.path for place in shown),
            disks=(directory, str(self.home(session.agent)), str(tmp)),
        )

    def _landlocked(
        self, session: Session, workspace: Workspace, states: Path, tmp: Path, network: bool
    ) -> SandboxSpec:
        places = workspace_places(workspace)
        _refuse_narrowing(places)
        home = self.home(session.agent)
        read = [str(place.source) for place in (*program_places(), *places) if place.access == "read"]
        read += [str(states), str(self._programs()), "/etc/passwd", "/etc/group"]
        read += [path for path, _ in linked_folders()]
        read += [f"/proc/{name}" for name in _PROC]
        read += [f"/etc/{name}" for name in (*NAMES, *(NETWORK_NAMES if network else ()))]
        write = [str(place.source) for place in places if place.access == "write"]
        write += [
            str(home),
            str(tmp),
            *(str(states / str(name)) for name in STATES),
            *(f"/dev/{name}" for name in _DEVICES),
        ]
        return self._without_namespaces("landlock", session, states, tmp, (read, write, network), "")

    def _without_namespaces(
        self,
        kind: Literal["landlock", "none"],
        session: Session,
        states: Path,
        tmp: Path,
        rules: LandlockRules | None,
        note: str,
    ) -> SandboxSpec:
        directory = str(session.workspace.folder.absolute())
        values = environment(str(self.home(session.agent)), _user(), str(tmp))
        values["PATH"] = f"{self._programs()}:{PATH}"
        if kind == "landlock":
            values["GIT_CONFIG_NOSYSTEM"] = "1"  # git gives up at a file it is refused, as it is not at none
        disks = (directory, values["HOME"], str(tmp))
        return SandboxSpec(kind, (), values, str(states), directory, False, note, rules, disks=disks)

    def _lookout(self, workspace: Workspace, *, pins: bool) -> Lookout:
        """The one that looks after a workspace, for all of its shells."""
        if workspace.folder not in self._lookouts:
            self._lookouts[workspace.folder] = Lookout(workspace, pins=pins)
        return self._lookouts[workspace.folder]

    def _programs(self) -> Path:
        """Programs that stand before those of the system, where the agent is no user of its own.

        ssh asks the list of users for its home, and not HOME: it would look for its settings in the user's.
        """
        folder = self.scratch.folder / "programs"
        if not folder.exists():
            folder.mkdir(mode=0o700)
            for name in _SSH:
                if found := shutil.which(name, path=PATH):
                    (folder / name).write_text(_SSH_AT_HOME.format(program=found))
                    (folder / name).chmod(0o500)
        return folder

    def _works(self) -> tuple[tuple[str, bool] | None, str]:
        if self._bubblewrap is None:
            self._bubblewrap = bubblewrap.probe(program_places())
        return self._bubblewrap

    def _etc_for(self, network: bool) -> Path:
        if network not in self._etc:
            self._etc[network] = copy_etc(_IDENTITY, network=network, parent=self.quick)
        return self._etc[network]


def _closing(workspace: Workspace, paths: Iterable[str]) -> Workspace:
    """The workspace with more that is only read in it."""
    return replace(workspace, roots=(*workspace.roots, *(Root(Path(path), "read") for path in sorted(paths))))


def environment(home: str, user: str, tmp: str = TMP) -> dict[str, str]:
    """The whole environment of a shell, made from nothing: none of our variables is in it, no key can be."""
    return {
        "PATH": PATH,
        "HOME": home,
        "USER": user,
        "LOGNAME": user,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": tmp,
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "DEBIAN_FRONTEND": "noninteractive",
    }


def _native(session: Session, states: Path, tmp: Path) -> SandboxSpec:
    """As the user would run it, but for our keys: in the own home, with the own programs."""
    directory = str(session.workspace.folder.absolute())
    values = environment(str(Path.home()), _user()) | {"PATH": os.environ.get("PATH", PATH)}
    disks = (directory, values["HOME"], str(tmp))
    return SandboxSpec("native", (), values, str(states), directory, False, UNSAFE, disks=disks)


def _what_landlock_lacks() -> str:
    if not landlock.version():
        return "this kernel has no Landlock"
    if not seccomp.is_known():
        return f"Landlock needs a filter of system calls, which there is none of for {os.uname().machine}"
    return ""


def _refuse_narrowing(places: Sequence[SandboxPath]) -> None:
    """Landlock widens only: in a place to write, nothing can be closed, read-only or kept in its place."""
    for place in places:
        holder = covering((one for one in places if one is not place), place.path)
        if holder is not None and (holder.access == "write" or is_wider(holder, place)):
            raise ToolError(
                f"Commands cannot run: {place.path} is inside {holder.path}, which is open to them, and"
                " Landlock cannot keep it from being changed or exchanged by them; install bubblewrap, or"
                " open a folder that does not hold it.",
                Kind.PERMISSION_DENIED,
                effects="none",
            )


def _refuse_covering(places: Sequence[SandboxPath]) -> None:
    """Paths of the sandbox itself; no place may be mounted over them."""
    for own in (HOME, FOLDER, "/dev", TMP):
        place = covering(places, own)
        if place is not None and (own != TMP or place.access == "read"):
            raise ToolError(
                f"Commands cannot run: {place.path} is open to them, and would cover {own}, which their"
                " sandbox has of its own; open folders inside of it instead (workspace.folder,"
                " workspace.read, workspace.write).",
                Kind.PERMISSION_DENIED,
                effects="none",
            )


def _user() -> str:
    return Path.home().name or "user"
