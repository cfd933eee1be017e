"""The steps before each effect on files: the call still runs, a person agrees, and what is lost is kept."""

from collections.abc import Callable
from typing import BinaryIO, Protocol

from oneclaw.core.session import Workspace
from oneclaw.guard.files import replace
from oneclaw.guard.files.descent import Descent, MakeEntry
from oneclaw.guard.files.protected import NEED, obeyed_by
from oneclaw.guard.files.refusal import need_write, refuse
from oneclaw.guard.files.replace import CheckBefore
from oneclaw.guard.files.route import spell
from oneclaw.guard.files.state import FileState

Ask = Callable[[str, str], None]
"""Asks a person for a need, naming the reason, and raises `ToolError` when the answer is no."""


class Keep(Protocol):
    """Is told of each effect before it happens. Paths are absolute and without links."""

    def make(self, path: str) -> None:
        """A folder is made."""
        ...

    def put(self, path: str, old: BinaryIO | None, new: BinaryIO | None) -> None:
        """A file gets other content; `old` or `new` is None where it is made or removed."""
        ...

    def move(self, path: str, to: str, state: FileState | None) -> None:
        """An entry gets another path."""
        ...


class Effects:
    """Runs these steps before each effect of one call.

    check  is called before each effect and stops it by raising
    ask    is called, with the need and the reason, before a file that the owner's own programs obey is
           changed; without it none is
    keep   is told of each effect, so that it can be undone
    """

    __slots__ = ("_ask", "_asked", "check", "keep", "workspace")

    def __init__(
        self, workspace: Workspace, check: CheckBefore, ask: Ask | None = None, keep: Keep | None = None
    ) -> None:
        self.workspace = workspace
        self.check = check
        self.keep = keep
        self._ask = ask or refuse
        self._asked: set[str] = set()

    def permit(self, real: str, path: str) -> None:
        """Ask before something is changed that a program obeys, once for each program."""
        who = obeyed_by(self.workspace, real)
        if who and who not in self._asked:
            self._asked.add(who)
            self._ask(NEED, f"{spell(path)} is run or obeyed without asking you by: {who}.")

    def maker(self, path: str) -> MakeEntry:
        """Makes a missing folder on the way down to `path`."""

        def make(descent: Descent, name: str) -> None:
            here = descent.here
            need_write(descent.places.access_below(here.identity, name, None, here.access), path)
            real = descent.path_of(name)
            self.permit(real, path)
            if self.keep is not None:
                self.keep.make(real)
            self.check()
            replace.make_folder(descent.fd, name)

        return make
