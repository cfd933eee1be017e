"""Session, workspace and network rules as plain data."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

RootAccess = Literal["none", "read", "write"]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder (or file) and what tools may do there; the most specific root decides."""

    folder: Path
    access: RootAccess


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder tools read and write, and the roots that widen or narrow it."""

    folder: Path
    roots: tuple[Root, ...] = ()


@dataclass(frozen=True, slots=True)
class Network:
    """The owner's network settings: a proxy, and private hosts that need no grant.

    `private_hosts` are host names or addresses, exact, optionally with `:port`.
    """

    proxy: str | None = None
    private_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoFolder:
    """Where earlier versions of files and deleted files are kept, and how many of them.

    file_bytes   larger files are not copied
    total_bytes  the most of everything in the folder; the oldest go first
    days         older ones are removed; None keeps them until there is no room
    """

    folder: Path
    file_bytes: int = 32 << 20
    total_bytes: int = 1 << 30
    days: float | None = 30.0


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of one agent. `folder` is where its large results are kept.

    parent  the session whose agent asked this one: what its agent may not do, this one may not either
    only    the only tools there are in it, as in an allow list; None sets no such bound
    asks    needs a person is asked for each time, whatever the settings and grants say
    run     the run that is going on in it; empty outside of runs
    waits   whether its questions wait for a person when nobody is there
    undo    where what its calls change is kept; None keeps nothing, and nothing can be deleted
    """

    id: str = ""
    agent: str = "default"
    workspace: Workspace = field(default_factory=lambda: Workspace(Path.cwd()))
    network: Network = field(default_factory=Network)
    folder: Path | None = None
    parent: "Session | None" = None
    only: tuple[str, ...] | None = None
    asks: tuple[str, ...] = ()
    run: str = ""
    waits: bool = False
    undo: UndoFolder | None = None

    @property
    def line(self) -> "tuple[Session, ...]":
        """This session, the one that asked for it, and so on up: all of them must be allowed what it does."""
        return (self,) if self.parent is None else (self, *self.parent.line)

    def must_ask(self, need: str) -> bool:
        """Whether a person is asked for the need each time, by this session or one that asked for it."""
        return any(need in each.asks for each in self.line)
