"""SandboxSpec: how a sandboxed shell is started, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from oneclaw.child.child_spec import ChildSpec
from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.guard.sandbox.protected_watch import Lookout

SandboxKind = Literal["bubblewrap", "landlock", "none", "native"]

LandlockRules = tuple[Sequence[str], Sequence[str], bool]
"""The paths to read, those to write, and whether there is network."""

FILTER = "{filter}"
"""Stands in a command for the number of the descriptor from which the filter of system calls is read."""
_LANDLOCK_CHILD = "oneclaw.guard.sandbox.landlock_child"
STATES = (1, 2)
"""The names of the files in the folder of a shell that its commands may write."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of a shell and its children: processes, total memory, file size."""

    processes: int = DEFAULTS.shell.processes
    memory_bytes: int = DEFAULTS.shell.memory_mb << 20
    file_bytes: int = 4 << 30


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """One way to start bash.

    command        what stands before `bash` on the command line; bubblewrap, or nothing
    rules          the rules of Landlock; None where it is not used
    environment    all of it: nothing of ours is added
    folder         where the folder of the shell is seen from inside
    directory      where the first command starts
    has_own_pids   whether it has a process table of its own, in which bash is process 1
    note           what every result says; empty where the sandbox is whole
    filter         of system calls, to be read by the command; empty where it takes none
    places         the paths of what is shown of the workspace, each of which stays what it is
    disks          folders of this machine that it can fill
    protected      the paths in the workspace that are closed to it because the owner's programs obey them
    lookout        looks after what of those a command makes
    """

    kind: SandboxKind
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    directory: str
    has_own_pids: bool
    note: str = ""
    rules: LandlockRules | None = None
    filter: bytes = b""
    places: frozenset[str] = frozenset()
    disks: tuple[str, ...] = ()
    protected: frozenset[str] = frozenset()
    lookout: Lookout | None = field(default=None, compare=False, repr=False)

    @property
    def is_stale(self) -> bool:
        """Whether the owner has since made or removed something that is to be closed to commands."""
        return self.lookout is not None and self.lookout.take_stock() != self.protected

    def child_spec(
        self, bash: Sequence[str], descriptors: Mapping[int, int], filtered: int | None = None
    ) -> ChildSpec:
        """How to start bash; from the descriptor `filtered` the filter of system calls is read."""
        common = ChildSpec(environment=self.environment, directory=self.directory, descriptors=descriptors)
        if self.rules is not None:
            arguments = (list(bash), *self.rules)
            return replace(common, module=_LANDLOCK_CHILD, arguments=arguments, is_watched=True)
        command = [str(filtered) if word == FILTER else word for word in self.command]
        return replace(common, argv=[*command, *bash])
